"""Mazes of axis-aligned walls in a square, and the motion of many points in one at once.

Everything is exact in float32: faces of walls are float32 numbers, and rounding cannot carry a
position across a number that is itself one. The free range of a point along an axis depends only on
its slot between the faces, so it is looked up in a table, which NumPy and torch share.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace

STEP = 0.2  # distance that an action of 1 covers along an axis, if the maze sets no other
GOAL_RADIUS = 0.2  # a goal is reached within this distance, if the maze sets no other

Floats = NDArray[np.float64]
Box = tuple[float, float, float, float]  # x from, x to, y from, y to


class Bounds(NamedTuple):
    """Tables of the free range of a point along each axis, by the slots of its coordinates.

    M faces cut an axis into 2 M + 1 slots: below the first, on it, between it and the second, ...
    The tables are flat; (x slot, y slot) is the entry `x slot * (2 My + 1) + y slot`.
    """

    faces_x: Array  # (Mx,) sorted
    faces_y: Array  # (My,)
    left: Array  # (S,) the least x that a point can slide to along x, S = (2 Mx + 1) (2 My + 1)
    right: Array  # (S,) the greatest
    down: Array  # (S,) the same along y
    up: Array  # (S,)


@dataclass(frozen=True)
class Maze:
    """A square with walls.

    Attributes:
        name: For messages.
        walls: Open boxes that nothing enters; their faces are free. One that ends on the border
            should go on beyond it, and neighbours should overlap, else a point slips between.
        high: Upper end of both coordinates.
        low: Lower end of both.
        step: Distance that an action of 1 covers along an axis.
        goal_radius: A goal is reached within this distance.
    """

    name: str
    walls: tuple[Box, ...]
    high: float
    low: float = 0.0
    step: float = STEP
    goal_radius: float = GOAL_RADIUS

    def __post_init__(self) -> None:
        numbers = np.array([*np.ravel(self.walls), self.low, self.high])
        if not np.array_equal(numbers, numbers.astype(np.float32)):
            raise ValueError(f"maze {self.name!r}: walls and borders must be float32 numbers")

    def __deepcopy__(self, memo: dict[int, Any]) -> "Maze":
        return self  # immutable; snapshots of episodes share it

    @cached_property
    def bounds(self) -> Bounds:
        """The tables of the motion, as NumPy arrays."""
        boxes = np.array(self.walls, dtype=np.float64).reshape(-1, 4)  # (K, 4)
        xs, ys = np.unique(boxes[:, :2]), np.unique(boxes[:, 2:])
        places_x, places_y = self._places(xs), self._places(ys)
        x, y = (each.ravel() for each in np.meshgrid(places_x, places_y, indexing="ij"))  # (S,)
        left, right = self._reach(x, y, boxes)
        down, up = self._reach(y, x, boxes[:, [2, 3, 0, 1]])
        return Bounds(xs, ys, left, right, down, up)

    @cached_property
    def listed(self) -> tuple[list[float], ...]:
        """The tables of the motion, as lists."""
        return tuple(table.tolist() for table in self.bounds)

    def _places(self, faces: Floats) -> Floats:
        """Return one place in each slot of an axis; (2 M + 1,)."""
        ends = np.concatenate([[self.low - 1], faces, [self.high + 1]])
        places = np.empty(2 * len(faces) + 1)
        places[::2], places[1::2] = (ends[:-1] + ends[1:]) / 2, faces
        return places

    def _reach(self, along: Floats, across: Floats, boxes: Floats) -> tuple[Floats, Floats]:
        """Return the first face or border below and above `along`; all (S,), boxes (K, 4)."""
        low, high, side_low, side_high = boxes.T  # (K,) each
        here, beside = along[:, None], across[:, None]  # (S, 1)
        blocking = (beside > side_low) & (beside < side_high)  # (S, K)
        behind = np.where(blocking & (here >= high), high, self.low)
        ahead = np.where(blocking & (here <= low), low, self.high)
        return behind.max(axis=1, initial=self.low), ahead.min(axis=1, initial=self.high)


def move(maze: Maze, positions: Array, actions: Array, bounds: Bounds | None = None) -> Array:
    """Return the positions after actions: along x, then along y, each until the first wall.

    Both legs are swept, so no action passes through a wall; what is left of it slides along.

    Args:
        maze: The maze.
        positions: (B, 2) free positions, of NumPy or torch.
        actions: (B, 2) in [-1, 1], in units of `maze.step`; of the same library.
        bounds: The maze's tables in that library and on that device; not needed for NumPy.

    Returns:
        (B, 2) float32.
    """
    xp = namespace(positions, actions)
    table = maze.bounds if bounds is None else bounds
    x, y = (xp.asarray(positions[:, axis], dtype=xp.float64) for axis in (0, 1))  # (B,)
    shift_x, shift_y = (
        maze.step * xp.asarray(actions[:, axis], dtype=xp.float64) for axis in (0, 1)
    )
    width, row = 2 * len(table.faces_y) + 1, _slot(xp, table.faces_y, y)
    slots = _slot(xp, table.faces_x, x) * width + row  # (B,)
    x = xp.minimum(xp.maximum(x + shift_x, table.left[slots]), table.right[slots])
    slots = _slot(xp, table.faces_x, x) * width + row
    y = xp.minimum(xp.maximum(y + shift_y, table.down[slots]), table.up[slots])
    return xp.asarray(xp.stack([x, y], axis=1), dtype=xp.float32)


def move_one(maze: Maze, position: NDArray[Any], action: NDArray[Any]) -> NDArray[np.float32]:
    """Return `move` of one point; all (2,). In Python's numbers, five times as fast."""
    xs, ys, left, right, down, up = maze.listed
    (x, y), (shift_x, shift_y) = position.tolist(), action.tolist()
    width, row = 2 * len(ys) + 1, bisect_left(ys, y) + bisect_right(ys, y)
    slot = (bisect_left(xs, x) + bisect_right(xs, x)) * width + row
    x = min(max(x + maze.step * shift_x, left[slot]), right[slot])
    slot = (bisect_left(xs, x) + bisect_right(xs, x)) * width + row
    y = min(max(y + maze.step * shift_y, down[slot]), up[slot])
    return np.array([x, y], dtype=np.float32)


def _slot(xp: Any, faces: Array, places: Array) -> Array:
    """Return the slots of places (B,) on an axis; (B,)."""
    below = xp.searchsorted(faces, places, side="left")
    return below + xp.searchsorted(faces, places, side="right")


def is_free(maze: Maze, positions: NDArray[Any]) -> NDArray[np.bool_]:
    """Return True for positions (B, 2) in the square and in no wall; faces are free. (B,)."""
    x, y = np.asarray(positions, dtype=np.float64).T
    free = (x >= maze.low) & (x <= maze.high) & (y >= maze.low) & (y <= maze.high)
    for x0, x1, y0, y1 in maze.walls:
        free &= ~((x > x0) & (x < x1) & (y > y0) & (y < y1))
    return free


def steer(maze: Maze, position: NDArray[Any], target: NDArray[Any]) -> NDArray[np.float32]:
    """Return the action (2,) towards a point, at full speed along each axis."""
    away = np.asarray(target, dtype=np.float64) - position
    return np.clip(away / maze.step, -1.0, 1.0).astype(np.float32)
