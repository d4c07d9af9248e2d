"""Features of a swarm of quadrotors, and its rewards."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.composition import Product
from zerogym.envs.control.core.features import ByFeatures, Measures
from zerogym.envs.control.core.interval_rewards import IntervalReward, ProductReward, by_name
from zerogym.envs.control.core.tasks import Task, tolerance
from zerogym.envs.control.vehicles.quadrotors.swarm_physics import (
    BODY,
    COLUMN,
    NEIGHBOURS,
    OWN,
    SwarmRules,
)

PLACES, VELOCITIES, GOAL = slice(0, 3), slice(12, 15), slice(OWN, OWN + 3)
RADIUS, MARGIN, FIELD = 0.1, 0.5, 8.0  # m: there; nearly there; nowhere near
SPREAD = 1.2  # m
NOTHING = 100.0  # m, to what is not there


@dataclass(frozen=True)
class Length:
    """The length of some columns of each vehicle: their mean, greatest or smallest; (B,)."""

    width: int  # of an observation of one vehicle
    first: int
    last: int
    which: str

    def __call__(self, observations: Array) -> Array:
        each = self.of_each(observations)
        if self.which == "mean":
            return each.sum(1) / each.shape[1]
        xp = namespace(each)
        return xp.max(each, axis=1) if self.which == "max" else xp.min(each, axis=1)

    def of_each(self, observations: Array) -> Array:
        """Return the length of every vehicle; (B, N)."""
        rows = observations.reshape(len(observations), -1, self.width)
        return namespace(rows).sqrt((rows[:, :, self.first : self.last] ** 2).sum(-1))


@dataclass(frozen=True)
class Nothing:
    """A large distance, where there is no other vehicle or no column."""

    def __call__(self, observations: Array) -> Array:
        return 0.0 * observations[:, 0] + NOTHING


@dataclass(frozen=True)
class Reach:
    """The share of vehicles at their goals; half of the reward is for coming nearer."""

    width: int

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return _share(Length(self.width, GOAL.start, GOAL.stop, "mean").of_each(next_obs))


def apart(gap: float, column_gap: float, margin: float = 0.0) -> ProductReward:
    """Make the reward of a distance to all other vehicles and columns."""
    others = IntervalReward("gap", gap, np.inf, margin)
    return ProductReward((others, IntervalReward("column_gap", column_gap)))


@dataclass(frozen=True)
class AtPlaces:
    """The share of vehicles at places of their own (N, 3)."""

    width: int
    places: tuple[tuple[float, ...], ...]

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return _share(self.distances(next_obs))

    def distances(self, observations: Array) -> Array:
        """Return the distance of each vehicle from its place; (B, N)."""
        rows = observations.reshape(len(observations), -1, self.width)
        xp = namespace(rows)
        away = [
            xp.sqrt(sum((rows[:, index, axis] - place[axis]) ** 2 for axis in range(3)))
            for index, place in enumerate(self.places)
        ]
        return xp.stack(away, axis=1)


def _share(away: Array) -> Array:
    """Return the reward of distances (B, N), from 0 to 1; (B,)."""
    reward = tolerance(away, (0.0, RADIUS), MARGIN)
    reward = reward + tolerance(away, (0.0, RADIUS), FIELD, "linear", 0.0)
    return reward.sum(1) / (2 * away.shape[1])


@cache
def swarm_measures(vehicles: int, columns: int) -> Measures:
    """Return the features of swarms of so many, by name."""
    width = SwarmRules(vehicles, columns).width
    first_column = OWN + 3 + 6 * min(NEIGHBOURS, vehicles - 1)
    goals, column = (width, GOAL.start, GOAL.stop), (width, first_column, first_column + 2, "min")
    return {  # a plain dict: tasks hold it, and can be pickled
        "distance": Length(*goals, "mean"),
        "farthest": Length(*goals, "max"),
        "speed": Length(width, VELOCITIES.start, VELOCITIES.stop, "mean"),
        "gap": Length(width, OWN + 3, OWN + 6, "min") if vehicles > 1 else Nothing(),
        "column_gap": Length(*column) if columns else Nothing(),
    }


@cache
def swarm_tasks(vehicles: int, columns: int) -> Mapping[str, Task]:
    """Return the named tasks of swarms of so many."""
    measures, width = swarm_measures(vehicles, columns), SwarmRules(vehicles, columns).width
    reach = Reach(width)
    untouched = ByFeatures(measures, apart(2 * BODY, COLUMN + BODY))
    still = ByFeatures(measures, IntervalReward("speed", 0.0, 0.1, 1.0))
    spread = ByFeatures(measures, apart(SPREAD, 0.0, 0.5))
    safely = "Fly each to its own goal, and touch neither each other nor a column."
    tasks = (
        Task("reach", "Fly each to its own goal.", reach),
        Task("reach_safely", safely, Product((reach, untouched))),
        Task("still", "Stay where you are.", still),
        Task(
            "spread",
            f"Keep {SPREAD:g} m apart from each other, and stay.",
            Product((spread, still)),
        ),
    )
    return by_name(tasks)


def places_task(places: NDArray[np.float64], width: int) -> Task:
    """Make the task of flying each vehicle to a place of its own; (N, 3)."""
    rows = tuple(tuple(float(number) for number in place) for place in places)
    described = "; ".join(f"({x:.3g}, {y:.3g}, {z:.3g})" for x, y, z in rows)
    goal = places.astype(np.float32)
    return Task("places", f"Fly each to its place: {described}.", AtPlaces(width, rows), goal)
