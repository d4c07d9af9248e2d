"""KL(policy || reference) estimated from sampled tokens; each takes and returns (B, K).

Names after Schulman's note "Approximating KL Divergence" (2020). With p the probability of a
sampled token under the policy and q under the reference, k1 and k3 have the right mean and k2 has
not, but their gradients differ in another way: on average that of k1 is 0, that of k2 is the
gradient of KL(policy || reference), and that of k3 is the gradient of KL(reference || policy). So
k1 belongs into the reward, k2 and k3 into the loss. Multiplied by the ratio between the policy and
the one that sampled (`kl_weighted`), k1 and k3 have the right gradient too, as in "DeepSeek-V3.2:
Pushing the Frontier of Open Large Language Models" (2025, arXiv 2512.02556).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerogym.agents.llm.algorithms.loss_tables import Divergence, divergence

if TYPE_CHECKING:
    import torch

_NOTE = "Approximating KL Divergence (Schulman, 2020, a note)"


@divergence("k1")
@dataclass(frozen=True)
class K1(Divergence):
    """Estimate by `log(p/q)`: unbiased, negative at times."""

    source = _NOTE

    def __call__(self, logprobs: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
        """Return `log(p/q)` (B, K)."""
        return logprobs - reference


@divergence("k2")
@dataclass(frozen=True)
class K2(Divergence):
    """Estimate by `log(p/q)^2 / 2`: never negative; its bias is small where the two are close."""

    source = _NOTE

    def __call__(self, logprobs: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
        """Return `log(p/q)^2 / 2` (B, K)."""
        return (logprobs - reference).square() / 2


@divergence("k3")
@dataclass(frozen=True)
class K3(Divergence):
    """Estimate by `q/p - log(q/p) - 1`: unbiased and never negative.

    "DeepSeekMath" (2024, arXiv 2402.03300) has it in the loss.
    """

    source = _NOTE

    def __call__(self, logprobs: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
        """Return `q/p - log(q/p) - 1` (B, K)."""
        difference = reference - logprobs  # (B, K)
        return difference.exp() - difference - 1
