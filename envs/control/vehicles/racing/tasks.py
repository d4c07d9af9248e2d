"""Features of a car on the ring, and its rewards.

`lap` follows "CaRL: Learning Scalable Planning Policies with Simple Rewards" (2025, arXiv
2504.17838): progress on the route in per cent, times a factor for each soft infraction; hard ones
end the episode. There, each part of the route counts once; here, what driving back loses is taken
back in full, so that circling gains nothing either, and the reward needs no memory. `shaped` is the
kind of sum of terms that the paper compares with. Factors and weights are our choice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.features import ByFeatures, Features, Measures
from zerogym.envs.control.core.interval_rewards import (
    Column,
    IntervalReward,
    ProductReward,
    by_name,
)
from zerogym.envs.control.core.tasks import Task, tolerance
from zerogym.envs.control.vehicles.racing.physics import AHEAD, BROAD, LENGTH, LONG

LAP = 6 + len(AHEAD)  # column of the laps driven
RIVALS = LAP + 1  # first of the columns of other cars: ahead, to the left, closing
FACTOR = 0.5  # for each soft infraction
SOON = 1.0  # s to a collision
PASSED = 20.0  # m: a car that was so near ahead and is so near behind has been overtaken
CRUISE = 10.0  # m/s
RADIUS, MARGIN = 1.0, 10.0  # m, of goals


def offset(observations: Array) -> Array:
    """Return metres to the left of the centre line; (B,)."""
    return (observations[:, 1] - observations[:, 0]) / 2


def room(observations: Array) -> Array:
    """Return metres to the nearer edge of the road, negative beside it; (B,)."""
    return namespace(observations).minimum(observations[:, 0], observations[:, 1])


def impact(observations: Array) -> Array:
    """Return seconds until the car meets another in its way, at most 100; (B,)."""
    xp = namespace(observations)
    soonest = 0.0 * observations[:, 0] + 100.0
    for column in range(RIVALS, observations.shape[1], 3):
        gap, side, closing = (observations[:, column + each] for each in range(3))
        free = xp.clip(gap - LONG, 0.0, None)
        meets = (gap > 0) & (xp.abs(side) < BROAD) & (closing > 0)
        time = free / xp.where(meets, closing, 1.0 + 0.0 * closing)
        soonest = xp.where(meets, xp.minimum(time, soonest), soonest)
    return soonest


MEASURES: Measures = {
    "offset": offset,
    "room": room,
    "heading": Column(2),  # sine of the angle to the road, positive leftwards
    "speed": Column(4),  # m/s
    "steering": Column(5),  # rad
    "bend": Column(6),  # turn on the next 20 m, rad
    "laps": Column(LAP),
    "impact": impact,
}


@dataclass(frozen=True)
class Progress:
    """Per cent of a lap that the step has brought; gains are halved for each soft infraction."""

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        xp = namespace(obs)
        gained = 100.0 * (next_obs[:, LAP] - obs[:, LAP])
        kept = xp.where(room(next_obs) < 0, FACTOR + 0.0 * gained, 1.0 + 0.0 * gained)
        kept = xp.where(impact(next_obs) < SOON, FACTOR * kept, kept)
        return xp.where(gained > 0, kept * gained, gained)


@dataclass(frozen=True)
class Overtakes:
    """1 for each car that was ahead and is behind now, -1 for the other way round."""

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        total = 0.0 * obs[:, 0]
        for column in range(RIVALS, obs.shape[1], 3):
            before, now = obs[:, column], next_obs[:, column]
            near = (abs(before) < PASSED) & (abs(now) < PASSED)
            total = total + 1.0 * (near & (before > 0) & (now <= 0))
            total = total - 1.0 * (near & (before <= 0) & (now > 0))
        return total


@dataclass(frozen=True)
class Shaped:
    """A sum of terms: speed along the road, place on it, direction, and a penalty beside it."""

    def __call__(self, features: Features, action: Array) -> Array:
        xp = namespace(features["speed"])
        heading = xp.clip(features["heading"], -1.0, 1.0)
        along = features["speed"] * xp.sqrt(1.0 - heading**2) / 20.0
        centred = tolerance(features["offset"], (0.0, 0.0), 4.0)
        beside = 1.0 * (features["room"] < 0)
        return 0.4 * along + 0.2 * centred + 0.2 * (1.0 - xp.abs(heading)) - 0.5 * beside


def steady(slowest: float, fastest: float, most_offset: float) -> ProductReward:
    """Make the reward of a speed and a place across the road, on the road."""
    speed = IntervalReward("speed", slowest, fastest, 3.0)
    place = IntervalReward("offset", -most_offset, most_offset, 1.5)
    return ProductReward((speed, place, IntervalReward("room", 0.0)))


@dataclass(frozen=True)
class At:
    """1 at a place on the road, less farther away."""

    laps: float
    offset: float

    def __call__(self, features: Features, action: Array) -> Array:
        return tolerance(self.distance(features), (0.0, RADIUS), MARGIN)

    def distance(self, features: Features) -> Array:
        """Return metres from the place; (B,)."""
        along = LENGTH * (features["laps"] - self.laps)
        across = features["offset"] - self.offset
        return namespace(along).sqrt(along**2 + across**2)


@cache
def ring_tasks(rivals: bool) -> Mapping[str, Task]:
    """Return the named tasks; those of other cars only where there are some."""
    rules = (
        ("shaped", "Drive fast, in the middle and along the road.", Shaped()),
        (
            "cruise",
            f"Drive at {CRUISE:g} m/s on the road.",
            steady(CRUISE - 0.5, CRUISE + 0.5, np.inf),
        ),
        ("centre", "Drive along the centre line, at 5 m/s or more.", steady(5, 40, 0.2)),
    )
    lap = "Drive laps as fast as you can, on the road and without a collision."
    tasks = [Task("lap", lap, Progress())]
    tasks += [Task(name, text, ByFeatures(MEASURES, rule)) for name, text, rule in rules]
    if rivals:
        tasks.append(Task("overtake", "Overtake as many cars as you can.", Overtakes()))
    return by_name(tasks)


def place_task(goal: NDArray[np.float64]) -> Task:
    """Make the task of driving to (laps ahead, metres to the left) and stopping there."""
    laps, left = (float(each) for each in goal)
    text = f"Drive {100 * laps:.3g} per cent of a lap and stop {left:.3g} m left of the centre."
    return Task("place", text, ByFeatures(MEASURES, At(laps, left)), goal.astype(np.float32))
