"""The one agent behind all explorers: off-policy, paid by an intrinsic reward.

After "URLB: Unsupervised Reinforcement Learning Benchmark" (2021, arXiv 2110.15191): the same agent
for every explorer; rewards are computed anew for each batch, by the intrinsic networks as they are
now, and these learn from the same batch. Our choices, so that one learning rate suits all: rewards
less their running mean, over their running deviation (of about the last hundred batches); and
random Fourier features of the normalised observations. The mean changes nothing in worlds that
never terminate. Left out: pixels, n-step returns. Continuous actions: `ddpg.py`; discrete ones:
`dqn.py`.
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
    Moments,
    Shape,
)

_COLUMNS = ("observations", "actions", "next_observations", "terminated")


class Explorer(ABC):
    """An agent that explores.

    Subclasses make their networks in `_build`, a dictionary that names the trained ones, and say
    how to act and how to learn from a paid batch.

    Args:
        config: Settings.
        size: Numbers of an observation.
        shape: Sizes after the observations are encoded.
        intrinsic: What it is paid.
    """

    def __init__(
        self, config: CollectConfig, size: int, shape: Shape, intrinsic: Intrinsic
    ) -> None:
        self.config, self.shape, self.intrinsic = config, shape, intrinsic
        self.seen, self.pay = Moments(size), Moments(1, 100 * config.batch_size)
        self.waves = FourierFeatures(size, config.waves, config.frequency)
        self.generator = torch.Generator().manual_seed(0)
        self.inputs = shape.observations + intrinsic.skill_size
        trained = {"intrinsic": intrinsic, **self._build()}
        self.networks: dict[str, nn.Module] = {
            **{"seen": self.seen, "pay": self.pay, "waves": self.waves},
            **trained,
        }
        self.optimisers = {
            name: torch.optim.Adam(weights, lr=config.lr, fused=True)
            for name, net in trained.items()
            if (weights := [w for w in net.parameters() if w.requires_grad])
        }

    @abstractmethod
    def _build(self) -> dict[str, nn.Module]:
        """The networks of the policy by name; those without gradients are not trained."""

    @abstractmethod
    def _choose(self, inputs: Tensor, rng: np.random.Generator) -> NDArray[Any]:
        """An exploring action for a normalised observation with its skill, (1, inputs)."""

    @abstractmethod
    def _learn(self, here: Tensor, batch: Batch, pay: Tensor, there: Tensor, on: Tensor) -> Metrics:
        """One gradient step of the policy.

        Args:
            here: States with their skills, (n, inputs).
            batch: The transitions.
            pay: Scaled rewards, (n,).
            there: Next states with their skills.
            on: Discount of what follows, (n,): 0 where the episode terminated.
        """

    def begin_shard(self, seed: int) -> None:
        """Draw from this seed from now on; a resumed run starts here."""
        self.generator.manual_seed(seed)

    @torch.no_grad()
    def act(
        self, observation: NDArray[Any], skill: NDArray[Any], rng: np.random.Generator
    ) -> NDArray[Any]:
        """An exploring action."""
        seen = self.encode(torch.as_tensor(observation)[None])
        return self._choose(torch.cat([seen, torch.as_tensor(skill)[None]], dim=1), rng)

    def encode(self, observations: Tensor) -> Tensor:
        """Observations (n, size) as the networks see them, (n, k)."""
        return self.waves(self.seen.normalise(observations))

    def update(self, memory: ReplayBuffer, rng: np.random.Generator) -> Metrics:
        """One gradient step of every network on a batch of the memory."""
        names = (*_COLUMNS, "skills") if self.intrinsic.skill_size else _COLUMNS
        n = self.config.batch_size
        columns = dict(zip(names, memory.draw(names, n, rng), strict=True))
        self.seen.see(columns["observations"])
        batch = self._batch(columns)
        loss, metrics = self.intrinsic.loss(batch)
        with torch.no_grad():
            pay = self.intrinsic.reward(batch)  # (n,)
        self.step(loss, "intrinsic")
        self.intrinsic.after_update()
        self.pay.see(pay[:, None])
        scaled = self.pay.normalise(pay[:, None])[:, 0]  # (n,)
        here = torch.cat([batch.observations, batch.skills], dim=1)
        there = torch.cat([batch.next_observations, batch.skills], dim=1)
        on = self.config.gamma * (~columns["terminated"]).float()  # (n,)
        return {"pay": pay.mean(), **metrics, **self._learn(here, batch, scaled, there, on)}

    def _batch(self, columns: dict[str, Tensor]) -> Batch:
        actions = columns["actions"]
        if self.shape.discrete:
            actions = functional.one_hot(actions, self.shape.actions).float()
        return Batch(
            self.encode(columns["observations"]),
            actions,
            self.encode(columns["next_observations"]),
            columns.get("skills", torch.zeros(len(actions), 0)),
        )

    def step(self, loss: Tensor, *names: str) -> None:
        """One optimiser step on a loss, for the named networks only."""
        for name in names:
            self.optimisers[name].zero_grad(set_to_none=True)
        loss.backward()
        for name in names:
            self.optimisers[name].step()

    def move(self, target: nn.Module, net: nn.Module) -> None:
        """Move a target network a part `tau` of the way."""
        targets: list[Tensor] = list(target.parameters())
        weights: list[Tensor] = list(net.parameters())
        with torch.no_grad():
            torch._foreach_lerp_(targets, weights, self.config.tau)

    def tensors(self) -> dict[str, Tensor]:
        """Everything that `load_tensors` needs to continue exactly at the start of a shard."""
        found: dict[str, Tensor] = {}
        for name, net in self.networks.items():
            found |= {f"{name}/{key}": value for key, value in net.state_dict().items()}
        for name, optimiser in self.optimisers.items():
            for row, moments in optimiser.state_dict()["state"].items():
                found |= {f"adam/{name}/{row}/{key}": value for key, value in moments.items()}
        return found

    def load_tensors(self, found: dict[str, Tensor]) -> None:
        """Continue where `tensors` was called; KeyError or RuntimeError if they do not fit."""
        for name, net in self.networks.items():
            net.load_state_dict(_below(f"{name}/", found))
        for name, optimiser in self.optimisers.items():
            state: dict[int, dict[str, Tensor]] = {}
            for key, value in _below(f"adam/{name}/", found).items():
                row, _, moment = key.partition("/")
                state.setdefault(int(row), {})[moment] = value
            groups = optimiser.state_dict()["param_groups"]
            optimiser.load_state_dict({"state": state, "param_groups": groups})


def _below(prefix: str, found: dict[str, Tensor]) -> dict[str, Tensor]:
    return {key[len(prefix) :]: value for key, value in found.items() if key.startswith(prefix)}
