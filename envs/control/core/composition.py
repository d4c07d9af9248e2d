"""Rewards made of rewards: weighted sums and products.

`0.5 * tasks["run"] + tasks["upright"]` is a task again. Left out: orders in time, which need a
memory: see `temporal/reward_machines.py`.
"""

from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add, mul
from typing import Any

from zerogym.envs.control.core.arrays import Array


@dataclass(frozen=True, eq=False)
class Composition:
    """A reward made of others."""

    parts: tuple[Any, ...]  # rewards

    @cached_property
    def of_single(self) -> bool:
        """True if all parts take one transition in plain numbers."""
        return all(getattr(part, "of_single", False) for part in self.parts)


@dataclass(frozen=True, eq=False)
class WeightedSum(Composition):
    """The sum of rewards, each times its weight, plus a constant."""

    weights: tuple[float, ...]
    constant: float = 0.0

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        weighted = (
            weight * part(obs, action, next_obs)
            for weight, part in zip(self.weights, self.parts, strict=True)
        )
        return reduce(add, weighted) + self.constant


@dataclass(frozen=True, eq=False)
class Product(Composition):
    """The product of rewards: each is a condition on the others where they lie in [0, 1]."""

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return reduce(mul, (part(obs, action, next_obs) for part in self.parts))
