"""Aggregation of token values to a scalar loss.

Divisors count the whole batch, so that the sums over micro-batches are exact, also without the
episodes whose advantages are all 0.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Totals:
    """The size of the batch of which a micro-batch is a part.

    Attributes:
        rows: Episodes.
        tokens: The policy's own tokens in them, at least 1.
        budget: The most own tokens of an episode, over all its turns; a constant of the run.
    """

    rows: int
    tokens: int
    budget: int


Aggregation = Callable[[torch.Tensor, torch.Tensor, Totals], torch.Tensor]


def sequence_mean(values: torch.Tensor, mask: torch.Tensor, totals: Totals) -> torch.Tensor:
    """GRPO: the mean over each episode's own tokens, then over all episodes; a scalar.

    "DeepSeekMath" (2024, arXiv 2402.03300).
    """
    lengths = mask.sum(1).clamp(min=1)  # (B,)
    return ((values * mask).sum(1) / lengths).sum() / totals.rows


def token_mean(values: torch.Tensor, mask: torch.Tensor, totals: Totals) -> torch.Tensor:
    """DAPO: the mean over all tokens of the batch, so that each weighs the same; a scalar.

    "DAPO: An Open-Source LLM Reinforcement Learning System at Scale" (2025, arXiv 2503.14476).
    """
    return (values * mask).sum() / totals.tokens


def constant(values: torch.Tensor, mask: torch.Tensor, totals: Totals) -> torch.Tensor:
    """Dr. GRPO: the sum over all tokens divided by `rows * budget`; a scalar.

    "Understanding R1-Zero-Like Training" (2025, arXiv 2503.20783): a divisor that does not depend
    on the length does not favour long wrong replies. The budget is that of a whole episode.
    """
    return (values * mask).sum() / (totals.rows * totals.budget)


AGGREGATIONS: Mapping[str, Aggregation] = {
    "sequence_mean": sequence_mean,
    "token_mean": token_mean,
    "constant": constant,
}
