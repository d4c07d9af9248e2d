"""KL(policy || reference) estimated from sampled tokens; each takes and returns (B, K).

Names after Schulman's note "Approximating KL Divergence" (2020). With p the probability of a
sampled token under the policy and q under the reference, k1 and k3 have the right mean and k2 has
not, but their gradients differ in another way: on average that of k1 is 0, that of k2 is the
gradient of KL(policy || reference), and that of k3 is the gradient of KL(reference || policy). So
k1 belongs into the reward, k2 and k3 into the loss. Multiplied by the ratio between the policy and
the one that sampled (`kl_weighted`), k1 and k3 have the right gradient too, as in "DeepSeek-V3.2:
Pushing the Frontier of Open Large Language Models" (2025, arXiv 2512.02556).
"""

from collections.abc import Callable, Mapping

import torch

Divergence = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def k1(logprobs: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    """`log(p/q)`: unbiased, negative at times."""
    return logprobs - reference


def k2(logprobs: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    """`log(p/q)^2 / 2`: never negative; its bias is small where the two are close."""
    return (logprobs - reference).square() / 2


def k3(logprobs: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    """`q/p - log(q/p) - 1`: unbiased and never negative; "DeepSeekMath" (2024, arXiv 2402.03300)
    has it in the loss.
    """
    difference = reference - logprobs  # (B, K)
    return difference.exp() - difference - 1


DIVERGENCES: Mapping[str, Divergence] = {"k1": k1, "k2": k2, "k3": k3}
