"""Probability ratios between the policy and the one that sampled: of tokens and of episodes.

A ratio takes the change (B, K) of each token's log-probability and the mask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerogym.agents.llm.algorithms.tables import Ratio, ratio

if TYPE_CHECKING:
    import torch


@ratio("token")
@dataclass(frozen=True)
class TokenRatio(Ratio):
    """Take each token's own ratio: `exp(change)`."""

    source = "Proximal Policy Optimization Algorithms (2017, arXiv 1707.06347)"

    def __call__(self, change: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return `exp(change)` (B, K)."""
        return change.exp()


@ratio("sequence")
@dataclass(frozen=True)
class SequenceRatio(Ratio):
    """Take the geometric mean of an episode's token ratios, for each of its tokens: GSPO.

    Equation 7.
    """

    source = "Group Sequence Policy Optimization (2025, arXiv 2507.18071)"

    def __call__(self, change: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
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

    def __call__(self, change: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the product (B, K)."""
        return _spread((change * mask).sum(1, keepdim=True).exp(), mask)


def _spread(whole: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return an episode's ratio (B, 1) at its own tokens, 1 elsewhere; (B, K)."""
    return whole.where(mask == 1, 1.0)
