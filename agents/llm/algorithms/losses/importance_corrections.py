"""Importance weights for tokens that an inference engine sampled.

An engine computes with other kernels, or less precision, than the trainer, so that its samples are
off the trainer's policy although both have the same weights. The weight is the ratio
of the trainer's probability to the engine's, bounded from above (truncated importance sampling:
"Your Efficient RL Framework Secretly Brings You Off-Policy RL Training", Yao et al., 2025; a
workshop paper of 2025 calls it "On the Rollout-Training Mismatch in Modern RL Systems") or set to 0
outside its bounds (masked). At the level of sequences it is the product over an episode's tokens.
Masked tokens stay in the divisor of the loss: the weights multiply the surrogate, and the
aggregation counts all own tokens, so that dropping tokens shrinks the gradient.
Left out: geometric means, bounds for single tokens inside a sequence weight.
"""

from collections.abc import Callable, Mapping

import torch

from zerogym.agents.llm.algorithms.losses.ratios import ProductRatio, TokenRatio

Bound = Callable[[torch.Tensor, float, float], torch.Tensor]


def truncate(ratio: torch.Tensor, low: float, high: float) -> torch.Tensor:
    """Return the ratio, at least `low` and at most `high`."""
    return ratio.clamp(low, high)


def drop(ratio: torch.Tensor, low: float, high: float) -> torch.Tensor:
    """Return the ratio, or 0 where it is not in [low, high]."""
    return ratio.masked_fill((ratio < low) | (ratio > high), 0.0)


_PARTS: Mapping[str, tuple[Callable[..., torch.Tensor], Bound]] = {
    "token_truncate": (TokenRatio(), truncate),
    "token_mask": (TokenRatio(), drop),
    "sequence_truncate": (ProductRatio(), truncate),
    "sequence_mask": (ProductRatio(), drop),
}
CORRECTIONS = tuple(_PARTS)


def correct(
    name: str,
    trainer: torch.Tensor,
    engine: torch.Tensor,
    mask: torch.Tensor,
    low: float,
    high: float,
) -> tuple[torch.Tensor, dict[str, float]]:
    """Return the weights (B, K) of the tokens, and metrics of the mismatch.

    A token of weight 0 has no gradient, but it counts in the divisor of the loss.

    Args:
        name: One of `CORRECTIONS`.
        trainer: Log-probabilities of the chosen tokens under the trainer (B, K).
        engine: The same as the engine recorded them (B, K).
        mask: 1 on the policy's own tokens (B, K).
        low: Least weight, in [0, 1].
        high: Largest weight, >= 1.
    """
    hidden = mask == 0  # (B, K)
    gap = (trainer - engine).masked_fill(hidden, 0.0)  # (B, K)
    level, bound = _PARTS[name]
    ratio = level(gap, mask)  # (B, K)
    tokens = mask.sum().clamp(min=1)
    outside = ((ratio < low) | (ratio > high)) * mask  # (B, K)
    weights = bound(ratio, low, high)  # (B, K)
    return weights, {
        "engine/gap": float(gap.abs().sum() / tokens),
        "engine/ratio": float((ratio * mask).sum() / tokens),
        "engine/outside": float(outside.sum() / tokens),
        "engine/weight": float((weights * mask).sum() / tokens),
    }
