"""Losses of pairs, the better of which is the one with the higher return: DPO and IPO.

Scores are log-ratios to the reference model; all pairs of a group with unequal returns count.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerogym.agents.llm.algorithms.loss_tables import SequenceLoss, sequence_loss

if TYPE_CHECKING:
    import torch


class Preference(SequenceLoss):
    """A loss of the difference of two scores, the better one's first.

    Attributes:
        beta: A setting of its subclasses: the weight of the divergence from the reference.
    """

    against_reference = True
    beta: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beta <= 0:
            raise ValueError(f"beta must be above 0, got {self.beta!r}")

    @abstractmethod
    def of_pairs(self, differences: torch.Tensor) -> torch.Tensor:
        """Return the loss (N,) of differences of scores (N,)."""

    def __call__(self, scores: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
        """Return the mean over all pairs with unequal returns; 0 without one."""
        better = returns[:, None] > returns[None, :]  # (G, G)
        if not better.any():
            return 0 * scores.sum()
        return self.of_pairs((scores[:, None] - scores[None, :])[better]).mean()


@sequence_loss("dpo")
@dataclass(frozen=True)
class Dpo(Preference):
    """Prefer the better of two episodes: `-log sigmoid(beta (s+ - s-))`.

    Over all pairs, preferred in proportion to exp(r), its policy is that of a soft Q function of
    each token: "From r to Q*: Your Language Model is Secretly a Q-Function" (2024, arXiv
    2404.12358). Left out: pairs from a file, which are off-policy.
    """

    source = (
        "Direct Preference Optimization: Your Language Model is Secretly a Reward Model (2023, "
        "arXiv 2305.18290)"
    )

    beta: float = 0.1  # weight of the divergence from the reference, above 0

    def of_pairs(self, differences: torch.Tensor) -> torch.Tensor:
        """Return `-log sigmoid(beta d)` (N,)."""
        from torch.nn.functional import logsigmoid

        return -logsigmoid(self.beta * differences)


@sequence_loss("ipo")
@dataclass(frozen=True)
class Ipo(Preference):
    """Hold the difference of two episodes at a margin: `(s+ - s- - 1 / (2 beta))^2`."""

    source = (
        "A General Theoretical Paradigm to Understand Learning from Human Preferences (2023, arXiv "
        "2310.12036)"
    )

    beta: float = 0.1  # weight of the divergence from the reference, above 0

    def of_pairs(self, differences: torch.Tensor) -> torch.Tensor:
        """Return the squared distance from the margin (N,)."""
        return (differences - 1 / (2 * self.beta)).square()
