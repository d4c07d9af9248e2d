"""Surrogate objectives of tokens: probability ratios and their clipping.

All tensors are (B, K): B episodes, K token positions; `mask` is 1 where the policy chose the token.
A surrogate takes ratios r, log-probabilities log p and advantages A. Left out: soft clipping, the
token form of GSPO.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Clip:
    """Bounds of a probability ratio.

    Attributes:
        low: Distance of the lower bound from 1, >= 0.
        high: Distance of the upper bound from 1, >= 0.
        dual: Upper bound where the advantage is negative, >= 1 + high; 0: none.
    """

    low: float
    high: float
    dual: float = 0.0


Ratio = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
Surrogate = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, Clip], torch.Tensor]


def token_ratio(change: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """`exp(change)`, where change is the log-probability of a token now minus when it was sampled.

    "Proximal Policy Optimization Algorithms" (2017, arXiv 1707.06347).
    """
    return change.exp()


def sequence_ratio(change: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """GSPO: the geometric mean of an episode's token ratios, for each of its tokens; (B, K).

    "Group Sequence Policy Optimization" (2025, arXiv 2507.18071), equation 7.
    """
    lengths = mask.sum(1, keepdim=True).clamp(min=1)  # (B, 1)
    return _spread(((change * mask).sum(1, keepdim=True) / lengths).exp(), mask)


def product_ratio(change: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """RLOO: the ratio of the whole episode's probabilities, for each of its tokens; (B, K).

    "Back to Basics: Revisiting REINFORCE Style Optimization for Learning from Human Feedback in
    LLMs" (2024, arXiv 2402.14740), where a reply is a single action.
    """
    return _spread((change * mask).sum(1, keepdim=True).exp(), mask)


def _spread(ratio: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return an episode's ratio (B, 1) at its own tokens, 1 elsewhere; (B, K)."""
    return torch.where(mask == 1, ratio, 1.0)


def clipped(
    ratio: torch.Tensor, logprobs: torch.Tensor, advantages: torch.Tensor, clip: Clip
) -> torch.Tensor:
    """`min(r A, clip(r, 1 - low, 1 + high) A)`, and with `dual` at least `dual A`; (B, K).

    "Proximal Policy Optimization Algorithms" (2017, arXiv 1707.06347), equation 7; two ends
    ("clip-higher"): "DAPO" (2025, arXiv 2503.14476). `dual` bounds what a token of negative
    advantage can cost, and stops its gradient there: "Mastering Complex Control in MOBA Games with
    Deep Reinforcement Learning" (2019, arXiv 1912.09729), called delta in "INTELLECT-2" (2025,
    arXiv 2505.07291).
    """
    bounded = ratio.clamp(1 - clip.low, 1 + clip.high)  # (B, K)
    if clip.dual:
        ratio = ratio.clamp(max=clip.dual)
    return torch.minimum(ratio * advantages, bounded * advantages)


def cispo(
    ratio: torch.Tensor, logprobs: torch.Tensor, advantages: torch.Tensor, clip: Clip
) -> torch.Tensor:
    """`sg(clip(r, 1 - low, 1 + high)) A log p`: each token keeps its gradient, only its weight is
    bounded; sg stops the gradient.

    "MiniMax-M1: Scaling Test-Time Compute Efficiently with Lightning Attention" (2025,
    arXiv 2506.13585), equation 4. Only its gradient has a meaning, its value has none.
    """
    return ratio.clamp(1 - clip.low, 1 + clip.high).detach() * advantages * logprobs


RATIOS: Mapping[str, Ratio] = {
    "token": token_ratio,
    "sequence": sequence_ratio,
    "product": product_ratio,
}
SURROGATES: Mapping[str, Surrogate] = {"clipped": clipped, "cispo": cispo}
