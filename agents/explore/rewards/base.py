"""The interface of intrinsic rewards, and parts that several of them share.

An explorer is one subclass of `Intrinsic` in a file of its own, with a part in `policies.py`; the
agent (`learners/base.py`) is the same for all.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

Metrics = dict[str, Tensor]


class Shape(NamedTuple):
    """Sizes of the networks of an explorer."""

    observations: int  # k
    actions: int  # m: numbers of a continuous action, or the number of discrete ones
    discrete: bool
    hidden: int


class Batch(NamedTuple):
    """n transitions with encoded observations."""

    observations: Tensor  # (n, k) normalised
    actions: Tensor  # (n, m) in [-1, 1], or one-hot
    next_observations: Tensor  # (n, k) normalised
    skills: Tensor  # (n, s); s is 0 without skills

    @property
    def inputs(self) -> Tensor:
        """States with their skills, (n, k + s)."""
        return torch.cat([self.observations, self.skills], dim=1)

    @property
    def next_inputs(self) -> Tensor:
        """Next states with their skills, (n, k + s)."""
        return torch.cat([self.next_observations, self.skills], dim=1)


class Intrinsic(nn.Module, ABC):
    """An intrinsic reward, learned from the same transitions."""

    skill_size: ClassVar[int] = 0
    skill_steps: ClassVar[int] = 1  # steps for which a skill is kept

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape

    @abstractmethod
    def reward(self, batch: Batch) -> Tensor:
        """Return the reward of each transition, (n,), before the learner scales it."""

    @abstractmethod
    def loss(self, batch: Batch) -> tuple[Tensor, Metrics]:
        """Return the loss of its networks."""

    def draw_skill(self, generator: torch.Generator) -> Tensor:
        """Draw the skill of the policy for the next `skill_steps`, (s,)."""
        return torch.zeros(0)

    def after_update(self) -> None:
        """Update other state after each gradient step of `loss`."""


def mlp(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """Return a network of two hidden layers."""
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.ReLU(),
        nn.Linear(hidden, hidden), nn.ReLU(),
        nn.Linear(hidden, outputs),
    )  # fmt: skip


def nearest_distances(points: Tensor, others: Tensor, k: int) -> Tensor:
    """Return distances (n, k) from points (n, d) to their k nearest of `others` (m, d)."""
    apart = torch.cdist(points, others)  # (n, m)
    return apart.topk(min(k, len(others)), dim=1, largest=False).values


def particle_reward(points: Tensor, others: Tensor, k: int) -> Tensor:
    """Return log(1 + mean distance to the k nearest), (n,): a particle estimate of entropy.

    "Behavior From the Void: Unsupervised Active Pre-Training" (2021, arXiv 2103.04551), eq. 5.
    """
    return torch.log1p(nearest_distances(points, others, k).mean(dim=1))


class RunningMoments(nn.Module):
    """Running mean and variance of vectors."""

    mean: Tensor
    variance: Tensor
    count: Tensor

    def __init__(self, size: int, horizon: float = float("inf")) -> None:
        super().__init__()
        self.horizon = horizon
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("variance", torch.ones(size))
        self.register_buffer("count", torch.zeros(()))

    @torch.no_grad()
    def update(self, values: Tensor) -> None:
        """Merge values (n, size), by the rule of Chan, Golub and LeVeque (1979)."""
        n, mean = len(values), values.mean(dim=0)  # (size,)
        total = self.count + n
        apart = mean - self.mean
        spread = self.variance * self.count + values.var(dim=0, correction=0) * n
        self.variance = (spread + apart**2 * self.count * n / total) / total
        self.mean = self.mean + apart * n / total
        self.count = total.clamp_max(self.horizon)

    def normalise(self, values: Tensor, clip: float = 5.0) -> Tensor:
        """Return values (n, size) with mean 0 and deviation 1, within [-clip, clip]."""
        deviation = self.variance.sqrt().clamp_min(1e-6)
        return ((values - self.mean) / deviation).clamp(-clip, clip)


class FourierFeatures(nn.Module):
    """Sines and cosines of random directions, beside the numbers themselves.

    "Fourier Features Let Networks Learn High Frequency Functions in Low Dimensional Domains" (2020,
    arXiv 2006.10739): without them small networks are too smooth to separate near places.
    """

    directions: Tensor

    def __init__(self, size: int, count: int, frequency: float) -> None:
        super().__init__()
        self.register_buffer("directions", torch.randn(size, count) * frequency / size**0.5)

    def forward(self, values: Tensor) -> Tensor:
        """Return (n, size + 2 count) features of (n, size) values."""
        along = values @ self.directions  # (n, count)
        return torch.cat([values, along.sin(), along.cos()], dim=1)
