"""Relabelling: goals for transitions, from the rest of their walk or from all data.

"Hindsight Experience Replay" (2017, arXiv 1707.01495): a transition teaches about every goal that
its walk reached later. The mixtures are those of "OGBench: Benchmarking Offline Goal-Conditioned
RL" (2024, arXiv 2410.20092): for values the present state, a later one at a geometric distance, or
any state of the data; for actors a later one, all equally likely.

A goal is reached in the state that is it: the reward of a step from there is 0, of all others -1.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from zerogym.agents.zero_shot.data.tensor_dataset import TensorDataset


@dataclass(frozen=True)
class Mixture:
    """Shares of goals of each kind; they sum to 1.

    Attributes:
        now: The state before the step.
        later: A state that the walk enters after the step.
        anywhere: A state before any step of the data.
        geometric: Later states lie G steps ahead, G >= 1 with Pr(G = k) = (1 - gamma) gamma^(k-1),
            cut at the end of the walk; else all are equally likely.
    """

    now: float = 0.0
    later: float = 1.0
    anywhere: float = 0.0
    geometric: bool = False


VALUE_GOALS = Mixture(0.2, 0.5, 0.3, geometric=True)
ACTOR_GOALS = Mixture()
ANY_GOALS = Mixture(0.0, 0.0, 1.0)
FUTURE_GOALS = Mixture(geometric=True)


def draw_goals(
    data: TensorDataset,
    rows: Tensor,
    mixture: Mixture,
    gamma: float,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Draw a goal for each of n transitions.

    Args:
        data: The data.
        rows: (n,) places of the transitions in the data.
        mixture: Kinds of goals.
        gamma: Of the geometric distances.
        generator: Of the draws.

    Returns:
        Goals (n, k), encoded.
    """
    columns = data.transitions
    count = len(rows)
    kind, ahead = torch.rand(2, count, generator=generator)
    left = columns.last[rows] - rows  # (n,) steps of the walk after this one
    if mixture.geometric:
        steps = (torch.log1p(-ahead) / torch.log(torch.tensor(gamma))).long()  # 0, 1, ...
    else:
        steps = (ahead * (left + 1)).long()
    later = columns.next_features[rows + torch.minimum(steps, left)]  # (n, k)
    anywhere = torch.randint(len(columns.row), (count,), generator=generator)
    goals = torch.where(
        (kind < mixture.now + mixture.later)[:, None], later, columns.features[anywhere]
    )
    return torch.where((kind < mixture.now)[:, None], columns.features[rows], goals)


def reached(features: Tensor, goals: Tensor) -> Tensor:
    """Return 1 where a state is its goal, else 0; (n, k) and (n, k) to (n,)."""
    return (features == goals).all(-1).float()
