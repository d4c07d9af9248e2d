"""What the discrete and the continuous forward-backward agent share: data, z, optimisers, state.

A model (`model.py`) is what evaluation needs; an agent owns one, its target networks, the
optimisers and the random generator, and improves the model by `update(batch)`.
"""

import copy
from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.dataset import Dataset
from zerogym.agents.zero_shot.losses import Contrast, Metrics, batch_contrast, exact_contrast
from zerogym.agents.zero_shot.model import FBModel, Shape
from zerogym.agents.zero_shot.networks import to_sphere

MOST_STATES = 4096  # of `exact`: beyond it, n x m matrices cost more than noise does


class Batch(NamedTuple):
    """n transitions, observations already encoded.

    Attributes:
        features: (n, k) of the observations.
        actions: (n,) or (n, m).
        next_features: (n, k).
        next_state: (n,) row of the next observation among the distinct ones; -1 if not `exact`.
    """

    features: Tensor
    actions: Tensor
    next_features: Tensor
    next_state: Tensor


class Memory(NamedTuple):
    """A dataset as tensors; `states` and `frequency` are empty unless `exact`."""

    transitions: Batch
    states: Tensor  # (m, k) the distinct next observations, encoded
    frequency: Tensor  # (m,) how often each occurs in the data


class FBAgent(ABC):
    """A forward-backward agent.

    Args:
        config: Settings.
        model: The networks to train.
        seed: Of batches, z and noise.
    """

    discrete: ClassVar[bool]
    target_forward: nn.Module

    def __init__(self, config: FBConfig, model: FBModel, seed: int = 0) -> None:
        self.config, self.model = config, model
        self.target_forward = copy.deepcopy(model.forward_net).requires_grad_(False)
        self.target_backward = copy.deepcopy(model.backward_net).requires_grad_(False)
        self.generator = torch.Generator().manual_seed(seed)
        self.updates = 0
        self.optimisers = {
            name: torch.optim.Adam(net.parameters(), lr=rate, fused=True)
            for name, (net, rate) in self._trained().items()
        }

    @classmethod
    def create(cls, config: FBConfig, dataset: Dataset, actions: int) -> "FBAgent":
        """A fresh agent for a dataset; `actions` is the number of actions or of coordinates."""
        sizes = (dataset.observations.shape[1], actions, cls.discrete)
        shape = Shape(*sizes, config.dim, config.hidden, config.heads, config.anchors)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            model = FBModel(shape, dataset.take(config.samples, config.seed))
        return cls(config, model, config.seed)

    @abstractmethod
    def measure_targets(self, batch: Batch, points: Tensor, z: Tensor) -> Tensor:
        """The measure at s' under pi_z by the target networks, (n, m); no gradient."""

    @abstractmethod
    def update(self, memory: Memory) -> Metrics:
        """One gradient step of every network on a random batch of the memory."""

    def learn(self, dataset: Dataset, updates: int) -> Metrics:
        """`updates` gradient steps; the metrics of the last (empty if there is none).

        The learning rates follow `config.updates`, however the steps are split into calls.
        """
        memory, metrics = self.remember(dataset), Metrics()
        for _ in range(updates):
            metrics = self.update(memory)
        return metrics

    # What an update is made of.

    @torch.no_grad()
    def remember(self, dataset: Dataset) -> Memory:
        """A dataset as tensors, encoded once: the features are fixed.

        Raises:
            ValueError: If `exact` is asked for more than `MOST_STATES` distinct observations.
        """
        encode = self.model.encoder
        following = torch.as_tensor(dataset.next_observations)  # (N, k)
        states, frequency = following[:0], following[:0, 0]
        index = torch.full((len(dataset),), -1)  # (N,)
        if self.config.exact:
            distinct, row, count = np.unique(
                dataset.next_observations, axis=0, return_inverse=True, return_counts=True
            )
            if len(distinct) > MOST_STATES:
                raise ValueError(
                    f"exact=True needs a finite world of at most {MOST_STATES} states; the data "
                    f"have {len(distinct)} distinct observations"
                )
            states = encode(torch.as_tensor(distinct))  # (m, k)
            frequency = torch.as_tensor(count / count.sum(), dtype=torch.float32)  # (m,)
            index = torch.as_tensor(row.reshape(-1))  # (N,)
        actions = torch.as_tensor(dataset.actions)
        here = encode(torch.as_tensor(dataset.observations))  # (N, k)
        return Memory(Batch(here, actions, encode(following), index), states, frequency)

    def sample(self, memory: Memory) -> Batch:
        """A batch drawn with repetition."""
        size = (self.config.batch_size,)
        rows = torch.randint(len(memory.transitions.actions), size, generator=self.generator)
        return Batch(*(column[rows] for column in memory.transitions))

    @torch.no_grad()
    def sample_z(self, memory: Memory) -> Tensor:
        """(n, d): `goal_share` of them B of random data points, the rest uniform on the sphere."""
        n, rows = self.config.batch_size, len(memory.transitions.actions)
        z = to_sphere(torch.randn(n, self.config.dim, generator=self.generator))  # (n, d)
        goals = round(n * self.config.goal_share)
        drawn = torch.randint(rows, (goals,), generator=self.generator)
        z[:goals] = self.model.backward_net(memory.transitions.next_features[drawn])
        return z

    def contrast(self, batch: Batch, memory: Memory) -> tuple[Tensor, Contrast]:
        """The points (m, k) at which the measure is compared, and their weights."""
        if self.config.exact:
            return memory.states, exact_contrast(memory.frequency, batch.next_state)
        return batch.next_features, batch_contrast(len(batch.actions))

    def step(self, loss: Tensor, *names: str) -> None:
        """One optimiser step on a loss, for the named networks only."""
        scale = learning_rate_scale(self.updates, self.config.updates, self.config.final_lr)
        trained = self._trained()
        for name in names:
            optimiser = self.optimisers[name]
            optimiser.zero_grad(set_to_none=True)
            for group in optimiser.param_groups:
                group["lr"] = trained[name][1] * scale
        loss.backward()
        for name in names:
            self.optimisers[name].step()

    @torch.no_grad()
    def move_targets(self) -> None:
        """Move the target networks a part `tau` of the way."""
        pairs = (
            (self.target_forward, self.model.forward_net),
            (self.target_backward, self.model.backward_net),
        )
        for target, net in pairs:
            torch._foreach_lerp_(list(target.parameters()), list(net.parameters()), self.config.tau)

    # Checkpoints.

    def tensors(self) -> dict[str, Tensor]:
        """Everything that `load_tensors` needs to continue exactly."""
        found = {"updates": torch.tensor(self.updates), "generator": self.generator.get_state()}
        for name, net in self._networks().items():
            found |= {f"{name}.{key}": value for key, value in net.state_dict().items()}
        for name, optimiser in self.optimisers.items():
            for row, moments in optimiser.state_dict()["state"].items():
                found |= {f"adam.{name}.{row}.{key}": value for key, value in moments.items()}
        return found

    def load_tensors(self, found: dict[str, Tensor]) -> None:
        """Continue where `tensors` was called; KeyError or RuntimeError if they do not fit."""
        self.updates = int(found["updates"])
        self.generator.set_state(found["generator"])
        for name, net in self._networks().items():
            net.load_state_dict(_below(f"{name}.", found))
        for name, optimiser in self.optimisers.items():
            state: dict[int, dict[str, Tensor]] = {}
            for key, value in _below(f"adam.{name}.", found).items():
                row, _, moment = key.partition(".")
                state.setdefault(int(row), {})[moment] = value
            groups = optimiser.state_dict()["param_groups"]
            optimiser.load_state_dict({"state": state, "param_groups": groups})

    def _trained(self) -> dict[str, tuple[nn.Module, float]]:
        nets: dict[str, tuple[nn.Module, float]] = {
            "forward": (self.model.forward_net, self.config.lr_forward),
            "backward": (self.model.backward_net, self.config.lr_backward),
        }
        if self.model.actor is not None:
            nets["actor"] = (self.model.actor, self.config.lr_actor)
        return nets

    def _networks(self) -> dict[str, nn.Module]:
        targets = {"target_f": self.target_forward, "target_b": self.target_backward}
        return {"model": self.model, **targets}


def learning_rate_scale(update: int, updates: int, final: float) -> float:
    """1 in the first half of `updates`, then linearly down to `final` at the end."""
    if updates == 0 or update <= updates / 2:
        return 1.0
    return 1 - (1 - final) * min(1.0, 2 * update / updates - 1)


def _below(prefix: str, found: dict[str, Tensor]) -> dict[str, Tensor]:
    size = len(prefix)
    return {key[size:]: value for key, value in found.items() if key.startswith(prefix)}
