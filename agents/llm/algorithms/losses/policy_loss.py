"""The policy loss: an algorithm's parts put together, with metrics.

All tensors are (B, K): B episodes, K token positions; `mask` is 1 where the policy chose the token.
Masked entries have no influence at all, not even as NaN.
"""

import torch

from zerogym.agents.llm.algorithms.algorithm import Algorithm
from zerogym.agents.llm.algorithms.losses.aggregations import TokenMean
from zerogym.agents.llm.algorithms.tables import Tokens, Totals
from zerogym.agents.parts import errors_of


def policy_loss(
    logprobs: torch.Tensor,
    old: torch.Tensor,
    advantages: torch.Tensor,
    mask: torch.Tensor,
    algorithm: Algorithm,
    totals: Totals,
    *,
    turn: torch.Tensor | None = None,
    reference: torch.Tensor | None = None,
    weights: torch.Tensor | None = None,
    entropy: torch.Tensor | None = None,
) -> tuple[torch.Tensor, dict[str, float]]:
    """Return the loss of one micro-batch, to be minimised, and its metrics.

    Args:
        logprobs: Of the chosen tokens under the present weights (B, K).
        old: The same under the weights that sampled them (B, K).
        advantages: (B, K).
        mask: 1 on the policy's own tokens (B, K).
        algorithm: The parts that are put together.
        totals: The size of the whole batch.
        turn: The number of the turn of each token (B, K); None: episodes of one turn.
        reference: Log-probabilities of the reference model (B, K); needed where the algorithm has
            its divergence in the loss.
        weights: Importance weights of `importance_corrections` (B, K).
        entropy: Entropy of the policy at each position (B, K); needed where the algorithm has a
            bonus for it, which is a mean over the batch's tokens, whatever the aggregation.
    """
    hidden = mask == 0  # (B, K)
    logprobs, old = logprobs.masked_fill(hidden, 0.0), old.masked_fill(hidden, 0.0)
    aggregate = algorithm.aggregator
    if turn is None:
        turn = torch.zeros_like(mask, dtype=torch.long)  # (B, K)
    with errors_of(algorithm.weighing):
        ratio = algorithm.weighing(logprobs - old, mask, turn)  # (B, K)
    tokens = Tokens(logprobs, old, ratio, advantages, mask, turn)
    with errors_of(algorithm.objective):
        gain = algorithm.objective(tokens)  # (B, K)
        low, high = algorithm.objective.bounds(tokens)
    if weights is not None:
        gain = gain * weights
    loss = -aggregate(gain, mask, totals)
    extra = {}
    if reference is not None:
        distance = algorithm.divergence(logprobs, reference.masked_fill(hidden, 0.0))  # (B, K)
        if algorithm.kl_weighted:
            distance = distance * ratio
        loss = loss + algorithm.kl * aggregate(distance, mask, totals)
        extra["actor/kl"] = _mean(distance, mask)
    if entropy is not None:
        entropy = entropy.masked_fill(hidden, 0.0)  # (B, K)
        loss = loss - algorithm.entropy * TokenMean()(entropy, mask, totals)
    with torch.no_grad():
        too_low, too_high = ratio < low, ratio > high  # (B, K), (B, K)
        metrics = {
            "actor/ratio": _mean(ratio, mask),
            "actor/outside_clip": _mean(too_low | too_high, mask),
            "actor/clipped_low": _mean(too_low & (advantages < 0), mask),
            "actor/clipped_high": _mean(too_high & (advantages > 0), mask),
            # without a bonus it is estimated from the sampled tokens
            "actor/entropy": _mean(-old if entropy is None else entropy, mask),
        }
    return loss, metrics | extra


def _mean(values: torch.Tensor, mask: torch.Tensor) -> float:
    """Return the mean over the policy's own tokens of the micro-batch."""
    return float((values.detach() * mask).sum() / mask.sum().clamp(min=1))
