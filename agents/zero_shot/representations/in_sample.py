"""A value of tasks from the actions of the data alone, beside the measure of future states.

"Towards Robust Zero-Shot Reinforcement Learning" (2025, arXiv 2510.15382), with the formulas of its
public code. V(s, z) is the expectile of F(s, a, z)'z, the least of the heads, over the actions of
the data: near expectile 1 it is the largest that the data have, and F is read at no other action.
F'z is drawn to r_z(s') + gamma V(s', z) with a small weight, where r_z(s') = B(s')'E[BB']^-1 z.
V has no slow copy, as theirs; ours is its network, that of F in small worlds.
"""

import torch
from torch import Tensor

from zerogym.agents.zero_shot.models.networks import Product
from zerogym.agents.zero_shot.representations.fb_losses import Metrics
from zerogym.agents.zero_shot.representations.representations import Measure, Step


class InSampleMeasure(Measure):
    """The measure with a value V(s, z) of its own.

    Args:
        features: Numbers in an encoded observation.
        dim: d.
        hidden: Width of V's hidden layers.
        expectile: Of V, in (0, 1).
        weight: Of the error of F'z against V.
    """

    def __init__(
        self, features: int, dim: int, hidden: int, expectile: float, weight: float
    ) -> None:
        super().__init__()
        self.net = Product(1, features, dim, hidden, 1)
        self.expectile, self.weight = expectile, weight

    def value(self, features: Tensor, z: Tensor) -> Tensor:
        """Return V(s, z); (n, k), (n, d) -> (n,)."""
        return self.net(features, z)[0, :, 0]

    def loss(self, step: Step) -> tuple[Tensor, Metrics]:
        """Return the loss of F, B and V."""
        loss, metrics = super().loss(step)
        value = value_expectile_loss(
            step.forward, self.value(step.here, step.z), step.z, self.expectile
        )
        with torch.no_grad():
            points = step.target_backward(step.points)  # (m, d)
            covariance = points.T @ (points * step.contrast.frequency[:, None])  # (d, d)
            weights = step.z @ torch.linalg.pinv(covariance, hermitian=True)  # (n, d)
            rewards = (step.target_backward(step.there) * weights).sum(-1)  # (n,)
            after = step.goes_on * self.value(step.there, step.z)  # (n,)
        drawn = towards_value_loss(step.forward, rewards + step.config.gamma * after, step.z)
        metrics |= {"value/loss": value.detach(), "value/drawn": drawn.detach()}
        return loss + value + self.weight * drawn, metrics


def value_expectile_loss(forward: Tensor, value: Tensor, z: Tensor, expectile: float) -> Tensor:
    """Return the expectile regression of V to the least F'z of the heads.

    Args:
        forward: F at the actions of the data, (H, n, d); it gets no gradient.
        value: V(s, z), (n,).
        z: (n, d).
        expectile: In (0, 1).
    """
    least = (forward.detach() * z).sum(-1).min(0).values  # (n,)
    error = least - value
    return (torch.where(error < 0, 1 - expectile, expectile) * error.square()).mean()


def towards_value_loss(forward: Tensor, target: Tensor, z: Tensor) -> Tensor:
    """Return 1/2 E[(F'z - target)^2], summed over the heads; (H, n, d), (n,) and (n, d) to ()."""
    error = (forward * z).sum(-1) - target  # (H, n)
    return 0.5 * error.square().mean(-1).sum()
