"""The off-policy agent of all explorers, trained on an intrinsic reward.

After "URLB: Unsupervised Reinforcement Learning Benchmark" (2021, arXiv 2110.15191): the same agent
for every explorer; rewards of each batch are computed by the present intrinsic networks, which
learn from the same batch. Our choices, so that one learning rate suits all: rewards
minus their running mean, over their running deviation (of about the last hundred batches); and
random Fourier features of the normalised observations. The mean changes no policy in environments
that never terminate. Left out: pixels, n-step returns. Continuous actions: `ddpg.py`; discrete
ones: `dqn.py`.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.explore.replay_buffer import ReplayBuffer
from zerogym.agents.explore.rewards.base import (
    Batch,
    FourierFeatures,
    Intrinsic,
    Metrics,
    RunningMoments,
    Shape,
)

_COLUMNS = ("observations", "actions", "next_observations", "terminated")


class Explorer(ABC):
    """An agent that explores.

    Subclasses make their networks in `_build`, act in `_choose` and learn from a rewarded batch in
    `_learn`.

    Args:
        config: Settings.
        size: Numbers of an observation.
        shape: Sizes after the observations are encoded.
        intrinsic: The intrinsic reward.
    """

    def __init__(
        self, config: CollectConfig, size: int, shape: Shape, intrinsic: Intrinsic
    ) -> None:
        self.config, self.shape, self.intrinsic = config, shape, intrinsic
        self.obs_moments = RunningMoments(size)
        self.reward_moments = RunningMoments(1, 100 * config.batch_size)
        self.fourier = FourierFeatures(size, config.waves, config.frequency)
        self.generator = torch.Generator().manual_seed(0)
        self.inputs = shape.observations + intrinsic.skill_size
        trained = {"intrinsic": intrinsic, **self._build()}
        # Names in checkpoints.
        fixed = {"seen": self.obs_moments, "pay": self.reward_moments, "waves": self.fourier}
        self.networks: dict[str, nn.Module] = {**fixed, **trained}
        self.optimisers = {
            name: torch.optim.Adam(weights, lr=config.lr, fused=True)
            for name, net in trained.items()
            if (weights := [w for w in net.parameters() if w.requires_grad])
        }

    @abstractmethod
    def _build(self) -> dict[str, nn.Module]:
        """Return the networks of the policy by name; those without gradients are not trained."""

    @abstractmethod
    def _choose(self, inputs: Tensor, rng: np.random.Generator) -> NDArray[Any]:
        """Return an exploring action for an encoded observation with its skill, (1, inputs)."""

    @abstractmethod
    def _learn(self, batch: Batch, rewards: Tensor, discounts: Tensor) -> Metrics:
        """Do one gradient step of the policy.

        Args:
            batch: The transitions.
            rewards: Scaled rewards, (n,).
            discounts: Discounts of the next values, (n,): 0 where the episode terminated.
        """

    def begin_shard(self, seed: int) -> None:
        """Seed the generator; a resumed run starts here."""
        self.generator.manual_seed(seed)

    @torch.no_grad()
    def act(
        self, observation: NDArray[Any], skill: NDArray[Any], rng: np.random.Generator
    ) -> NDArray[Any]:
        """Return an exploring action."""
        encoded = self.encode(torch.as_tensor(observation)[None])
        return self._choose(torch.cat([encoded, torch.as_tensor(skill)[None]], dim=1), rng)

    def encode(self, observations: Tensor) -> Tensor:
        """Return the inputs (n, k) of the networks for observations (n, size)."""
        return self.fourier(self.obs_moments.normalise(observations))

    def update(self, buffer: ReplayBuffer, rng: np.random.Generator) -> Metrics:
        """Do one gradient step of every network on a batch of the buffer."""
        names = (*_COLUMNS, "skills") if self.intrinsic.skill_size else _COLUMNS
        rows = buffer.sample(names, self.config.batch_size, rng)
        columns = dict(zip(names, rows, strict=True))
        self.obs_moments.update(columns["observations"])
        actions = columns["actions"]
        if self.shape.discrete:
            actions = functional.one_hot(actions, self.shape.actions).float()
        batch = Batch(
            self.encode(columns["observations"]),
            actions,
            self.encode(columns["next_observations"]),
            columns.get("skills", torch.zeros(len(actions), 0)),
        )
        loss, metrics = self.intrinsic.loss(batch)
        with torch.no_grad():
            rewards = self.intrinsic.reward(batch)  # (n,)
        self.step(loss, "intrinsic")
        self.intrinsic.after_update()
        self.reward_moments.update(rewards[:, None])
        scaled = self.reward_moments.normalise(rewards[:, None])[:, 0]  # (n,)
        discounts = self.config.gamma * (~columns["terminated"]).float()  # (n,)
        return {"pay": rewards.mean(), **metrics, **self._learn(batch, scaled, discounts)}

    def step(self, loss: Tensor, *names: str) -> None:
        """Do one optimiser step on a loss, for the named networks only."""
        for name in names:
            self.optimisers[name].zero_grad(set_to_none=True)
        loss.backward()
        for name in names:
            self.optimisers[name].step()

    def move(self, target: nn.Module, net: nn.Module) -> None:
        """Move a target network towards a network, by `tau`."""
        targets: list[Tensor] = list(target.parameters())
        weights: list[Tensor] = list(net.parameters())
        with torch.no_grad():
            torch._foreach_lerp_(targets, weights, self.config.tau)

    def tensors(self) -> dict[str, Tensor]:
        """Return all tensors that `load_tensors` needs to resume at the start of a shard."""
        found: dict[str, Tensor] = {}
        for name, net in self.networks.items():
            found |= {f"{name}/{key}": value for key, value in net.state_dict().items()}
        for name, optimiser in self.optimisers.items():
            for row, moments in optimiser.state_dict()["state"].items():
                found |= {f"adam/{name}/{row}/{key}": value for key, value in moments.items()}
        return found

    def load_tensors(self, found: dict[str, Tensor]) -> None:
        """Restore the state of `tensors`; KeyError or RuntimeError if they do not fit."""
        for name, net in self.networks.items():
            net.load_state_dict(below(f"{name}/", found))
        for name, optimiser in self.optimisers.items():
            state: dict[int, dict[str, Tensor]] = {}
            for key, value in below(f"adam/{name}/", found).items():
                row, _, moment = key.partition("/")
                state.setdefault(int(row), {})[moment] = value
            groups = optimiser.state_dict()["param_groups"]
            optimiser.load_state_dict({"state": state, "param_groups": groups})


def below(prefix: str, found: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors whose names have a prefix, without it."""
    return {key[len(prefix) :]: value for key, value in found.items() if key.startswith(prefix)}
