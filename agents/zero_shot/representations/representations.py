"""Objectives of F and B: a successor measure, or successor features of a learned phi.

The two share everything else (networks, data, z, policy):

- forward-backward: F'B is the measure of future states (`Measure`);
- successor features: F (then called psi) is the expected discounted sum of B (then called phi)
  from the next state on, and phi has a loss of its own (`SuccessorFeatures`).

"Does Zero-Shot Reinforcement Learning Exist?" (2022, arXiv 2209.14935) compares them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.representations.fb_losses import (
    Contrast,
    Metrics,
    across_heads,
    factored_measure_loss,
    lower_head,
    measure_loss,
    orthonormality_loss,
    value_loss,
)


@dataclass(frozen=True)
class Step:
    """Inputs of the losses of one gradient step: n transitions, H heads.

    Attributes:
        config: Settings.
        z: (n, d).
        here, there: Encoded observations before and after, (n, k).
        later: Encoded observations some steps after, (n, k); empty unless `looks_ahead`.
        actions: (n, A) one-hot, or (n, m).
        forward: F(s, a, z), (H, n, d).
        following: The target networks' F at the next state under the policy of z, (H, n, d).
        points: Points at which a measure is compared, (m, k).
        contrast: Weights of the points.
        backward, target_backward: B, and its slow copy.
        goes_on: (n,) 0 where the step ended its episode.
    """

    config: FBConfig
    z: Tensor
    here: Tensor
    there: Tensor
    later: Tensor
    actions: Tensor
    forward: Tensor
    following: Tensor
    points: Tensor
    contrast: Contrast
    backward: Callable[[Tensor], Tensor]
    target_backward: Callable[[Tensor], Tensor]
    goes_on: Tensor


class Representation(ABC, nn.Module):
    """Losses of F and B, and the networks that only they need."""

    looks_ahead = False  # whether the loss needs `Step.later`

    @abstractmethod
    def loss(self, step: Step) -> tuple[Tensor, Metrics]:
        """Return the loss of F, B and this module's own parameters."""


class Measure(Representation):
    """Forward-backward: F(s, a, z)'B(s') is the density of s' among the states to come."""

    def loss(self, step: Step) -> tuple[Tensor, Metrics]:
        config = step.config
        backward = step.backward(step.points)  # (m, d)
        loss, metrics = self._residual(step, backward)
        apart, more = orthonormality_loss(backward, step.contrast)
        loss = loss + config.orthonormality * apart
        if config.q_loss > 0:
            with torch.no_grad():  # the reward of z at the next states: B(s')' E[BB']^-1 z
                points = step.target_backward(step.points)  # (m, d)
                entered = step.target_backward(step.there)  # (n, d)
                covariance = points.T @ (points * step.contrast.frequency[:, None])  # (d, d)
                weights = step.z @ torch.linalg.pinv(covariance, hermitian=True)  # (n, d)
                rewards = (entered * weights).sum(-1)  # (n,)
            value, extra = value_loss(step.forward, step.following, rewards, step.z, config)
            loss, more = loss + config.q_loss * value, more | extra
        return loss, metrics | more

    def _residual(self, step: Step, backward: Tensor) -> tuple[Tensor, Metrics]:
        config, contrast = step.config, step.contrast
        with torch.no_grad():
            slow = step.target_backward(step.points)  # (m, d)
        if config.pessimism == 0 and contrast.many(backward.shape[1]):
            following = step.following.mean(0)  # (n, d)
            return factored_measure_loss(step.forward, backward, following, slow, config.gamma)
        targets = across_heads(step.following @ slow.T, config.pessimism)  # (n, m)
        return measure_loss(step.forward, backward, targets, contrast, config.gamma)


class SuccessorFeatures(Representation):
    """psi(s, a, z) = E[sum_t gamma^t phi(s_{t+1})] under the policy of z.

    Args:
        features: The loss of phi.
    """

    def __init__(self, features: "FeatureLoss") -> None:
        super().__init__()
        self.features = features
        self.looks_ahead = features.looks_ahead

    def loss(self, step: Step) -> tuple[Tensor, Metrics]:
        config = step.config
        with torch.no_grad():
            entered = step.backward(step.there)  # (n, d)
            share, mean = config.pessimism, step.following.mean(0)
            following = (1 - share) * mean + share * lower_head(step.following, step.z)
        if config.q_loss > 0:
            rewards = (entered * step.z).sum(-1)  # (n,)
            summed, metrics = value_loss(step.forward, following[None], rewards, step.z, config)
            summed = config.q_loss * summed
        else:
            target = entered + config.gamma * following  # (n, d)
            summed = (step.forward - target).square().mean((1, 2)).sum()
            metrics = {"forward/loss": summed.detach()}
        own, more = self.features.loss(step)
        return summed + own, metrics | more


class FeatureLoss(nn.Module):
    """Loss of phi (the network B); this base class leaves phi at its initial weights."""

    looks_ahead = False

    def loss(self, step: Step) -> tuple[Tensor, Metrics]:
        """Return the loss of phi and of this module's own networks."""
        return step.forward.new_zeros(()), {}
