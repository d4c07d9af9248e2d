"""The tasks of the point maze: nine named goals, and smooth rewards for zero-shot evaluation.

| names | reward, by the place entered |
|---|---|
| `goal_left`, `goal_middle_top`, ... (3 x 3) | 1 within `GOAL_RADIUS` of the goal, less beyond |
| `peak_0` ... `peak_7` | a wide peak minus half a hill elsewhere, in [-0.5, 1] |

The peaks are drawn from a fixed seed, so they are the same on every machine. All our choice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.maze_physics import SIZE, is_free
from zerogym.envs.control.tasks import Task, tolerance

GOAL_RADIUS = 0.2  # the goal is reached within this distance
GOAL_MARGIN = 0.2  # beyond the radius, where the reward has fallen to 0.1
PEAK_MARGIN, HILL_MARGIN, HILL_HEIGHT = 1.0, 0.6, 0.5
NUM_PEAKS = 8
_SEED = 20_201
_COLUMNS = {"left": 0.4375, "middle": 1.5, "right": 2.5625}
_ROWS = {"bottom": 0.375, "": 1.5, "top": 2.625}


@dataclass(frozen=True, eq=False)
class Bump:
    """1 within `GOAL_RADIUS` of `centre` (2,), 0.1 at `margin` beyond it."""

    centre: NDArray[np.float64]
    margin: float

    def __call__(
        self, obs: NDArray[Any], action: NDArray[Any], next_obs: NDArray[Any]
    ) -> NDArray[np.float64]:
        return tolerance(distance(next_obs, self.centre), (0.0, GOAL_RADIUS), self.margin)


@dataclass(frozen=True, eq=False)
class PeakAndHill:
    """A peak that pays 1, and a hill that costs `HILL_HEIGHT`."""

    peak: Bump
    hill: Bump

    def __call__(
        self, obs: NDArray[Any], action: NDArray[Any], next_obs: NDArray[Any]
    ) -> NDArray[np.float64]:
        cost = HILL_HEIGHT * self.hill(obs, action, next_obs)
        return self.peak(obs, action, next_obs) - cost


def distance(positions: NDArray[Any], centre: NDArray[Any]) -> NDArray[np.float64]:
    """Euclidean distances of positions (..., 2) from a point, walls ignored; (...)."""
    away = np.asarray(positions, dtype=np.float64) - centre
    return np.sqrt((away**2).sum(axis=-1))


def goal_task(goal: NDArray[Any], name: str = "") -> Task:
    """Go to a free point (2,) and stay."""
    point = np.asarray(goal, dtype=np.float32)
    text = f"Go to the point ({point[0]:.2f}, {point[1]:.2f}) and stay there."
    reward = Bump(point.astype(np.float64), GOAL_MARGIN)
    return Task(name or f"goal({point[0]:.2f}, {point[1]:.2f})", text, reward, point)


@cache
def maze_tasks() -> Mapping[str, Task]:
    """All tasks by name: goals first."""
    tasks = [
        goal_task(np.array([x, y]), "_".join(filter(None, ("goal", column, row))))
        for column, x in _COLUMNS.items()
        for row, y in _ROWS.items()
    ]
    rng = np.random.default_rng(_SEED)
    tasks += [_peak(number, rng) for number in range(NUM_PEAKS)]
    return MappingProxyType({task.name: task for task in tasks})


def draw_free(rng: np.random.Generator) -> NDArray[np.float32]:
    """A position (2,) drawn evenly from the free part of the square."""
    while True:  # most of the square is free
        point = rng.uniform(0.0, SIZE, size=2).astype(np.float32)
        if is_free(point[None])[0]:
            return point


def _peak(number: int, rng: np.random.Generator) -> Task:
    peak, hill = (draw_free(rng).astype(np.float64) for _ in range(2))
    text = (
        f"Stay as near to ({peak[0]:.2f}, {peak[1]:.2f}) and as far from "
        f"({hill[0]:.2f}, {hill[1]:.2f}) as you can."
    )
    reward = PeakAndHill(Bump(peak, PEAK_MARGIN), Bump(hill, HILL_MARGIN))
    return Task(f"peak_{number}", text, reward)
