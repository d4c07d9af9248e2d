"""Rewards of features: intervals in which they should lie, points to which they should be near."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import mul
from types import MappingProxyType
from typing import Any, ClassVar

from zerogym.envs.control.core.arrays import Array, Single, columns, namespace
from zerogym.envs.control.core.composition import Product
from zerogym.envs.control.core.features import ByFeatures, Features, Measures
from zerogym.envs.control.core.tasks import VALUE_AT_MARGIN, Decay, Task, tolerance

GOAL_RADIUS, GOAL_MARGIN = 0.1, 0.5  # root mean square over scaled columns; our choice

Rule = Callable[[Features, Array], Array]  # a reward of features and action


@dataclass(frozen=True)
class Column:
    """A feature that is one number of an observation."""

    index: int

    def __call__(self, observations: Array) -> Array:
        one = type(observations) is Single
        return observations[self.index] if one else observations[:, self.index]


@dataclass(frozen=True)
class IntervalReward:
    """The `tolerance` of a feature: 1 inside an interval, less outside.

    Attributes:
        feature: Its name.
        low: Lower end of the interval, inclusive.
        high: Upper end.
        margin: Distance from the interval at which the reward is `at_margin`; 0 for none outside.
        decay: The curve of `tolerance`.
        at_margin: The reward at that distance.
    """

    feature: str
    low: float = -math.inf
    high: float = math.inf
    margin: float = 0.0
    decay: Decay = "gaussian"
    at_margin: float = VALUE_AT_MARGIN

    def __call__(self, features: Features, action: Array) -> Array:
        value, bounds = features[self.feature], (self.low, self.high)
        return tolerance(value, bounds, self.margin, self.decay, self.at_margin)


@dataclass(frozen=True)
class ProductReward:
    """The product of rewards in [0, 1]: each is a condition on the others."""

    parts: tuple[Rule, ...]

    def __call__(self, features: Features, action: Array) -> Array:
        return reduce(mul, (part(features, action) for part in self.parts))


@dataclass(frozen=True)
class NearPoint:
    """1 where some features are within `radius` of a point, a tenth `margin` beyond it."""

    features: tuple[str, ...]
    point: tuple[float, ...]
    radius: float
    margin: float  # 0: no reward beyond the radius

    def __call__(self, features: Features, action: Array) -> Array:
        return tolerance(self.distance(features), (0.0, self.radius), self.margin)

    def distance(self, features: Features) -> Array:
        """Return the distances of the features from the point; (B,)."""
        total: Any = 0.0
        for name, target in zip(self.features, self.point, strict=True):
            away = features[name] - target
            total = total + away * away
        return namespace(total).sqrt(total)


@dataclass(frozen=True, eq=False)
class NearGoal:
    """1 near the first columns (P,) of an observation, less beyond; each divided by its scale."""

    goal: tuple[float, ...]
    scales: tuple[float, ...]
    of_single: ClassVar[bool] = True

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return tolerance(self.distance(next_obs), (0.0, GOAL_RADIUS), GOAL_MARGIN)

    def distance(self, observations: Array) -> Array:
        """Return the root mean square over the columns; (B,)."""
        total: Any = 0.0
        pairs = zip(self.goal, self.scales, strict=True)
        for column, (target, scale) in zip(columns(observations), pairs, strict=False):
            away = (column - target) / scale
            total = total + away * away
        return namespace(total).sqrt(total / len(self.goal))


def at_least(feature: str, speed: float, at_rest: float = 0.0) -> IntervalReward:
    """Return the share of a speed that is reached, in a line from `at_rest` to 1.

    A negative speed is one to the other side.
    """
    low, high = (speed, math.inf) if speed > 0 else (-math.inf, speed)
    return IntervalReward(feature, low, high, abs(speed), "linear", at_rest)


def is_same_task(task: Task | None, known: Task | None) -> bool:
    """Return whether a task, perhaps a copy, has the same rule as a known one."""
    return task is not None and known is not None and _rule(task.reward) == _rule(known.reward)


def known_name(task: Task, known: Mapping[str, Task]) -> str | None:
    """Return the name of the known task with the rule of a task; None if there is none."""
    return next((name for name, each in known.items() if is_same_task(task, each)), None)


def _rule(reward: Any) -> Any:
    if isinstance(reward, ByFeatures):
        return reward.rule
    return tuple(map(_rule, reward.parts)) if isinstance(reward, Product) else reward


def interval_task(measures: Measures, name: str, text: str, *parts: Rule) -> Task:
    """Make the task of the product of rewards of features."""
    return Task(name, text, ByFeatures(measures, ProductReward(parts), of_single=True))


def interval_tasks(measures: Measures, *rows: tuple[Any, ...]) -> Mapping[str, Task]:
    """Make a table of tasks; rows of name, sentence, and rewards of features."""
    return by_name(interval_task(measures, *row) for row in rows)


def by_name(tasks: Iterable[Task]) -> Mapping[str, Task]:
    """Return a read-only table of tasks."""
    return MappingProxyType({task.name: task for task in tasks})
