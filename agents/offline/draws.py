"""Draws of batches: how likely each stored transition is, uniform or by its trajectory's return."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from zerogym.agents.offline.transitions import Transitions
from zerogym.agents.parts import Part, Table
from zerogym.agents.settings import check_above

_SOURCE = (
    '"Harnessing Mixed Offline Reinforcement Learning Datasets via Trajectory Weighting" '
    "(2023, arXiv 2306.13085)"
)


class Draw(Part):
    """Base of the draws."""

    @abstractmethod
    def chances(self, data: Transitions) -> Tensor | None:
        """Return the chance of each transition, (n,) float64 that add up to 1; None: all alike.

        Raises:
            ValueError: If it needs trajectories and the data do not say where they end.
        """


DRAWS: Table[Draw] = Table("draw", Draw, "zerogym.agents.offline.draws")
draw = DRAWS.register


@draw("uniform")
@dataclass(frozen=True)
class Uniform(Draw):
    """All transitions alike."""

    def chances(self, data: Transitions) -> None:
        """Return None."""


@draw("return")
@dataclass(frozen=True)
class ReturnWeighted(Draw):
    """Return weighting (RW): transitions of trajectories with high returns come more often.

    Each transition of trajectory i has a chance in proportion to exp(G_i / temperature), where G_i
    is the sum of its rewards, scaled so that the least return is 0 and the largest 1. What a
    method then learns from is as if the better trajectories were more of the data: any method
    that stays near its data stays near the better ones. As in the paper, a long trajectory is
    drawn more often than a short one of the same return.
    """

    source = _SOURCE

    temperature: float = 0.1  # above 0: near 0 only the best trajectories, large: all alike

    def __post_init__(self) -> None:
        super().__post_init__()
        check_above(self, temperature=0.0)

    def chances(self, data: Transitions) -> Tensor:
        """Return the softmax of the trajectories' scaled scores, by transition."""
        scores, of_row = self._scores(data)
        width = scores.max() - scores.min()
        scaled = (scores - scores.min()) / width if width > 0 else torch.zeros_like(scores)
        return (scaled / self.temperature)[of_row].softmax(0)

    def _scores(self, data: Transitions) -> tuple[Tensor, Tensor]:
        return returns(data)


@draw("advantage")
@dataclass(frozen=True)
class AdvantageWeighted(ReturnWeighted):
    """Advantage weighting (AW): returns count beyond what the first state let expect.

    The score of a trajectory is its return less V(first state), where V is the least-squares
    linear function of first observations to returns, as in the authors' code. Where starts differ
    in luck, returns alone would prefer the lucky starts and not the better actions.
    """

    source = _SOURCE

    def _scores(self, data: Transitions) -> tuple[Tensor, Tensor]:
        found, of_row = returns(data)
        starts = np.flatnonzero(np.diff(of_row.numpy(), prepend=-1))
        first = data.observations[starts].double().numpy()
        inputs = np.column_stack([first, np.ones(len(first))])
        weights = np.linalg.lstsq(inputs, found.numpy(), rcond=None)[0]
        return found - torch.as_tensor(inputs @ weights), of_row


def returns(data: Transitions) -> tuple[Tensor, Tensor]:
    """Return each trajectory's sum of rewards (T,) float64, and the trajectory of each row (n,).

    Raises:
        ValueError: If the data do not say where trajectories end.
    """
    if data.ends is None:
        raise ValueError(
            "returns are those of trajectories, and these transitions do not say where theirs end: "
            "give `ends`, as `relabelled` does"
        )
    _, of_row = torch.unique_consecutive(data.ends, return_inverse=True)
    sums = torch.zeros(int(of_row[-1]) + 1, dtype=torch.float64)
    return sums.index_add(0, of_row, data.rewards.double()), of_row
