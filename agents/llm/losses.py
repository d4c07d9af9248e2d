"""Policy losses on token log-probabilities: small pure functions, each named after its paper.

All tensors are (B, K): B episodes, K token positions; `mask` is 1 where the policy chose the token.
What the mask hides has no influence at all, not even as NaN. Left out: entropy bonuses,
sequence-level ratios, corrections for another engine's rounding beyond the clipped ratio.
"""

from collections.abc import Callable, Mapping

import torch

Aggregation = Callable[[torch.Tensor, torch.Tensor, int, int], torch.Tensor]


def clipped_surrogate(
    logprobs: torch.Tensor,
    old: torch.Tensor,
    advantages: torch.Tensor,
    clip_low: float,
    clip_high: float,
) -> torch.Tensor:
    """`min(r A, clip(r, 1 - low, 1 + high) A)` for each token, to be maximised; (B, K).

    "Proximal Policy Optimization Algorithms" (2017, arXiv 1707.06347), equation 7.

    Args:
        logprobs: Of the chosen tokens under the present weights (B, K).
        old: The same when they were sampled (B, K).
        advantages: One an episode (B,).
        clip_low: How far the ratio r may fall below 1 and still count, in [0, 1).
        clip_high: How far it may rise above 1, >= 0.
    """
    ratio = (logprobs - old).exp()  # (B, K)
    clipped = ratio.clamp(1 - clip_low, 1 + clip_high)  # (B, K)
    weight = advantages[:, None]  # (B, 1)
    return torch.minimum(ratio * weight, clipped * weight)  # (B, K)


def kl_k3(logprobs: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    """Estimate of KL(policy || reference) from sampled tokens: `q/p - log(q/p) - 1`; (B, K).

    Unbiased for tokens sampled from the policy, and never negative: "DeepSeekMath" (2024,
    arXiv 2402.03300), the estimator that Schulman's note "Approximating KL Divergence" (2020)
    calls k3.
    """
    difference = reference - logprobs  # (B, K)
    return difference.exp() - difference - 1  # (B, K)


def sequence_mean(values: torch.Tensor, mask: torch.Tensor, rows: int, budget: int) -> torch.Tensor:
    """GRPO: the mean over each episode's own tokens, then over `rows` episodes; a scalar.

    "DeepSeekMath" (2024, arXiv 2402.03300). `rows` counts the whole batch, so that the sums over
    micro-batches, and over episodes left out because they weigh nothing, come out right.
    """
    lengths = mask.sum(1).clamp(min=1)  # (B,)
    return ((values * mask).sum(1) / lengths).sum() / rows


def constant(values: torch.Tensor, mask: torch.Tensor, rows: int, budget: int) -> torch.Tensor:
    """Dr. GRPO: the sum over all tokens divided by `rows * budget`; a scalar.

    "Understanding R1-Zero-Like Training" (2025, arXiv 2503.20783): a divisor that does not depend
    on the length does not favour long wrong replies. `budget` is a constant number of tokens.
    """
    return (values * mask).sum() / (rows * budget)


AGGREGATIONS: Mapping[str, Aggregation] = {"sequence_mean": sequence_mean, "constant": constant}


def policy_loss(
    logprobs: torch.Tensor,
    old: torch.Tensor,
    advantages: torch.Tensor,
    mask: torch.Tensor,
    *,
    aggregate: Aggregation,
    rows: int,
    budget: int,
    clip_low: float = 0.2,
    clip_high: float = 0.2,
    kl: float = 0.0,
    reference: torch.Tensor | None = None,
) -> tuple[torch.Tensor, dict[str, float]]:
    """The loss of one micro-batch, to be minimised, and its metrics.

    Args:
        logprobs: Of the chosen tokens under the present weights (B, K).
        old: The same when they were sampled (B, K).
        advantages: One an episode (B,).
        mask: 1 on the policy's own tokens (B, K).
        aggregate: One of `AGGREGATIONS`.
        rows: Episodes of the whole batch.
        budget: Tokens, for `constant`.
        clip_low: See `clipped_surrogate`.
        clip_high: See `clipped_surrogate`.
        kl: Weight of the distance to the reference, >= 0.
        reference: Log-probabilities of the reference model (B, K), where `kl` is above 0.
    """
    hidden = mask == 0  # (B, K)
    logprobs, old = logprobs.masked_fill(hidden, 0.0), old.masked_fill(hidden, 0.0)
    gain = clipped_surrogate(logprobs, old, advantages, clip_low, clip_high)  # (B, K)
    loss = -aggregate(gain, mask, rows, budget)
    distance = torch.zeros_like(logprobs)  # (B, K)
    if reference is not None:
        distance = kl_k3(logprobs, reference.masked_fill(hidden, 0.0))  # (B, K)
        loss = loss + kl * aggregate(distance, mask, rows, budget)
    with torch.no_grad():
        tokens = mask.sum().clamp(min=1)
        ratio = (logprobs - old).exp()  # (B, K)
        outside = ((ratio < 1 - clip_low) | (ratio > 1 + clip_high)) * mask  # (B, K)
        metrics = {
            "actor/ratio": float((ratio * mask).sum() / tokens),
            "actor/outside_clip": float(outside.sum() / tokens),
            "actor/kl": float((distance * mask).sum() / tokens),
            "actor/entropy": float(-(old * mask).sum() / tokens),  # from the sampled tokens
        }
    return loss, metrics
