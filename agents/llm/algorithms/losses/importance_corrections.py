"""Importance weights for tokens that an inference engine or older weights sampled.

An engine computes with other kernels, or less precision, than the trainer, so that its samples are
off the trainer's policy although both have the same weights. The weight is the ratio
of the trainer's probability to the engine's, bounded from above (truncated importance sampling)
or set to 0 outside its bounds (masked). At the level of sequences it is the product over an
episode's tokens. Masked tokens stay in the divisor of the loss: the weights multiply the surrogate,
and the aggregation counts all own tokens, so that dropping tokens shrinks the gradient.
Left out: geometric means, bounds for single tokens inside a sequence weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerogym.agents.llm.algorithms.loss_tables import Correction, correction
from zerogym.agents.llm.algorithms.losses.ratios import ProductRatio
from zerogym.agents.parts import errors_of
from zerogym.errors import PartFailed

if TYPE_CHECKING:
    import torch

_SOURCE = (
    "Your Efficient RL Framework Secretly Brings You Off-Policy RL Training (2025; a workshop "
    "paper of 2025 calls it On the Rollout-Training Mismatch in Modern RL Systems)"
)


@correction("none")
@dataclass(frozen=True)
class Uncorrected(Correction):
    """Take the engine's probabilities for the trainer's, without a pass to compare them."""

    corrects = False

    def __call__(self, gap: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return 1 (B, K)."""
        return gap.new_ones(gap.shape)


@dataclass(frozen=True)
class _Bounded(Correction):
    """A ratio with a least and a largest value."""

    source = _SOURCE
    low: float = 0.0  # least weight, in [0, 1]
    high: float = 2.0  # largest weight, at least 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.low <= 1 <= self.high:
            raise ValueError(
                f"{self.title()}: low must be in [0, 1] and high at least 1, got {self.low!r} and "
                f"{self.high!r}"
            )

    def bounds(self) -> tuple[float, float]:
        """Return the least and the largest weight."""
        return self.low, self.high


@correction("token_truncate")
@dataclass(frozen=True)
class TokenTruncate(_Bounded):
    """Weigh a token by its ratio, no less than `low` and no more than `high`."""

    def __call__(self, gap: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the bounded ratio (B, K)."""
        return self.ratio(gap, mask).clamp(self.low, self.high)


@correction("token_mask")
@dataclass(frozen=True)
class TokenMask(_Bounded):
    """Weigh a token by its ratio, and by 0 where that is out of bounds."""

    def __call__(self, gap: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the ratio, or 0 where it is not in [low, high] (B, K)."""
        ratio = self.ratio(gap, mask)  # (B, K)
        return ratio.masked_fill((ratio < self.low) | (ratio > self.high), 0.0)


@correction("sequence_truncate")
@dataclass(frozen=True)
class SequenceTruncate(TokenTruncate):
    """Weigh all tokens of an episode by the product of their ratios, within its bounds."""

    def ratio(self, gap: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the product over the episode (B, K)."""
        return ProductRatio()(gap, mask)


@correction("sequence_mask")
@dataclass(frozen=True)
class SequenceMask(TokenMask):
    """Weigh all tokens of an episode by the product of their ratios, or by 0 out of bounds."""

    def ratio(self, gap: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the product over the episode (B, K)."""
        return ProductRatio()(gap, mask)


def correct(
    part: Correction, trainer: torch.Tensor, engine: torch.Tensor, mask: torch.Tensor
) -> tuple[torch.Tensor, dict[str, float]]:
    """Return the weights (B, K) of the tokens, and metrics of the mismatch.

    A token of weight 0 has no gradient, but it counts in the divisor of the loss.

    Args:
        part: The correction.
        trainer: Log-probabilities of the chosen tokens under the trainer (B, K).
        engine: The same as the engine recorded them (B, K).
        mask: 1 on the policy's own tokens (B, K).

    Raises:
        PartFailed: If the part raises, or returns weights of another shape or that are not finite.
    """
    hidden = mask == 0  # (B, K)
    gap = (trainer - engine).masked_fill(hidden, 0.0)  # (B, K)
    low, high = part.bounds()
    with errors_of(part):
        ratio, weights = part.ratio(gap, mask), part(gap, mask)  # (B, K), (B, K)
    if weights.shape != mask.shape:
        raise PartFailed(
            f"{part.title()} returned weights of shape {tuple(weights.shape)} for tokens of shape "
            f"{tuple(mask.shape)}"
        )
    if gap.isfinite().all() and not weights.isfinite().all():
        raise PartFailed(f"{part.title()} returned weights that are not finite")
    tokens = mask.sum().clamp(min=1)
    outside = ((ratio < low) | (ratio > high)) * mask  # (B, K)
    return weights, {
        "engine/gap": float(gap.abs().sum() / tokens),
        "engine/ratio": float((ratio * mask).sum() / tokens),
        "engine/outside": float(outside.sum() / tokens),
        "engine/weight": float((weights * mask).sum() / tokens),
    }
