"""The worlds of OGBench that the bridge leads to: sizes, and where an observation has things.

Sizes are written down here, so that spaces are known without the package. Left out: mazes with
teleports (their chance is drawn from NumPy's global generator, and the observation is not the
place afterwards), ball games, scenes and puzzles (their buttons are no physics), pictures as
observations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace

Place = NDArray[np.float64]  # (x, y) in a maze, or x, y, z of each cube


@dataclass(frozen=True)
class OGBenchSpec:
    """Constants of an environment of OGBench, known without the package.

    Attributes:
        name: As in OGBench, without its version.
        observations: Length of an observation.
        actions: Length of an action.
        horizon: Steps in an episode.
        columns: Of an observation, where the place is; three in a row are a cube.
        scale: By which OGBench has multiplied the place.
        centre: Subtracted before, for each number in turn.
        tolerance: Distance at which a goal is reached, in metres.
    """

    name: str
    observations: int
    actions: int
    horizon: int
    columns: tuple[int, ...]
    scale: float
    centre: tuple[float, ...]
    tolerance: float

    @property
    def is_maze(self) -> bool:
        """True if the place is (x, y) in a maze."""
        return len(self.columns) == 2

    @property
    def things(self) -> int:
        """Number of things with a place: the body, or the cubes."""
        return 1 if self.is_maze else len(self.columns) // 3

    def coordinate(self, observations: Array, number: int) -> Array:
        """Return one number of the places of observations (B, n), in metres; (B,)."""
        column = observations[:, self.columns[number]]
        rows = np.asarray(column, dtype=np.float64) if namespace(observations) is np else column
        return rows / self.scale + self.centre[number % len(self.centre)]

    def reached(self, observations: Array, goal: tuple[float, ...]) -> Array:
        """Count the things of observations (B, n) that are at their goals; (B,)."""
        xp, size = namespace(observations), len(self.columns) // self.things
        count: Array = 0.0
        for thing in range(self.things):
            parts = range(thing * size, (thing + 1) * size)
            away = sum((self.coordinate(observations, i) - goal[i]) ** 2 for i in parts)
            count = count + xp.where(xp.sqrt(away) <= self.tolerance, 1.0, 0.0)
        return count


@dataclass(frozen=True)
class Reached:
    """0 where every thing is in its place in the state *before* the step, -1 for each that is not.

    This is the reward of OGBench's single-task versions since 1.2.0.
    """

    world: OGBenchSpec
    goal: tuple[float, ...]

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return self.world.reached(obs, self.goal) - self.world.things


def _mazes() -> list[OGBenchSpec]:
    bodies = {"point": (2, 2, 1.0), "ant": (29, 8, 0.5), "humanoid": (69, 21, 0.5)}
    found = []
    for body, (size, motors, near) in bodies.items():
        for maze in ("medium", "large", "giant"):
            steps = 1000 if body != "humanoid" else 4000 if maze == "giant" else 2000
            name = f"{body}maze-{maze}"
            found.append(OGBenchSpec(name, size, motors, steps, (0, 1), 1.0, (0.0,), near))
    return found


def _cubes() -> list[OGBenchSpec]:
    found = []
    arm, each = 19, 9  # columns of an observation
    steps = {"single": 200, "double": 500, "triple": 1000, "quadruple": 1000, "octuple": 1500}
    for (name, horizon), count in zip(steps.items(), (1, 2, 3, 4, 8), strict=True):
        columns = tuple(arm + each * cube + axis for cube in range(count) for axis in range(3))
        centre = (0.425, 0.0, 0.0)
        size = arm + each * count
        found.append(OGBenchSpec(f"cube-{name}", size, 5, horizon, columns, 10.0, centre, 0.04))
    return found


WORLDS: Mapping[str, OGBenchSpec] = MappingProxyType(
    {world.name: world for world in (*_mazes(), *_cubes())}
)
