"""Aggregation of token values to a scalar loss.

Divisors count the whole batch, so that the sums over micro-batches are exact, also without the
episodes whose advantages are all 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerogym.agents.llm.algorithms.loss_tables import Aggregation, Totals, aggregation

if TYPE_CHECKING:
    import torch


@aggregation("sequence_mean")
@dataclass(frozen=True)
class SequenceMean(Aggregation):
    """Take the mean over each episode's own tokens, then over all episodes: GRPO."""

    source = (
        "DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models (2024, "
        "arXiv 2402.03300)"
    )

    def __call__(self, values: torch.Tensor, mask: torch.Tensor, totals: Totals) -> torch.Tensor:
        """Return the mean of means, a scalar."""
        lengths = mask.sum(1).clamp(min=1)  # (B,)
        return ((values * mask).sum(1) / lengths).sum() / totals.rows


@aggregation("token_mean")
@dataclass(frozen=True)
class TokenMean(Aggregation):
    """Take the mean over all tokens of the batch, so that each weighs the same: DAPO."""

    source = (
        "DAPO: An Open-Source LLM Reinforcement Learning System at Scale (2025, arXiv 2503.14476)"
    )

    def __call__(self, values: torch.Tensor, mask: torch.Tensor, totals: Totals) -> torch.Tensor:
        """Return the mean over the tokens, a scalar."""
        return (values * mask).sum() / totals.tokens


@aggregation("constant")
@dataclass(frozen=True)
class Constant(Aggregation):
    """Divide the sum over all tokens by `rows * budget`: Dr. GRPO.

    A divisor that does not depend on the length does not favour long wrong replies. The budget is
    that of a whole episode.
    """

    source = "Understanding R1-Zero-Like Training: A Critical Perspective (2025, arXiv 2503.20783)"

    def __call__(self, values: torch.Tensor, mask: torch.Tensor, totals: Totals) -> torch.Tensor:
        """Return the sum divided by a constant, a scalar."""
        return (values * mask).sum() / (totals.rows * totals.budget)
