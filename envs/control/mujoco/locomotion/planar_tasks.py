"""Parts of the rewards of bodies, in [0, 1]: speeds, heights and postures."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np

from zerogym.envs.control.core.arrays import Array, Single, namespace
from zerogym.envs.control.core.features import ByFeatures, Features, Measures
from zerogym.envs.control.core.interval_rewards import (
    IntervalReward,
    ProductReward,
    Rule,
    at_least,
    by_name,
)
from zerogym.envs.control.core.tasks import Task, tolerance
from zerogym.envs.control.mujoco.locomotion.planar_kinematics import BLOCK

Row = tuple[str, str, Rule]  # name, sentence, reward

FLIP = 5.0  # kg m2/s
SPIN = 2 * np.pi  # radian/s


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
class While:
    """A posture times a movement: a sixth of the reward at rest, the rest for the movement."""

    posture: Rule
    movement: Rule

    def __call__(self, features: Features, action: Array) -> Array:
        return self.posture(features, action) * (5 * self.movement(features, action) + 1) / 6


def upright(features: Features, action: Array) -> Array:
    """Return 1 upright, 0 upside down."""
    return (1 + features["upright"]) / 2


def upside_down(features: Features, action: Array) -> Array:
    """Return 0 upright, 1 upside down."""
    return (1 - features["upright"]) / 2


def turning_rows(posture: Callable[[Rule], Rule]) -> Iterator[Row]:
    """Yield flips either way in a posture, and spinning."""
    yield "flip", "Do forward flips.", posture(at_least("angular_momentum", FLIP))
    yield "flip_backward", "Do backward flips.", posture(at_least("angular_momentum", -FLIP))
    yield "spin", "Turn over and over, once a second or faster.", at_least("pitch_rate", SPIN)


def crawl_row(height: float, margin: float, speed: float) -> Row:
    """Make the task of moving forward with a low torso."""
    low = IntervalReward("height", 0.0, height, margin)
    text = f"Move forward with the torso below {height:g} metres."
    return "crawl", text, ProductReward((low, at_least("speed", speed)))


def lie_row() -> Row:
    """Make the task of lying flat."""
    low, flat = IntervalReward("height", 0.0, 0.2, 0.5), IntervalReward("upright", -0.2, 0.2, 0.5)
    return "lie", "Lie flat on the floor.", ProductReward((low, flat))


def height_rows(heights: Iterable[float]) -> Iterator[Row]:
    """Yield tasks such as `height_0_5`: keep the torso half a metre above the floor."""
    for height in heights:
        name = f"height_{height:g}".replace(".", "_")
        text = f"Keep the torso {height:g} metres above the floor."
        yield name, text, IntervalReward("height", height - 0.05, height + 0.05, 0.3)


def speed_rows(speeds: Iterable[int], posture: Rule | None) -> Iterator[Row]:
    """Yield tasks such as `speed_minus_2`, backward at 2 m/s; in a posture, if one is given."""
    how = "" if posture is None else " upright"
    for speed in speeds:
        name = f"speed_{'minus_' if speed < 0 else ''}{abs(speed)}"
        text = f"Move{how} at {speed} metres a second, neither faster nor slower."
        movement = IntervalReward("speed", speed - 0.2, speed + 0.2, abs(speed) / 2)
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
        reward = ByFeatures(self.measures, self.rule)
        if len(obs) <= BLOCK or namespace(next_obs) is not np:
            return reward(obs, action, next_obs)
        blocks = [slice(start, start + BLOCK) for start in range(0, len(obs), BLOCK)]
        return np.concatenate([reward(obs[each], action[each], next_obs[each]) for each in blocks])


def task_table(rows: Iterable[Row], measures: Measures) -> Mapping[str, Task]:
    """Make the tasks of a body by name."""
    return by_name(Task(name, text, InBlocks(measures, rule)) for name, text, rule in rows)
