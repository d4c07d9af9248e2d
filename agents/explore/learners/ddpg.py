"""Exploring with continuous actions: DDPG with two critics.

"Continuous control with deep reinforcement learning" (2015, arXiv 1509.02971), with the smaller of
two critics and target noise after "Addressing Function Approximation Error in Actor-Critic Methods"
(2018, arXiv 1802.09477); networks and noise as in URLB (2021, arXiv 2110.15191), narrower. Left
out: a target actor, delayed actor steps. Compare with `dqn.py`.
"""

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from zerogym.agents.explore.learners.base import Explorer
from zerogym.agents.explore.networks import Ensemble, normed
from zerogym.agents.explore.rewards.base import Batch, Metrics

NOISE_CLIP = 0.3  # largest target noise, as in URLB
SLACK = 0.01  # what a squared number before the actor's tanh costs; our choice


class DDPG(Explorer):
    """An actor and two critics.

    The actor's numbers are held back where tanh is flat: there it would no longer learn, and a
    point that runs into a corner would stay.
    """

    def _build(self) -> dict[str, nn.Module]:
        width, actions = self.shape.hidden, self.shape.actions
        self.actor = normed(self.inputs, width, actions)
        self.critics = Ensemble(2, self.inputs + actions, width, 1, normed=True)
        self.targets = copy.deepcopy(self.critics).requires_grad_(False)
        return {"actor": self.actor, "critics": self.critics, "targets": self.targets}

    def _choose(self, inputs: Tensor, rng: np.random.Generator) -> NDArray[Any]:
        action = self.actor(inputs)[0].tanh().numpy()
        noise = self.config.noise * rng.standard_normal(len(action), dtype=np.float32)
        return np.clip(action + noise, -1.0, 1.0)

    def _learn(self, here: Tensor, batch: Batch, pay: Tensor, there: Tensor, on: Tensor) -> Metrics:
        with torch.no_grad():
            following = self._noisy(self.actor(there).tanh())  # (n, m)
            target = pay + on * self._values(self.targets, there, following).min(dim=0).values
        values = self._values(self.critics, here, batch.actions)  # (2, n)
        loss = (values - target).square().mean()
        self.step(loss, "critics")
        self.critics.requires_grad_(False)  # else their gradients would be computed for nothing
        wanted = self.actor(here)  # (n, m)
        worth = self._values(self.critics, here, wanted.tanh()).min(dim=0).values.mean()
        self.step(SLACK * wanted.square().mean() - worth, "actor")
        self.critics.requires_grad_(True)
        self.move(self.targets, self.critics)
        return {"critic/loss": loss.detach(), "critic/value": values.mean().detach()}

    def _values(self, critics: nn.Module, here: Tensor, actions: Tensor) -> Tensor:
        """Q of each critic, (2, n)."""
        found: Tensor = critics(torch.cat([here, actions], dim=1))[:, :, 0]
        return found

    def _noisy(self, actions: Tensor) -> Tensor:
        noise = torch.randn(actions.shape, generator=self.generator) * self.config.noise
        return (actions + noise.clamp(-NOISE_CLIP, NOISE_CLIP)).clamp(-1, 1)
