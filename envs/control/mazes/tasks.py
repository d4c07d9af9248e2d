"""Tasks of point mazes: named goals, and smooth rewards for zero-shot evaluation.

| names | reward, by the place entered |
|---|---|
| `goal_left`, `goal_middle_top`, ..., `goal_0`, ... | 1 within the goal's radius, less beyond |
| `peak_0` ... `peak_7` | a wide peak minus half a hill elsewhere, in [-0.5, 1] |

The peaks are drawn from a fixed seed, so they are the same on every machine. All our choice.
Rewards run on NumPy arrays, in float64, and on torch tensors, in the tensors' type.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.tasks import Task, tolerance
from zerogym.envs.control.mazes.layouts import LAYOUTS, Point
from zerogym.envs.control.mazes.physics import GOAL_RADIUS, Maze, is_free

PEAK_MARGIN, HILL_MARGIN, HILL_HEIGHT = 1.0, 0.6, 0.5
NUM_PEAKS = 8
_SEED = 20_201
_NOTHING = 18.1  # margins: 0.1 ** (18.1 ** 2) is less than half of the least float64


@dataclass(frozen=True, eq=False)
class Bump:
    """1 within `radius` of `centre`, 0.1 at `margin` beyond it."""

    centre: Point
    margin: float
    radius: float = GOAL_RADIUS

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        away = distance(next_obs, self.centre)
        xp = namespace(away)
        # At this distance the reward is 0 in float64, and powers that underflow take ten times as
        # long.
        far = away > self.radius + _NOTHING * self.margin
        near = tolerance(xp.where(far, self.radius, away), (0.0, self.radius), self.margin)
        return xp.where(far, 0.0, near)


@dataclass(frozen=True, eq=False)
class PeakAndHill:
    """A peak of height 1 minus a hill of height `HILL_HEIGHT`."""

    peak: Bump
    hill: Bump

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        cost = HILL_HEIGHT * self.hill(obs, action, next_obs)
        return self.peak(obs, action, next_obs) - cost


def distance(positions: Array, centre: Any) -> Array:
    """Return Euclidean distances of positions (..., 2) from a point, walls ignored; (...)."""
    xp = namespace(positions)
    places = np.asarray(positions, dtype=np.float64) if xp is np else positions
    x, y = places[..., 0] - float(centre[0]), places[..., 1] - float(centre[1])
    return xp.sqrt(x**2 + y**2)


def goal_task(goal: Any, name: str = "", radius: float = GOAL_RADIUS) -> Task:
    """Return the goal task of a free point (2,): 1 within the radius, 0.1 at twice the radius."""
    point = np.asarray(goal, dtype=np.float32)
    text = f"Go to the point ({point[0]:.2f}, {point[1]:.2f}) and stay there."
    reward = Bump((float(point[0]), float(point[1])), radius, radius)
    return Task(name or f"goal({point[0]:.2f}, {point[1]:.2f})", text, reward, point)


@cache
def maze_tasks(layout: str) -> Mapping[str, Task]:
    """Return all tasks of a layout by name: goals first."""
    maze, goals = LAYOUTS[layout].maze, LAYOUTS[layout].goals
    tasks = [goal_task(point, name, maze.goal_radius) for name, point in goals.items()]
    rng = np.random.default_rng(_SEED)
    for number in range(NUM_PEAKS):
        (x, y), (off_x, off_y) = (draw_free(rng, maze).astype(np.float64) for _ in range(2))
        text = (
            f"Stay as near to ({x:.2f}, {y:.2f}) and as far from ({off_x:.2f}, {off_y:.2f}) as you "
            "can."
        )
        reward = PeakAndHill(Bump((x, y), PEAK_MARGIN), Bump((off_x, off_y), HILL_MARGIN))
        tasks.append(Task(f"peak_{number}", text, reward))
    return MappingProxyType({task.name: task for task in tasks})


def draw_free(rng: np.random.Generator, maze: Maze) -> NDArray[np.float32]:
    """Draw a position (2,) uniformly from the free part of a maze."""
    while True:  # most of the square is free
        point = rng.uniform(maze.low, maze.high, size=2).astype(np.float32)
        if is_free(maze, point[None])[0]:
            return point
