"""Shortest paths round the walls of any maze, by a visibility graph.

A shortest path among boxes bends only at their corners ("An algorithm for planning collision-free
paths among polyhedral obstacles", 1979, Communications of the ACM 22). Length counts steps: the
greater of the distances along x and y, because an action moves along both at full speed.

Left out: rounding up to whole steps, at most one step at each corner.
"""

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.mazes.physics import Floats, Maze, is_free, steer

CLEARANCE = 0.015625  # distance of a path from corners: more than rounding
_STRAIGHT = 1e-3  # weight of the Euclidean length beside steps, which breaks ties


class ShortestPaths:
    """Shortest paths in one maze.

    Args:
        maze: The maze.
    """

    def __init__(self, maze: Maze) -> None:
        self.maze = maze
        self._walls: Floats = np.array(maze.walls, dtype=np.float64).reshape(-1, 4)  # (K, 4)

    @cached_property
    def corners(self) -> Floats:
        """The free points just off the corners of walls, where paths bend; (N, 2)."""
        out = np.array([-1, 1, -1, 1]) * CLEARANCE
        x, y = (self._walls + out).reshape(-1, 2, 2).transpose(1, 0, 2)  # (K, 2) each
        points = np.stack(np.broadcast_arrays(x[:, :, None], y[:, None, :]), axis=-1)
        points = points.reshape(-1, 2)
        free: Floats = np.unique(points[is_free(self.maze, points)], axis=0)
        return free

    @cached_property
    def between(self) -> Floats:
        """Lengths of the shortest paths between corners, by Floyd's algorithm; (N, N)."""
        lengths = self._lengths(self.corners[:, None], self.corners[None])
        for via in range(len(lengths)):
            lengths = np.minimum(lengths, lengths[:, via, None] + lengths[via])
        return lengths

    def waypoint(self, position: NDArray[Any], goal: NDArray[Any]) -> Floats:
        """Return the next point of the shortest path, visible from the position; all (2,)."""
        here, there = np.asarray(position, np.float64), np.asarray(goal, np.float64)
        if self.is_clear(here, there):
            return there
        rest = (self.between + self._lengths(self.corners, there)).min(axis=1)  # (N,) to the goal
        first = self._lengths(here, self.corners)
        first[np.abs(self.corners - here).max(axis=1) < CLEARANCE / 64] = np.inf  # already there
        return self.corners[int((first + rest).argmin())]

    def action(self, position: NDArray[Any], goal: NDArray[Any]) -> NDArray[np.float32]:
        """Return the action along the shortest path: straight to the visible waypoint."""
        away = self.waypoint(position, goal) - position
        slower = max(1.0, float(np.abs(away).max()) / self.maze.step)
        return steer(self.maze, np.zeros(2), away / slower)

    def is_clear(self, one: Floats, other: Floats) -> NDArray[np.bool_]:
        """Return True for segments between points (..., 2) that cross no wall; (...)."""
        start, step = one[..., None, :], (other - one)[..., None, :]  # (..., 1, 2)
        low, high = self._walls[:, ::2], self._walls[:, 1::2]  # (K, 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = (low - start) / step, (high - start) / step  # (..., K, 2)
        inside = (start > low) & (start < high)  # for axes along which the segment does not go
        still = step == 0
        enter = np.where(still, np.where(inside, -np.inf, np.inf), np.minimum(*ends)).max(axis=-1)
        leave = np.where(still, np.where(inside, np.inf, -np.inf), np.maximum(*ends)).min(axis=-1)
        crossed = (enter < leave) & (enter < 1) & (leave > 0)  # (..., K)
        clear: NDArray[np.bool_] = ~crossed.any(axis=-1)
        return clear

    def _lengths(self, one: Floats, other: Floats) -> Floats:
        """Return the lengths of segments between points (..., 2); infinite through walls."""
        away = np.abs(other - one)
        length = away.max(axis=-1) + _STRAIGHT * np.hypot(away[..., 0], away[..., 1])
        return np.where(self.is_clear(one, other), length, np.inf)


@lru_cache(maxsize=64)
def shortest_paths(maze: Maze) -> ShortestPaths:
    """Return the shortest paths of a maze, computed once."""
    return ShortestPaths(maze)
