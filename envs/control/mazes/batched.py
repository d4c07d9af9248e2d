"""Vectorised points in one maze, in NumPy or in torch on any device.

Positions equal those of single environments bit for bit. All episodes have the same length and
share one counter. Left out: a reset of single rows, and more than one maze in a batch.
"""

from typing import Any

import numpy as np

from zerogym.envs.control.core.array_batch import ArrayBatch
from zerogym.envs.control.core.arrays import Array
from zerogym.envs.control.mazes.physics import Bounds, Maze, is_free, move
from zerogym.envs.control.mazes.tasks import distance


class BatchedMaze(ArrayBatch):
    """`n` points in a maze with one task; made by `env.unwrapped.batched(n)`.

    Args:
        maze: The maze.
        arguments: Of `ArrayBatch`.

    Attributes:
        positions: (n, 2) float32.
        success: (n,) bool: True once the row has been at the goal of the task.
        turn: Steps so far.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> points = gym.make("zerogym/PointMaze-v0", task="goal_left").unwrapped.batched(3)
        >>> positions = points.reset(seed=0)
        >>> positions, rewards, over = points.step(np.ones((3, 2)))
        >>> positions.shape, rewards.shape, over
        ((3, 2), (3,), False)
    """

    def __init__(self, maze: Maze, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.maze = maze
        self._bounds = Bounds(*(self._array(each) for each in maze.bounds))
        self.turn = self.horizon  # no episode runs before `reset`

    def reset(self, seed: int | None = None, starts: Any = None) -> Array:
        """Begin all episodes.

        Args:
            seed: Seed of the starts, uniform in the free part.
            starts: (n, 2) free places, instead of a draw.

        Returns:
            (n, 2) float32 positions.

        Raises:
            ValueError: If the starts are not n free places.
        """
        if starts is None:
            rng, places = np.random.default_rng(seed), np.empty((0, 2), dtype=np.float32)
            while len(places) < self.n:  # most of the square is free
                drawn = rng.uniform(self.maze.low, self.maze.high, (self.n, 2)).astype(np.float32)
                places = np.concatenate([places, drawn[is_free(self.maze, drawn)]])
            places = places[: self.n]
        else:
            with np.errstate(over="ignore"):  # numbers beyond float32 are not free
                places = np.asarray(starts, dtype=np.float32)
            if places.shape != (self.n, 2) or not is_free(self.maze, places).all():
                raise ValueError(f"starts must be {self.n} free points (x, y) of the maze")
        self.positions = self._array(places)
        self.success = self._array(np.zeros(self.n, dtype=np.bool_))
        self.turn = 0
        return self.positions

    def step(self, actions: Array) -> tuple[Array, Array, bool]:
        """Move all points.

        Args:
            actions: (n, 2) in [-1, 1], clipped; of this batch's library.

        Returns:
            Positions (n, 2) float32, rewards (n,), and True if the episodes are over. Arrays are
            new in each step.

        Raises:
            ValueError: If the actions are not (n, 2) finite numbers.
            RuntimeError: If the episodes are over, or none has begun.
        """
        xp = self._xp
        if self.turn >= self.horizon:
            raise RuntimeError("the episodes are over: call reset()")
        with np.errstate(over="ignore"):  # numbers beyond float32 are not finite
            given = xp.asarray(actions, dtype=xp.float32)
        if tuple(given.shape) != (self.n, 2) or not bool(xp.isfinite(given).all()):
            raise ValueError(f"actions must be ({self.n}, 2) finite numbers in [-1, 1]")
        given, before = xp.clip(given, -1.0, 1.0), self.positions
        self.positions = move(self.maze, before, given, self._bounds)
        self.turn += 1
        rewards = self._rewards(before, given, self.positions)
        if self.task is not None and self.task.goal is not None:
            away = distance(self.positions, self.task.goal)
            self.success = self.success | (away <= self.maze.goal_radius)
        return self.positions, rewards, self.turn >= self.horizon
