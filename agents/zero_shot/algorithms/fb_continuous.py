"""Forward-backward learning with continuous actions: an actor maximises F(s, actor(s, z), z)'z.

"Does Zero-Shot Reinforcement Learning Exist?" (2022, arXiv 2209.14935), with target and actor noise
after "Addressing Function Approximation Error in Actor-Critic Methods" (2018, arXiv 1802.09477).
With a temperature, the target policy is not the actor but a softmax over random actions, which
learns faster in mazes, as in `fb_discrete.py`: our choice. Left out: a target actor and delayed
actor steps of the latter, observation noise, the auxiliary Q loss. Compare with `fb_discrete.py`:
same methods, same order.
"""

from typing import Any, ClassVar

import torch
from torch import Tensor

from zerogym.agents.zero_shot.algorithms.base import FBAgent
from zerogym.agents.zero_shot.algorithms.computing import Draws
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.data.tensor_dataset import Batch
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.representations.fb_losses import (
    Metrics,
    across_heads,
    actor_loss,
    near_data_loss,
)

CANDIDATES = 24  # random actions over which the target policy is a softmax


class ContinuousFB(FBAgent):
    """Forward-backward agent for `Box` actions in [-1, 1], with a deterministic actor."""

    discrete: ClassVar[bool] = False
    target_forward: Any  # `ContinuousForward`, or `WideContinuousForward` if temperature is 0

    def __init__(self, config: FBConfig, model: FBModel, seed: int = 0) -> None:
        if config.net != "product" and config.temperature > 0:
            raise ValueError(
                f"FBConfig.temperature must be 0 for {config.net} nets with continuous actions"
            )
        super().__init__(config, model, seed)

    def draw_noise(self) -> Draws:
        """Draw the noise of the target policy, the penalty's candidates and the actor."""
        n, m = self.config.batch_size, self.model.shape.actions
        greedy = self.config.temperature == 0
        drawn = {"following": self.normal(n, m) if greedy else self.uniform(CANDIDATES, m)}
        if self.config.conservative != "none":
            drawn["uniform"] = self.uniform(6, n, m)
            drawn["near"] = self.normal(4, n, m)
        return drawn | {"actor": self.normal(n, m)}

    @torch.no_grad()
    def following(self, batch: Batch, z: Tensor, drawn: Draws) -> Tensor:
        """Return F at s' under pi_z by the target networks, (H, n, d); no gradient."""
        if self.config.temperature == 0:
            action = self.noisy_action(batch.next_features, z, drawn["following"])  # (n, actions)
            return self.target_forward(batch.next_features, action, z)
        parts = self.target_forward.parts(batch.next_features, z)  # (H, n, K, d)
        policy = self.target_policy(parts, z, drawn["following"])  # (n, K)
        return torch.einsum("hnkd,nk->hnd", parts, policy)

    def forward_of(self, batch: Batch, z: Tensor) -> Tensor:
        """Return F(s, a, z) at the actions of the data, (H, n, d)."""
        return self.model.forward_net(batch.features, batch.actions, z)

    def candidates_of(self, batch: Batch, z: Tensor, drawn: Draws) -> Tensor:
        """Return F(s, a, z) of 12 actions, (H, n, 12, d).

        Six uniform ones, two of the actor at s, two of the actor at s', twice the data's: as many
        as published. All are evaluated at s, as in the paper's formula and in the code of
        "Conservative Q-Learning for Offline Reinforcement Learning" (2020, arXiv 2006.04779); the
        published code of the penalties (2023, arXiv 2309.15178) evaluates those of s' at s'.
        """
        with torch.no_grad():
            uniform = 2 * drawn["uniform"] - 1  # (6, n, m)
            places = (batch.features, batch.features, batch.next_features, batch.next_features)
            pairs = zip(places, drawn["near"], strict=True)
            chosen = [self.noisy_action(place, z, noise) for place, noise in pairs]
        actions = torch.stack([*uniform, *chosen, batch.actions, batch.actions], 1)  # (n, 12, m)
        net: Any = self.model.forward_net
        return net.of_many(batch.features, actions, z)

    def coded(self, actions: Tensor) -> Tensor:
        """Return the actions as they are, (n, m)."""
        return actions

    def actor_loss(self, batch: Batch, z: Tensor, drawn: Draws) -> tuple[Tensor, Metrics]:
        """Return minus F'z of its actions, with `bc` plus their distance to the data."""
        action = self.noisy_action(batch.features, z, drawn["actor"])  # (n, actions)
        loss, metrics = actor_loss(self.model.forward_net(batch.features, action, z), z)
        if self.config.bc > 0:
            loss, more = near_data_loss(loss, action, batch.actions, self.config.bc)
            metrics |= more
        return loss, metrics

    def target_policy(self, parts: Tensor, z: Tensor, drawn: Tensor) -> Tensor:
        """Return the mean of the action basis under the target policy, (n, K).

        Args:
            parts: The target networks' F_k(s', z), (H, n, K, d).
            z: (n, d).
            drawn: Uniform in [0, 1), (C, actions).
        """
        basis = self.target_forward.basis
        # Uniform in [-1.5, 1.5] and clipped: each coordinate is on a face with probability 1/3,
        # because the best actions are mostly there.
        candidates = basis((3 * drawn - 1.5).clamp(-1, 1))  # (C, K)
        values = torch.einsum("hnkd,nd->hnk", parts, z) @ candidates.T  # (H, n, C)
        mixed = across_heads(values, self.config.pessimism)  # (n, C)
        return torch.softmax(mixed / self.config.temperature, -1) @ candidates

    def noisy_action(self, features: Tensor, z: Tensor, noise: Tensor) -> Tensor:
        """Return the actor's action plus clipped noise, clipped to [-1, 1]; (n, actions).

        Args:
            features: Of the states, (n, k).
            z: (n, d).
            noise: Standard normal, (n, actions).
        """
        assert self.model.actor is not None
        mean = self.model.actor(features, z)  # (n, actions)
        noise = (noise * self.config.noise).clamp(-self.config.noise_clip, self.config.noise_clip)
        # Straight-through gradient of the clipping: at the border the actor still gets one.
        return mean + ((mean + noise).clamp(-1, 1) - mean).detach()
