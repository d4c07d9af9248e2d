"""Rewards said as wishes: some features of the state entered should lie in some intervals."""

import math
from dataclasses import dataclass

from zerogym.envs.control.core.arrays import Array, Single
from zerogym.envs.control.core.features import ByFeatures, Features, Measures
from zerogym.envs.control.core.tasks import Decay, Task, tolerance


@dataclass(frozen=True)
class Column:
    """A feature that is one number of an observation."""

    index: int

    def __call__(self, observations: Array) -> Array:
        one = type(observations) is Single
        return observations[self.index] if one else observations[:, self.index]


@dataclass(frozen=True)
class IntervalReward:
    """A feature in an interval: 1 inside, falling outside as `tolerance` does.

    Attributes:
        feature: Its name.
        low: Lower end of the interval, inclusive.
        high: Upper end.
        margin: Distance from the interval at which a tenth is left; 0 pays nothing outside.
        decay: The curve of `tolerance`.
    """

    feature: str
    low: float = -math.inf
    high: float = math.inf
    margin: float = 0.0
    decay: Decay = "gaussian"


@dataclass(frozen=True)
class ProductReward:
    """The product of several wishes, in [0, 1]."""

    parts: tuple[IntervalReward, ...]

    def __call__(self, features: Features, action: Array) -> Array:
        paid = 1.0
        for wish in self.parts:
            bounds = (wish.low, wish.high)
            paid = paid * tolerance(features[wish.feature], bounds, wish.margin, wish.decay)
        return paid


def is_same_task(task: Task | None, known: Task | None) -> bool:
    """Whether a task, perhaps a copy, is this one of `interval_task`."""
    if task is None or known is None:
        return False
    same = isinstance(task.reward, ByFeatures) and isinstance(known.reward, ByFeatures)
    return same and task.reward.rule == known.reward.rule  # type: ignore[attr-defined]


def interval_task(measures: Measures, name: str, text: str, *wishes: IntervalReward) -> Task:
    """The task of fulfilling wishes all the time."""
    return Task(name, text, ByFeatures(measures, ProductReward(wishes), of_single=True))
