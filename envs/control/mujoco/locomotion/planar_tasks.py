"""Of what the rewards of planar bodies are made: speeds, heights and postures as shares of 1."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import mul
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from zerogym.envs.control.core.arrays import Array, Single, namespace
from zerogym.envs.control.core.features import ByFeatures, Features, Measures
from zerogym.envs.control.core.tasks import Task, tolerance
from zerogym.envs.control.mujoco.locomotion.planar_kinematics import BLOCK

Rule = Callable[[Features, Array], Array]
Row = tuple[str, str, Rule]  # name, sentence, reward


@dataclass(frozen=True)
class AtLeast:
    """The share of a speed that is reached: 0 at rest or the wrong way, 1 from `speed` on.

    The suite's linear tolerance: its margin is the speed and its value there 0, or half of both.
    """

    feature: str
    speed: float  # negative: to the other side

    def __call__(self, features: Features, action: Array) -> Array:
        value, speed = features[self.feature], abs(self.speed)
        value = value if self.speed > 0 else -value
        return tolerance(value, (speed, np.inf), speed, "linear", 0.0)


@dataclass(frozen=True)
class Within:
    """1 where a feature lies within bounds, 0.1 at `margin` beyond them."""

    feature: str
    low: float
    high: float
    margin: float

    def __call__(self, features: Features, action: Array) -> Array:
        return tolerance(features[self.feature], (self.low, self.high), self.margin)


@dataclass(frozen=True)
class Lifted:
    """The share of a height that the lowest of some links has reached."""

    links: tuple[str, ...]
    rest: float  # m, of a link on the floor
    height: float  # m, over it

    def __call__(self, features: Features, action: Array) -> Array:
        heights = [features[f"{link}_height"] for link in self.links]
        lowest = reduce(namespace(heights[0]).minimum, heights)
        bounds = (self.rest + self.height, np.inf)
        return tolerance(lowest, bounds, self.height, "linear", 0.0)


@dataclass(frozen=True)
class Together:
    """The product: each part is a condition on the others."""

    parts: tuple[Rule, ...]

    def __call__(self, features: Features, action: Array) -> Array:
        return reduce(mul, (part(features, action) for part in self.parts))


@dataclass(frozen=True)
class While:
    """A posture, of which a sixth is paid at rest and the rest for the movement."""

    posture: Rule
    movement: Rule

    def __call__(self, features: Features, action: Array) -> Array:
        return self.posture(features, action) * (5 * self.movement(features, action) + 1) / 6


def upright(features: Features, action: Array) -> Array:
    """1 upright, 0 upside down."""
    return (1 + features["upright"]) / 2


def upside_down(features: Features, action: Array) -> Array:
    """0 upright, 1 upside down."""
    return (1 - features["upright"]) / 2


def height_rows(heights: Iterable[float]) -> Iterator[Row]:
    """`height_0_5`: keep the torso half a metre above the floor."""
    for height in heights:
        name = f"height_{height:g}".replace(".", "_")
        text = f"Keep the torso {height:g} metres above the floor."
        yield name, text, Within("height", height - 0.05, height + 0.05, 0.3)


def speed_rows(speeds: Iterable[int], posture: Rule | None) -> Iterator[Row]:
    """`speed_minus_2`: move backward at 2 metres a second; in a posture, if one is given."""
    how = "" if posture is None else " upright"
    for speed in speeds:
        name = f"speed_{'minus_' if speed < 0 else ''}{abs(speed)}"
        text = f"Move{how} at {speed} metres a second, neither faster nor slower."
        movement = Within("speed", speed - 0.2, speed + 0.2, abs(speed) / 2)
        yield name, text, movement if posture is None else While(posture, movement)


@dataclass(frozen=True, eq=False)
class InBlocks:
    """A reward of features, computed a block of NumPy's rows at a time: they stay in the cache."""

    measures: Measures
    rule: Rule
    of_single: ClassVar[bool] = True

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        if type(next_obs) is Single:
            return self.rule(Features(self.measures, next_obs), action)
        pay = ByFeatures(self.measures, self.rule)
        if len(obs) <= BLOCK or namespace(next_obs) is not np:
            return pay(obs, action, next_obs)
        blocks = [slice(start, start + BLOCK) for start in range(0, len(obs), BLOCK)]
        return np.concatenate([pay(obs[each], action[each], next_obs[each]) for each in blocks])


def task_table(rows: Iterable[Row], measures: Measures) -> Mapping[str, Task]:
    """The tasks of a body by name."""
    tasks = [Task(name, text, InBlocks(measures, rule)) for name, text, rule in rows]
    return MappingProxyType({task.name: task for task in tasks})
