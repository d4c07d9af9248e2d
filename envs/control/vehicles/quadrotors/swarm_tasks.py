"""What can be measured of a swarm of quadrotors, and its rewards."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.composition import Product
from zerogym.envs.control.core.features import ByFeatures, Features, Measures
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
        """Of every vehicle; (B, N)."""
        rows = observations.reshape(len(observations), -1, self.width)
        return namespace(rows).sqrt((rows[:, :, self.first : self.last] ** 2).sum(-1))


@dataclass(frozen=True)
class Nothing:
    """How far what is not there is."""

    def __call__(self, observations: Array) -> Array:
        return 0.0 * observations[:, 0] + NOTHING


@dataclass(frozen=True)
class Reach:
    """The share of vehicles at their goals; half of it is paid for coming nearer."""

    width: int

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return _share(Length(self.width, GOAL.start, GOAL.stop, "mean").of_each(next_obs))


@dataclass(frozen=True)
class Apart:
    """1 while nothing is nearer than a distance to another vehicle or a column."""

    gap: float
    column_gap: float
    margin: float = 0.0

    def __call__(self, features: Features, action: Array) -> Array:
        others = tolerance(features["gap"], (self.gap, np.inf), self.margin)
        return others * tolerance(features["column_gap"], (self.column_gap, np.inf))


@dataclass(frozen=True)
class Slow:
    """1 while the vehicles hardly move."""

    def __call__(self, features: Features, action: Array) -> Array:
        return tolerance(features["speed"], (0.0, 0.1), 1.0)


@dataclass(frozen=True)
class AtPlaces:
    """The share of vehicles at places of their own (N, 3)."""

    width: int
    places: tuple[tuple[float, ...], ...]

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return _share(self.distances(next_obs))

    def distances(self, observations: Array) -> Array:
        """Of each vehicle from its place; (B, N)."""
        rows = observations.reshape(len(observations), -1, self.width)
        xp = namespace(rows)
        away = [
            xp.sqrt(sum((rows[:, index, axis] - place[axis]) ** 2 for axis in range(3)))
            for index, place in enumerate(self.places)
        ]
        return xp.stack(away, axis=1)


def _share(away: Array) -> Array:
    """What distances (B, N) are worth, from 0 to 1; (B,)."""
    paid = tolerance(away, (0.0, RADIUS), MARGIN)
    paid = paid + tolerance(away, (0.0, RADIUS), FIELD, "linear", 0.0)
    return paid.sum(1) / (2 * away.shape[1])


@cache
def swarm_measures(vehicles: int, columns: int) -> Measures:
    """The features of swarms of so many, by name."""
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
    """The named tasks of swarms of so many."""
    measures, width = swarm_measures(vehicles, columns), SwarmRules(vehicles, columns).width
    reach = Reach(width)
    untouched = ByFeatures(measures, Apart(2 * BODY, COLUMN + BODY))
    still, apart = ByFeatures(measures, Slow()), ByFeatures(measures, Apart(SPREAD, 0.0, 0.5))
    safely = "Fly each to its own goal, and touch neither each other nor a column."
    tasks = (
        Task("reach", "Fly each to its own goal.", reach),
        Task("reach_safely", safely, Product((reach, untouched))),
        Task("still", "Stay where you are.", still),
        Task(
            "spread", f"Keep {SPREAD:g} m apart from each other, and stay.", Product((apart, still))
        ),
    )
    return MappingProxyType({task.name: task for task in tasks})


def places_task(places: NDArray[np.float64], width: int) -> Task:
    """The task of flying each vehicle to a place of its own; (N, 3)."""
    rows = tuple(tuple(float(number) for number in place) for place in places)
    told = "; ".join(f"({x:.3g}, {y:.3g}, {z:.3g})" for x, y, z in rows)
    goal = places.astype(np.float32)
    return Task("places", f"Fly each to its place: {told}.", AtPlaces(width, rows), goal)
