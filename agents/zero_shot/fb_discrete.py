"""Forward-backward learning with discrete actions: pi_z(s) = argmax_a F(s, a, z)'z.

"Learning One Representation to Optimize All Rewards" (2021, arXiv 2103.07945). The target policy is
a softmax of the target networks' values: near-ties then share their visits, which our measurements
on small mazes put far above the argmax (temperature 0). Left out: training on fresh data.
Compare with `fb_continuous.py`: same methods, same order.
"""

from typing import ClassVar

import torch
from torch import Tensor

from zerogym.agents.zero_shot.agent import Batch, FBAgent, Memory
from zerogym.agents.zero_shot.losses import (
    Metrics,
    across_heads,
    measure_loss,
    orthonormality_loss,
)


class DiscreteFB(FBAgent):
    """Forward-backward agent for `Discrete` actions; no actor: the policy is greedy in F'z."""

    discrete: ClassVar[bool] = True

    @torch.no_grad()
    def measure_targets(self, batch: Batch, points: Tensor, z: Tensor) -> Tensor:
        """The measure at s' under pi_z by the target networks, (n, m); no gradient."""
        forward = self.target_forward(batch.next_features, z)  # (H, n, A, d)
        values = torch.einsum("hnad,nd->hna", forward, z)  # (H, n, A)
        policy = self.target_policy(across_heads(values, self.config.pessimism))  # (n, A)
        chosen = torch.einsum("hnad,na->hnd", forward, policy)  # (H, n, d)
        measures = chosen @ self.target_backward(points).T  # (H, n, m)
        return across_heads(measures, self.config.pessimism)

    def forward_of(self, batch: Batch, z: Tensor) -> Tensor:
        """F(s, a, z) at the actions of the data, (H, n, d)."""
        forward = self.model.forward_net(batch.features, z)  # (H, n, A, d)
        return forward[:, torch.arange(len(batch.actions)), batch.actions]

    def update(self, memory: Memory) -> Metrics:
        """One gradient step of F and B on a random batch of the memory."""
        batch, z = self.sample(memory), self.sample_z(memory)
        points, contrast = self.contrast(batch, memory)
        targets = self.measure_targets(batch, points, z)  # (n, m)
        backward = self.model.backward_net(points)  # (m, d)
        measure, metrics = measure_loss(
            self.forward_of(batch, z), backward, targets, contrast, self.config.gamma
        )
        apart, more = orthonormality_loss(backward, contrast)
        self.step(measure + self.config.orthonormality * apart, "forward", "backward")
        self.move_targets()
        self.updates += 1
        return metrics | more

    def target_policy(self, values: Tensor) -> Tensor:
        """Probabilities (n, A) of actions with these values (n, A)."""
        if self.config.temperature == 0:
            return torch.nn.functional.one_hot(values.argmax(-1), values.shape[-1]).to(values)
        return torch.softmax(values / self.config.temperature, -1)
