"""The policy loss: an algorithm's parts put together, with metrics.

All tensors are (B, K): B episodes, K token positions; `mask` is 1 where the policy chose the token.
Masked entries have no influence at all, not even as NaN.
"""

from collections.abc import Sequence

import torch

from zerogym.agents.llm.algorithms.algorithm import Algorithm
from zerogym.agents.llm.algorithms.loss_tables import Tokens, Totals
from zerogym.agents.llm.algorithms.losses.aggregations import TokenMean
from zerogym.agents.parts import Part, errors_of
from zerogym.errors import PartFailed


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

    Raises:
        PartFailed: If a part raises, or returns another shape than one number for each token (the
            aggregation: one number); or if one of a user's own returns numbers that are not finite.

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
        _check_shape(algorithm.weighing, ratio, mask)
    tokens = Tokens(logprobs, old, ratio, advantages, mask, turn)
    with errors_of(algorithm.objective):
        gain = algorithm.objective(tokens)  # (B, K)
        low, high = algorithm.objective.bounds(tokens)
        _check_shape(algorithm.objective, gain, mask)
    computed: list[tuple[Part, torch.Tensor]] = [
        (algorithm.weighing, ratio), (algorithm.objective, gain),
    ]  # fmt: skip
    with errors_of(aggregate):
        loss = -aggregate(gain if weights is None else gain * weights, mask, totals)
        _check_shape(aggregate, loss, mask.sum())
    extra = {}
    if reference is not None:
        with errors_of(algorithm.divergence):
            distance = algorithm.divergence(logprobs, reference.masked_fill(hidden, 0.0))  # (B, K)
            _check_shape(algorithm.divergence, distance, mask)
        computed.append((algorithm.divergence, distance))
        if algorithm.kl_weighted:
            distance = distance * ratio
        loss = loss + algorithm.kl * aggregate(distance, mask, totals)
        extra["actor/kl"] = _mean(distance, mask)
    if not loss.isfinite():
        _blame([*computed, (aggregate, loss)], mask)
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


def _check_shape(part: Part, values: torch.Tensor, like: torch.Tensor) -> None:
    if values.shape != like.shape:
        shape, expected = tuple(values.shape), tuple(like.shape)
        raise PartFailed(f"{part.title()} returned shape {shape} where {expected} is needed")


def _blame(computed: Sequence[tuple[Part, torch.Tensor]], mask: torch.Tensor) -> None:
    """Raise in the name of the first part with a number that is not finite, if it is a user's."""
    for part, values in computed:
        own = values[mask == 1] if values.shape == mask.shape else values  # (N,) or ()
        if not own.isfinite().all():
            if part.is_zerogyms():
                return  # the run has diverged
            raise PartFailed(f"{part.title()} returned numbers that are not finite")
