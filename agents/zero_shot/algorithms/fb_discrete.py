"""Forward-backward learning with discrete actions: pi_z(s) = argmax_a F(s, a, z)'z.

"Learning One Representation to Optimize All Rewards" (2021, arXiv 2103.07945). The target policy is
a softmax of the target networks' values: near-ties then share their visits, which our measurements
on small mazes put far above the argmax (temperature 0). Left out: training on fresh data.
Compare with `fb_continuous.py`: same methods, same order.
"""

from typing import ClassVar

import torch
from torch import Tensor

from zerogym.agents.zero_shot.algorithms.base import FBAgent
from zerogym.agents.zero_shot.algorithms.computing import Draws
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.data.tensor_dataset import Batch
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.representations.fb_losses import across_heads


class DiscreteFB(FBAgent):
    """Forward-backward agent for `Discrete` actions; no actor: the policy is greedy in F'z."""

    discrete: ClassVar[bool] = True

    def __init__(self, config: FBConfig, model: FBModel, seed: int = 0) -> None:
        for name in ("bc", "flow_bc"):
            if getattr(config, name) > 0:
                raise ValueError(f"FBConfig.{name} needs an actor: discrete actions have none")
        super().__init__(config, model, seed)

    def draw_noise(self) -> Draws:
        """Draw nothing: the policy has no noise."""
        return {}

    @torch.no_grad()
    def following(self, batch: Batch, z: Tensor, drawn: Draws) -> Tensor:
        """Return F at s' under pi_z by the target networks, (H, n, d); no gradient."""
        forward = self.target_forward(batch.next_features, z)  # (H, n, A, d)
        values = torch.einsum("hnad,nd->hna", forward, z)  # (H, n, A)
        mixed = across_heads(values, self.config.pessimism)  # (n, A)
        policy = self.target_policy(self.bounded(mixed, batch.next_features, z))  # (n, A)
        return torch.einsum("hnad,na->hnd", forward, policy)

    def forward_of(self, batch: Batch, z: Tensor) -> Tensor:
        """Return F(s, a, z) at the actions of the data, (H, n, d)."""
        forward = self.model.forward_net(batch.features, z)  # (H, n, A, d)
        rows = torch.arange(len(batch.actions), device=forward.device)
        return forward[:, rows, batch.actions]

    def candidates_of(self, batch: Batch, z: Tensor, drawn: Draws) -> Tensor:
        """Return F(s, ., z) of every action, (H, n, A, d)."""
        return self.model.forward_net(batch.features, z)

    def coded(self, actions: Tensor) -> Tensor:
        """Return one-hot actions, (n, A)."""
        return _one_hot(actions, self.model.shape.actions).float()

    def bounded(self, values: Tensor, features: Tensor, z: Tensor) -> Tensor:
        """Return the values (n, A) of the actions that a target may take: of all."""
        return values

    def target_policy(self, values: Tensor) -> Tensor:
        """Return the probabilities (n, A) of actions with these values (n, A)."""
        if self.config.temperature == 0:
            return _one_hot(values.argmax(-1), values.shape[-1]).to(values)
        return torch.softmax(values / self.config.temperature, -1)


def _one_hot(index: Tensor, count: int) -> Tensor:
    # `torch.nn.functional.one_hot` reads the values: it synchronises with a GPU and fails in vmap.
    return index[..., None] == torch.arange(count, device=index.device)
