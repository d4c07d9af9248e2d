"""Surrogate objectives of tokens: probability ratios and their clipping.

A surrogate takes `Tokens` and returns the gain (B, K) of each, which is maximised. Left out: soft
clipping, the token form of GSPO.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zerogym.agents.llm.algorithms.loss_tables import Surrogate, Tokens, surrogate

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Clip(Surrogate):
    """Base of surrogates with bounds of the ratio around 1."""

    clip_low: float = 0.2  # distance of the ratio's lower bound from 1
    clip_high: float = 0.2  # distance of its upper bound from 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.clip_low < 0 or self.clip_high < 0:
            raise ValueError(
                f"clip_low and clip_high must be at least 0, got {self.clip_low!r} and "
                f"{self.clip_high!r}"
            )

    def bounds(self, tokens: Tokens) -> tuple[Any, Any]:
        """Return `1 - clip_low` and `1 + clip_high`."""
        return 1 - self.clip_low, 1 + self.clip_high


@surrogate("clipped")
@dataclass(frozen=True)
class Clipped(Clip):
    """Clip the ratio: `min(r A, clip(r, 1 - low, 1 + high) A)`, and with `dual` at least `dual A`.

    Equation 7 of PPO; two ends ("clip-higher"): "DAPO" (2025, arXiv 2503.14476). `dual_clip` bounds
    what a token of negative advantage can cost, and stops its gradient there: "Mastering Complex
    Control in MOBA Games with Deep Reinforcement Learning" (2019, arXiv 1912.09729), called delta
    in "INTELLECT-2" (2025, arXiv 2505.07291).
    """

    source = "Proximal Policy Optimization Algorithms (2017, arXiv 1707.06347)"

    dual_clip: float = 0.0  # bound of the ratio where the advantage is negative; 0: none

    def __call__(self, tokens: Tokens) -> torch.Tensor:
        """Return the clipped gain (B, K)."""
        low, high = self.bounds(tokens)
        ratio, bounded = tokens.ratio, tokens.ratio.clamp(low, high)  # (B, K), (B, K)
        if self.dual_clip:
            ratio = ratio.clamp(max=self.dual_clip)
        return (ratio * tokens.advantages).minimum(bounded * tokens.advantages)


@surrogate("cispo")
@dataclass(frozen=True)
class Cispo(Clip):
    """Keep each token's gradient and bound its weight: `sg(clip(r, 1 - low, 1 + high)) A log p`.

    sg stops the gradient; equation 4. Only its gradient has a meaning, its value has none.
    """

    source = (
        "MiniMax-M1: Scaling Test-Time Compute Efficiently with Lightning Attention (2025, arXiv "
        "2506.13585)"
    )

    def __call__(self, tokens: Tokens) -> torch.Tensor:
        """Return the gain (B, K)."""
        low, high = self.bounds(tokens)
        return tokens.ratio.clamp(low, high).detach() * tokens.advantages * tokens.logprobs


@surrogate("gppo")
@dataclass(frozen=True)
class Gppo(Clip):
    """Clip the ratio's value and keep a bounded gradient: the bound b becomes `b r / sg(r)`.

    Where PPO clips, the value is the same, and the gradient is that of `b A log p` and not 0. Left
    out: the paper's supervised loss on right replies.
    """

    source = (
        "Klear-Reasoner: Advancing Reasoning Capability via Gradient-Preserving Clipping Policy "
        "Optimization (2025, arXiv 2508.07629)"
    )

    def __call__(self, tokens: Tokens) -> torch.Tensor:
        """Return the gain (B, K)."""
        low, high = self.bounds(tokens)
        ratio = tokens.ratio  # (B, K)
        share = (ratio.clamp(low, high) / ratio).detach()  # (B, K)
        return (ratio * tokens.advantages).minimum(share * ratio * tokens.advantages)


@surrogate("dcpo")
@dataclass(frozen=True)
class Dcpo(Surrogate):
    """Clip by bounds that are wider for rare tokens.

    They go from `(1 + sqrt(max(1 - 4 low / q, 0))) / 2` to `(1 + sqrt(1 + 4 high / q)) / 2`, where
    q is the old probability.

    Left out: the smooth standardisation of advantages over steps, the loss without a batch mean.
    """

    source = "DCPO: Dynamic Clipping Policy Optimization (2025, arXiv 2509.02333)"

    low: float = 0.16  # width of the lower bound, >= 0
    high: float = 0.2  # width of the upper bound, >= 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low < 0 or self.high < 0:
            raise ValueError(f"low and high must be at least 0, got {self.low!r} and {self.high!r}")

    def bounds(self, tokens: Tokens) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the bounds of the ratio of each token (B, K)."""
        inverse = (-tokens.old).exp()  # (B, K)
        low = (1 + (1 - 4 * self.low * inverse).clamp(min=0).sqrt()) / 2  # (B, K)
        return low, (1 + (1 + 4 * self.high * inverse).sqrt()) / 2

    def __call__(self, tokens: Tokens) -> torch.Tensor:
        """Return the clipped gain (B, K)."""
        low, high = self.bounds(tokens)
        bounded = tokens.ratio.clamp(low, high)  # (B, K)
        return (tokens.ratio * tokens.advantages).minimum(bounded * tokens.advantages)


@surrogate("topr")
@dataclass(frozen=True)
class Topr(Surrogate):
    """Taper wrong episodes off-policy, never right ones.

    The objective is `A log p`, where A < 0 times `sg(clip(r, 0, high))`; r is the ratio of the
    whole episode in the paper: `ratio="product"`. On-policy it is REINFORCE. Only its gradient has
    a meaning.
    """

    source = (
        "Tapered Off-Policy REINFORCE: Stable and efficient reinforcement learning for LLMs (2025, "
        "arXiv 2503.14286)"
    )

    high: float = 1.0  # largest weight of a wrong episode

    def bounds(self, tokens: Tokens) -> tuple[float, float]:
        """Return 0 and `high`."""
        return 0.0, self.high

    def __call__(self, tokens: Tokens) -> torch.Tensor:
        """Return the gain (B, K)."""
        tapered = tokens.ratio.clamp(0, self.high).detach()  # (B, K)
        weight = tapered.where(tokens.advantages < 0, 1.0)  # (B, K)
        return weight * tokens.advantages * tokens.logprobs


@surrogate("mdpo")
@dataclass(frozen=True)
class Mdpo(Surrogate):
    """Hold the policy near the one that sampled by a divergence: `r A - kl (r log r - r + 1)`.

    The bracket estimates KL(policy || sampling policy) from the latter's tokens without bias, and
    so does its gradient: several `passes` are mirror descent steps. Left out: the schedule of
    `1 / kl`, the off-policy form.
    """

    source = "Mirror Descent Policy Optimization (2020, arXiv 2005.09814)"

    kl: float = 1.0  # weight of the divergence, the inverse of the step size

    def __call__(self, tokens: Tokens) -> torch.Tensor:
        """Return the gain (B, K)."""
        ratio = tokens.ratio  # (B, K)
        divergence = ratio.xlogy(ratio) - ratio + 1  # (B, K)
        return ratio * tokens.advantages - self.kl * divergence
