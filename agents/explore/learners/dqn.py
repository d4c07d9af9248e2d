"""Exploration with discrete actions: double DQN.

"Deep Reinforcement Learning with Double Q-learning" (2015, arXiv 1509.06461). Left out: priorities,
duelling heads. Compare with `ddpg.py`.
"""

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from zerogym.agents.explore.learners.base import Explorer
from zerogym.agents.explore.rewards.base import Batch, Metrics, mlp


class DQN(Explorer):
    """Q-learning with an epsilon-greedy policy."""

    def _build(self) -> dict[str, nn.Module]:
        self.values = mlp(self.inputs, self.shape.hidden, self.shape.actions)
        self.targets = copy.deepcopy(self.values).requires_grad_(False)
        return {"values": self.values, "targets": self.targets}

    def _choose(self, inputs: Tensor, rng: np.random.Generator) -> NDArray[Any]:
        if rng.random() < self.config.epsilon:
            return np.asarray(rng.integers(self.shape.actions))
        return np.asarray(int(self.values(inputs)[0].argmax()))

    def _learn(self, batch: Batch, rewards: Tensor, discounts: Tensor) -> Metrics:
        with torch.no_grad():
            best = self.values(batch.next_inputs).argmax(dim=1, keepdim=True)  # (n, 1)
            next_values = self.targets(batch.next_inputs).gather(1, best)[:, 0]  # (n,)
            target = rewards + discounts * next_values
        value = (self.values(batch.inputs) * batch.actions).sum(dim=1)  # (n,)
        loss = functional.smooth_l1_loss(value, target)
        self.step(loss, "values")
        self.move(self.targets, self.values)
        return {"critic/loss": loss.detach(), "critic/value": value.mean().detach()}
