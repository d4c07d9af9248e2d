"""Probability ratios between the policy and the one that sampled: of tokens, turns and episodes.

A ratio takes the change (B, K) of each token's log-probability, the mask and the turns (B, K).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerogym.agents.llm.algorithms.loss_tables import Ratio, ratio

if TYPE_CHECKING:
    import torch


@ratio("token")
@dataclass(frozen=True)
class TokenRatio(Ratio):
    """Take each token's own ratio: `exp(change)`."""

    source = "Proximal Policy Optimization Algorithms (2017, arXiv 1707.06347)"

    def __call__(
        self, change: torch.Tensor, mask: torch.Tensor, turn: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return `exp(change)` (B, K)."""
        return change.exp()


@ratio("sequence")
@dataclass(frozen=True)
class SequenceRatio(Ratio):
    """Take the geometric mean of an episode's token ratios, for each of its tokens: GSPO.

    Equation 7.
    """

    source = "Group Sequence Policy Optimization (2025, arXiv 2507.18071)"

    def __call__(
        self, change: torch.Tensor, mask: torch.Tensor, turn: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return the geometric mean (B, K)."""
        lengths = mask.sum(1, keepdim=True).clamp(min=1)  # (B, 1)
        return _spread(((change * mask).sum(1, keepdim=True) / lengths).exp(), mask)


@ratio("product")
@dataclass(frozen=True)
class ProductRatio(Ratio):
    """Take the ratio of the whole episode's probabilities, for each of its tokens: RLOO.

    A reply is a single action there.
    """

    source = (
        "Back to Basics: Revisiting REINFORCE Style Optimization for Learning from Human Feedback "
        "in LLMs (2024, arXiv 2402.14740)"
    )

    def __call__(
        self, change: torch.Tensor, mask: torch.Tensor, turn: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return the product (B, K)."""
        return _spread((change * mask).sum(1, keepdim=True).exp(), mask)


@ratio("turn")
@dataclass(frozen=True)
class TurnRatio(Ratio):
    """Take the ratio of a turn's probabilities, for each of its tokens: L0.

    Each turn, thought and code together, is a single action there; the authors' code
    clips single tokens all the same. With one turn it is `product`. A chunk of a reply that goes on
    in another context counts as a turn (our choice).
    """

    source = "L0: Reinforcement Learning to Become General Agents (2025, arXiv 2506.23667)"

    def __call__(
        self, change: torch.Tensor, mask: torch.Tensor, turn: torch.Tensor
    ) -> torch.Tensor:
        """Return the product over the turn (B, K)."""
        sums = change.new_zeros(len(change), int(turn.max()) + 1)  # (B, turns)
        return _spread(sums.scatter_add(1, turn, change * mask).gather(1, turn).exp(), mask)


def _spread(whole: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return ratios (B, 1) or (B, K) at the own tokens, 1 elsewhere; (B, K)."""
    return whole.where(mask == 1, 1.0)
