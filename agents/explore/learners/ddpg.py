"""Exploration with continuous actions: DDPG with two critics.

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
ACTION_PENALTY = 0.01  # weight of the squared actor output before tanh; our choice


class DDPG(Explorer):
    """An actor and two critics.

    A penalty keeps the actor's outputs off the flat ends of tanh, where its gradient vanishes and a
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

    def _learn(self, batch: Batch, rewards: Tensor, discounts: Tensor) -> Metrics:
        with torch.no_grad():
            actions = self.actor(batch.next_inputs).tanh()  # (n, m)
            noise = torch.randn(actions.shape, generator=self.generator) * self.config.noise
            actions = (actions + noise.clamp(-NOISE_CLIP, NOISE_CLIP)).clamp(-1, 1)
            next_values = self._values(self.targets, batch.next_inputs, actions)  # (2, n)
            target = rewards + discounts * next_values.min(dim=0).values  # (n,)
        values = self._values(self.critics, batch.inputs, batch.actions)  # (2, n)
        loss = (values - target).square().mean()
        self.step(loss, "critics")
        self.critics.requires_grad_(False)  # saves their gradients in the actor's step
        outputs = self.actor(batch.inputs)  # (n, m)
        value = self._values(self.critics, batch.inputs, outputs.tanh()).min(dim=0).values.mean()
        self.step(ACTION_PENALTY * outputs.square().mean() - value, "actor")
        self.critics.requires_grad_(True)
        self.move(self.targets, self.critics)
        return {"critic/loss": loss.detach(), "critic/value": values.mean().detach()}

    def _values(self, critics: nn.Module, inputs: Tensor, actions: Tensor) -> Tensor:
        """Return Q of each critic, (2, n)."""
        values: Tensor = critics(torch.cat([inputs, actions], dim=1))[:, :, 0]
        return values
