"""The forward-backward losses, as pure functions of tensors.

With M(s, a, X) the expected discounted visits to X from the next state on, and rho the distribution
of the data, F and B are trained so that M(s, a, ds') = F(s, a, z)'B(s') rho(ds'). Papers: "Learning
One Representation to Optimize All Rewards" (2021, arXiv 2103.07945) and "Does Zero-Shot
Reinforcement Learning Exist?" (2022, arXiv 2209.14935). Shapes: H heads, n transitions, m contrast
points at which the measure is compared, d dimensions.

Convention of the orthonormality loss: 1/2 E[(B'B~)^2] - E[|B|^2], whose minimum is at E[BB'] = I.
Public code also has it without the 1/2 (a weight of 1 there is a weight of 2 here).

Large batches are summed without any n x n matrix: the squared products of all pairs sum to a
product of two Gram matrices, sum_ij (l_i'r_j)^2 = <L'L, R'R>, of d x d numbers each.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from zerogym.agents.zero_shot.config import FBConfig

Metrics = dict[str, Tensor]
# Points a dimension up to which n x n matrices are taken; beyond them Gram matrices are. Measured
# on one core, two heads, both losses and their gradients: n = 256, d = 64, just on the border,
# takes 2.5 ms with the former and 2.1 ms with the latter; n = 512, d = 100 takes 11 and 6.8;
# n = 1,024, d = 100 takes 49 and 13. A lower border would be a little faster there, and change the
# bits of what the preset of PointMaze learns.
FEW = 4


class Contrast(NamedTuple):
    """Points at which the measure of n transitions is compared, and their weights.

    Attributes:
        density: (1, m) or (n, m): weight of point j for transition i; each row sums to 1.
        positive: (n,) index of the point that is the transition's own next state.
        frequency: (m,) probability of each point under the data; sums to 1.
        pairs: (1, m) or (m, m): weight of point j beside point i; each row sums to 1.
        in_batch: Whether point i is the next state of transition i, and all others count alike.
    """

    density: Tensor
    positive: Tensor
    frequency: Tensor
    pairs: Tensor
    in_batch: bool = False

    def many(self, dim: int) -> bool:
        """Return whether Gram matrices of `dim` dimensions are cheaper, with the same result."""
        return self.in_batch and len(self.frequency) > FEW * dim


def batch_contrast(n: int, device: torch.device | str = "cpu") -> Contrast:
    """Return in-batch negatives: the next states of the batch but a transition's own."""
    others = (1 - torch.eye(n, device=device)) / (n - 1)  # (n, n)
    even = torch.full((n,), 1 / n, device=device)
    return Contrast(others, torch.arange(n, device=device), even, others, True)


def exact_contrast(frequency: Tensor, positive: Tensor) -> Contrast:
    """Return the full expectation over a finite space: the points are all its m states."""
    row = frequency[None, :]  # (1, m)
    return Contrast(row, positive, frequency, row)


def measure_loss(
    forward: Tensor, backward: Tensor, target: Tensor, contrast: Contrast, gamma: float
) -> tuple[Tensor, Metrics]:
    """Return the Bellman residual of the measure, summed over the heads (2021, arXiv 2103.07945).

    Args:
        forward: F(s_i, a_i, z_i), (H, n, d).
        backward: B of the contrast points, (m, d).
        target: The target networks' measure at s'_i under pi_z, (n, m); no gradient.
        contrast: Weights and positives.
        gamma: Discount.
    """
    measure = forward @ backward.T  # (H, n, m)
    residual = (measure - gamma * target).square()  # (H, n, m)
    bellman = 0.5 * (residual * contrast.density).sum(-1).mean(-1).sum()
    rows = torch.arange(measure.shape[1], device=measure.device)
    own = measure[:, rows, contrast.positive].mean(-1).sum()
    return _less_own(bellman, own)


def factored_measure_loss(
    forward: Tensor, backward: Tensor, following: Tensor, target_backward: Tensor, gamma: float
) -> tuple[Tensor, Metrics]:
    """Return `measure_loss` in a batch whose target is a product of two factors, by Gram matrices.

    Args:
        forward: F(s_i, a_i, z_i), (H, n, d).
        backward: B(s'_i), (n, d).
        following: Mean over the heads of the target networks' F at s'_i, (n, d); no gradient.
        target_backward: The target network's B(s'_i), (n, d); no gradient.
        gamma: Discount.
    """
    target = (-gamma * following).expand_as(forward)  # (H, n, d)
    left = torch.cat([forward, target], -1)  # (H, n, 2d)
    right = torch.cat([backward, target_backward], -1)  # (n, 2d)
    bellman = 0.5 * mean_square_of_others(left, right).sum()
    return _less_own(bellman, (forward * backward).sum(-1).mean(-1).sum())


def mean_square_of_others(left: Tensor, right: Tensor) -> Tensor:
    """Return the mean of (left_i'right_j)^2 over i != j; (..., n, k) and (n, k) to (...)."""
    n = len(right)
    pairs = ((left.mT @ left) * (right.T @ right)).sum((-2, -1))  # (...)
    own = (left * right).sum(-1).square().sum(-1)  # (...)
    return (pairs - own) / (n * (n - 1))


def _less_own(bellman: Tensor, own: Tensor) -> tuple[Tensor, Metrics]:
    loss = bellman - own
    metrics = {"forward/loss": loss, "forward/bellman": bellman, "forward/own": own}
    return loss, {name: value.detach() for name, value in metrics.items()}


def orthonormality_loss(backward: Tensor, contrast: Contrast) -> tuple[Tensor, Metrics]:
    """Return the loss that pushes E[BB'] to the identity; the module docstring has the factor 1/2.

    Args:
        backward: B of the contrast points, (m, d).
        contrast: Weights.
    """
    if contrast.many(backward.shape[1]):
        apart = 0.5 * mean_square_of_others(backward, backward)
        length = backward.square().sum(-1).mean()
    else:
        products = backward @ backward.T  # (m, m)
        weights = contrast.frequency[:, None] * contrast.pairs  # (m, m)
        apart = 0.5 * (products.square() * weights).sum()
        length = (products.diagonal() * contrast.frequency).sum()
    loss = apart - length
    metrics = {"backward/orthonormality": loss, "backward/length": length}
    return loss, {name: value.detach() for name, value in metrics.items()}


def actor_loss(forward: Tensor, z: Tensor) -> tuple[Tensor, Metrics]:
    """Return minus the value of the actor's actions, by the lower head for each.

    Args:
        forward: F(s_i, actor(s_i, z_i), z_i), (H, n, d).
        z: (n, d).
    """
    values = (forward * z).sum(-1)  # (H, n)
    value = values.min(0).values.mean()
    return -value, {"actor/loss": -value.detach(), "actor/value": value.detach()}


def near_data_loss(
    loss: Tensor, action: Tensor, data_action: Tensor, weight: float
) -> tuple[Tensor, Metrics]:
    """Return the actor's loss on the scale of 1, plus the distance to the data's actions.

    "A Minimalist Approach to Offline Reinforcement Learning" (2021, arXiv 2106.06860), whose alpha
    is 1 / `weight`; the scale is the absolute mean value of the batch: our choice.

    Args:
        loss: Minus the mean value of the actor's actions.
        action: The actor's actions, (n, m).
        data_action: The data's, (n, m).
        weight: Of their mean squared difference.
    """
    apart = (action - data_action).square().mean()
    return loss / loss.detach().abs().clamp(min=1e-6) + weight * apart, {
        "actor/from_data": apart.detach()
    }


def value_loss(
    forward: Tensor, following: Tensor, rewards: Tensor, z: Tensor, config: FBConfig
) -> tuple[Tensor, Metrics]:
    """Return the Bellman residual of F'z alone, summed over the heads (2022, arXiv 2209.14935).

    It is 1/2 E[(F'z - target)^2], with the 1/2 of `measure_loss`; public code of successor features
    has it without (a weight of 1 there is a weight of 2 here).

    Args:
        forward: F(s_i, a_i, z_i), (H, n, d).
        following: F at s'_i under pi_z by the target networks, (H or 1, n, d); no gradient.
        rewards: The reward of z, at s'_i, (n,).
        z: (n, d).
        config: Settings.
    """
    values = across_heads((following * z).sum(-1), config.pessimism)  # (n,)
    residual = (forward * z).sum(-1) - (rewards + config.gamma * values)  # (H, n)
    loss = 0.5 * residual.square().mean(-1).sum()
    return loss, {"forward/value_loss": loss.detach()}


def lower_head(forward: Tensor, z: Tensor) -> Tensor:
    """Return for each transition the vector of the head with the lower F'z; (H, n, d) to (n, d)."""
    lowest = (forward * z).sum(-1).argmin(0)  # (n,)
    return forward[lowest, torch.arange(len(z), device=z.device)]


def across_heads(values: Tensor, pessimism: float) -> Tensor:
    """Return (1 - pessimism) mean + pessimism minimum over the first dimension."""
    if pessimism == 0:
        return values.mean(0)
    return (1 - pessimism) * values.mean(0) + pessimism * values.min(0).values
