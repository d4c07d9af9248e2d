"""Exploring with continuous actions: DDPG with two critics.

"Continuous control with deep reinforcement learning" (2015, arXiv 1509.02971), with the smaller of
two critics and target noise after "Addressing Function Approximation Error in Actor-Critic Methods"
(2018, arXiv 1802.09477). Left out: a target actor, delayed actor steps. Compare with `dqn.py`.
"""

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from zerogym.agents.explore.intrinsic import Batch, Metrics, mlp
from zerogym.agents.explore.skeleton import Explorer

NOISE_CLIP = 0.3  # largest target noise, as in URLB


class DDPG(Explorer):
    """An actor in [-1, 1] and two critics."""

    def _build(self) -> dict[str, nn.Module]:
        width, actions = self.shape.hidden, self.shape.actions
        self.actor = nn.Sequential(mlp(self.inputs, width, actions), nn.Tanh())
        self.critics = nn.ModuleList(mlp(self.inputs + actions, width, 1) for _ in range(2))
        self.targets = copy.deepcopy(self.critics).requires_grad_(False)
        return {"actor": self.actor, "critics": self.critics, "targets": self.targets}

    def _choose(self, inputs: Tensor, rng: np.random.Generator) -> NDArray[Any]:
        action = self.actor(inputs)[0].numpy()
        noise = self.config.noise * rng.standard_normal(len(action), dtype=np.float32)
        return np.clip(action + noise, -1.0, 1.0)

    def _learn(self, here: Tensor, batch: Batch, pay: Tensor, there: Tensor, on: Tensor) -> Metrics:
        with torch.no_grad():
            following = self._noisy(self.actor(there))  # (n, m)
            target = pay + on * self._values(self.targets, there, following).min(dim=0).values
        values = self._values(self.critics, here, batch.actions)  # (2, n)
        loss = (values - target).square().mean()
        self.step(loss, "critics")
        self.critics.requires_grad_(False)  # else their gradients would be computed for nothing
        worth = self._values(self.critics, here, self.actor(here)).min(dim=0).values.mean()
        self.step(-worth, "actor")
        self.critics.requires_grad_(True)
        self.move(self.targets, self.critics)
        return {"critic/loss": loss.detach(), "critic/value": values.mean().detach()}

    def _values(self, critics: nn.Module, here: Tensor, actions: Tensor) -> Tensor:
        """Q of each critic, (2, n)."""
        given = torch.cat([here, actions], dim=1)
        return torch.stack([critic(given)[:, 0] for critic in critics.children()])

    def _noisy(self, actions: Tensor) -> Tensor:
        noise = torch.randn(actions.shape, generator=self.generator) * self.config.noise
        return (actions + noise.clamp(-NOISE_CLIP, NOISE_CLIP)).clamp(-1, 1)
