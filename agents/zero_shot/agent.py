"""What the discrete and the continuous agent share: data, z, the update, optimisers, state.

A model (`model.py`) is what evaluation needs; an agent owns one, its target networks, the
optimisers and the random generator, and improves the model by `update(memory)`. What F and B mean
is said by a representation (`representations.py`): forward-backward, or successor features.
"""

import copy
from abc import ABC, abstractmethod
from typing import ClassVar, Self

import torch
from torch import Tensor, nn

from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.conservative import Alpha, measure_penalty, value_penalty
from zerogym.agents.zero_shot.dataset import Dataset
from zerogym.agents.zero_shot.feature_losses import LOSSES
from zerogym.agents.zero_shot.inference import inverse_covariance
from zerogym.agents.zero_shot.losses import Contrast, Metrics, batch_contrast, exact_contrast
from zerogym.agents.zero_shot.memory import Batch, Memory, remember
from zerogym.agents.zero_shot.model import FBModel, Shape
from zerogym.agents.zero_shot.networks import to_sphere
from zerogym.agents.zero_shot.representations import (
    Measure,
    Representation,
    Step,
    SuccessorFeatures,
)


class FBAgent(ABC):
    """An agent of forward-backward kind or of successor features.

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
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.representation = _representation(config.features, model)
        self.alpha = Alpha(config.alpha, config.penalty_target)
        self.optimisers = {
            name: torch.optim.Adam(net.parameters(), lr=rate, fused=True)
            for name, (net, rate) in self._trained().items()
        }

    @classmethod
    def create(cls, config: FBConfig, dataset: Dataset, actions: int) -> Self:
        """A fresh agent for a dataset; `actions` is the number of actions or of coordinates."""
        size = dataset.observations.shape[1]
        # Phi that is the observation itself has its dimensions.
        dim = (config.anchors or size) if config.features == "identity" else config.dim
        nets = (dim, config.hidden, config.heads, config.anchors, config.features, config.net)
        wide = config.hidden_backward if config.net == "wide" else 0
        shape = Shape(size, actions, cls.discrete, *nets, wide)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            model = FBModel(shape, dataset.take(config.samples, config.seed))
        return cls(config, model, config.seed)

    @abstractmethod
    def following(self, batch: Batch, z: Tensor) -> Tensor:
        """F at s' under pi_z by the target networks, (H, n, d); no gradient."""

    @abstractmethod
    def forward_of(self, batch: Batch, z: Tensor) -> Tensor:
        """F(s, a, z) at the actions of the data, (H, n, d)."""

    @abstractmethod
    def candidates_of(self, batch: Batch, z: Tensor) -> Tensor:
        """F(s, a, z) at the actions over which a conservative penalty is taken, (H, n, C, d)."""

    @abstractmethod
    def coded(self, actions: Tensor) -> Tensor:
        """Actions as numbers for a network, (n, A)."""

    def update_actor(self, batch: Batch, z: Tensor) -> Metrics:
        """One gradient step of the actor; an agent without one is greedy in F'z."""
        return {}

    def update(self, memory: Memory) -> Metrics:
        """One gradient step of F and B, then one of the actor, on a random batch of the memory."""
        batch, z = self.sample(memory), self.sample_z(memory)
        points, contrast = self.contrast(batch, memory)
        step = Step(
            config=self.config,
            z=z,
            here=batch.features,
            there=batch.next_features,
            later=self.later(batch, memory),
            actions=self.coded(batch.actions),
            following=self.following(batch, z),
            forward=self.forward_of(batch, z),
            points=points,
            contrast=contrast,
            backward=self.model.backward_net,
            target_backward=self.target_backward,
        )
        loss, metrics = self.representation.loss(step)
        if self.config.conservative != "none":
            penalty = self.penalty(batch, step)
            loss = loss + self.alpha().detach() * penalty
            metrics |= {"penalty/value": penalty.detach(), "penalty/alpha": self.alpha().detach()}
            self.step(self.alpha.loss(penalty), "alpha")
        self.step(loss, "forward", "backward", "features")
        metrics |= self.update_actor(batch, z)
        self.move_targets()
        self.updates += 1
        return metrics

    def penalty(self, batch: Batch, step: Step) -> Tensor:
        """The conservative penalty of the settings, a number."""
        candidates = self.candidates_of(batch, step.z)  # (H, n, C, d)
        if self.config.conservative == "value":
            values = torch.einsum("hncd,nd->hnc", candidates, step.z)
            return value_penalty(values, (step.forward * step.z).sum(-1))
        backward = self.model.backward_net(step.points)  # (m, d)
        own = step.forward @ backward.T  # (H, n, m)
        return measure_penalty(candidates @ backward.T, own, step.contrast.frequency)

    def learn(self, dataset: Dataset, updates: int) -> Metrics:
        """`updates` gradient steps; the metrics of the last (empty if there is none).

        The learning rates follow `config.updates`, however the steps are split into calls.
        """
        memory, metrics = self.remember(dataset), Metrics()
        for _ in range(updates):
            metrics = self.update(memory)
        return metrics

    # What an update is made of.

    def remember(self, dataset: Dataset) -> Memory:
        """A dataset as tensors; see `memory.remember`."""
        return remember(dataset, self.model.encoder, self.config.exact)

    def sample(self, memory: Memory) -> Batch:
        """A batch drawn with repetition."""
        size = (self.config.batch_size,)
        rows = torch.randint(len(memory.transitions.actions), size, generator=self.generator)
        return Batch(*(column[rows] for column in memory.transitions))

    @torch.no_grad()
    def sample_z(self, memory: Memory) -> Tensor:
        """(n, d): `goal_share` of them for random data points, the rest uniform on the sphere."""
        n, rows = self.config.batch_size, len(memory.transitions.actions)
        z = to_sphere(torch.randn(n, self.model.shape.dim, generator=self.generator))  # (n, d)
        goals = round(n * self.config.goal_share)
        drawn = torch.randint(rows, (goals,), generator=self.generator)
        places = self.model.backward_net(memory.transitions.next_features[drawn])  # (goals, d)
        if self.config.features != "fb":
            places = to_sphere(places @ inverse_covariance(places))
        z[:goals] = places
        return z

    @torch.no_grad()
    def later(self, batch: Batch, memory: Memory) -> Tensor:
        """Encoded states that the same walk came to, a geometric number of steps on; (n, k)."""
        if not self.representation.looks_ahead:
            return batch.features[:0]
        ahead = torch.empty(len(batch.row)).geometric_(
            1 - self.config.gamma, generator=self.generator
        )
        rows = torch.minimum(batch.row + ahead.long() - 1, batch.last)
        return memory.transitions.next_features[rows]

    def contrast(self, batch: Batch, memory: Memory) -> tuple[Tensor, Contrast]:
        """The points (m, k) at which the measure is compared, and their weights."""
        if self.config.exact:
            return memory.states, exact_contrast(memory.frequency, batch.next_state)
        return batch.next_features, batch_contrast(len(batch.actions))

    def step(self, loss: Tensor, *names: str) -> None:
        """One optimiser step on a loss, for the named networks only."""
        scale = learning_rate_scale(self.updates, self.config.updates, self.config.final_lr)
        trained = self._trained()
        optimisers = {name: self.optimisers[name] for name in names if name in trained}
        for name, optimiser in optimisers.items():
            optimiser.zero_grad(set_to_none=True)
            for group in optimiser.param_groups:
                group["lr"] = trained[name][1] * scale
        loss.backward()
        for optimiser in optimisers.values():
            optimiser.step()

    @torch.no_grad()
    def move_targets(self) -> None:
        """Move the target networks a part `tau` of the way."""
        pairs = (
            (self.target_forward, self.model.forward_net),
            (self.target_backward, self.model.backward_net),
        )
        for target, net in pairs:
            slow: list[Tensor] = list(target.parameters())
            quick: list[Tensor] = list(net.parameters())
            if slow:  # phi that is the observation has none
                torch._foreach_lerp_(slow, quick, self.config.tau)

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
        config, model = self.config, self.model
        nets: dict[str, tuple[nn.Module, float]] = {
            "forward": (model.forward_net, config.lr_forward),
            "backward": (model.backward_net, config.lr_backward),
            "features": (self.representation, config.lr_backward),
        }
        if model.actor is not None:
            nets["actor"] = (model.actor, config.lr_actor)
        if config.conservative != "none":
            nets["alpha"] = (self.alpha, config.lr_alpha)
        fixed = ("backward",) if config.features in ("random", "identity") else ()
        return {
            name: (net, rate)
            for name, (net, rate) in nets.items()
            if name not in fixed and any(True for _ in net.parameters())
        }

    def _networks(self) -> dict[str, nn.Module]:
        return {
            "model": self.model,
            "target_f": self.target_forward,
            "target_b": self.target_backward,
            "representation": self.representation,
            "alpha": self.alpha,
        }


def _representation(features: str, model: FBModel) -> Representation:
    if features == "fb":
        return Measure()
    shape = model.shape
    sizes = (model.inputs, shape.dim, shape.actions, shape.hidden, shape.discrete)
    return SuccessorFeatures(LOSSES[features](*sizes))


def learning_rate_scale(update: int, updates: int, final: float) -> float:
    """1 in the first half of `updates`, then linearly down to `final` at the end."""
    if updates == 0 or update <= updates / 2:
        return 1.0
    return 1 - (1 - final) * min(1.0, 2 * update / updates - 1)


def _below(prefix: str, found: dict[str, Tensor]) -> dict[str, Tensor]:
    size = len(prefix)
    return {key[size:]: value for key, value in found.items() if key.startswith(prefix)}
