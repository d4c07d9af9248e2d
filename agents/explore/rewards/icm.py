"""ICM: reward of the error of a forward model, in features of an inverse model.

"Curiosity-driven Exploration by Self-supervised Prediction" (2017, arXiv 1705.05363): an inverse
model predicts the action from the features of both states, which shapes the features; a forward
model predicts the features of the next state, and half its squared error is the reward. The loss is
(1 - BETA) inverse + BETA forward. Left out: the weight of the policy's own loss.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from zerogym.agents.explore.rewards.base import Batch, Intrinsic, Metrics, Shape, mlp

BETA = 0.2  # the paper's


class ICM(Intrinsic):
    """Intrinsic curiosity module."""

    def __init__(self, shape: Shape, features: int = 32, beta: float = BETA) -> None:
        super().__init__(shape)
        self.beta = beta
        self.encoder: nn.Module = mlp(shape.observations, shape.hidden, features)
        self.forward_model: nn.Module = mlp(features + shape.actions, shape.hidden, features)
        self.inverse_model: nn.Module = mlp(2 * features, shape.hidden, shape.actions)

    def reward(self, batch: Batch) -> Tensor:
        here, there = self.encoder(batch.observations), self.encoder(batch.next_observations)
        predicted = self.forward_model(torch.cat([here, batch.actions], dim=1))
        return (predicted - there).square().sum(dim=1) / 2  # (n,)

    def loss(self, batch: Batch) -> tuple[Tensor, Metrics]:
        here, there = self.encoder(batch.observations), self.encoder(batch.next_observations)
        guess = self.inverse_model(torch.cat([here, there], dim=1))  # (n, m)
        inverse = (
            functional.cross_entropy(guess, batch.actions.argmax(dim=1))
            if self.shape.discrete
            else functional.mse_loss(guess, batch.actions)
        )
        forward = self.reward(batch).mean()
        metrics = {"icm/forward": forward.detach(), "icm/inverse": inverse.detach()}
        return (1 - self.beta) * inverse + self.beta * forward, metrics
