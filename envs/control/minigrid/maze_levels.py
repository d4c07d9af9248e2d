"""Mazes as vectors, for unsupervised environment design: the level is an argument.

A level is a vector of whole numbers, so that a curriculum can store, change,
interpolate or generate levels. "Prioritized Level Replay" (2020, arXiv 2010.03934) replays them,
"Evolving Curricula with Regret-Based Environment Design" (2022, arXiv 2203.01302) edits them,
"CLUTR: Curriculum Learning via Unsupervised Task Representation Learning" (2022, arXiv 2210.10243)
and "DRED: Zero-Shot Transfer in Reinforcement Learning via Data-Regularised Environment Design"
(2024, arXiv 2402.03479) learn a generative model of such vectors.

The mazes are of the kind of "Emergent Complexity and Zero-shot Transfer via
Unsupervised Environment Design" (2020, arXiv 2012.02096): walls on an open square, a start, a
goal. Left out: lava, doors and keys in levels, and the curricula themselves.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MIN_SIZE, MAX_SIZE = 3, 25
HEAD = 3  # numbers before those of the walls
_BESIDE = ((0, 1), (1, 0), (0, -1), (-1, 0))
_TRIES = 10_000  # draws of a level; only dense walls need more than a few


@dataclass(frozen=True, eq=False)
class MazeLevel:
    """A square maze. Cells are numbered by rows, from the top left.

    Attributes:
        walls: (size, size) bool.
        start: Number of the agent's cell.
        facing: Its direction: 0 right, 1 down, 2 left, 3 up.
        goal: Number of the goal's cell.
    """

    walls: NDArray[np.bool_]
    start: int
    facing: int
    goal: int

    @property
    def size(self) -> int:
        """Cells along a side, without the outer walls."""
        return len(self.walls)

    @property
    def num_walls(self) -> int:
        """Number of cells that are wall."""
        return int(self.walls.sum())

    @property
    def path_length(self) -> int | None:
        """Steps of the shortest path from start to goal, None if there is none."""
        size, far = self.size, {self.start: 0}
        queue = deque([self.start])
        while queue:
            cell = queue.popleft()
            if cell == self.goal:
                return far[cell]
            for dr, dc in _BESIDE:
                r, c = cell // size + dr, cell % size + dc
                after = r * size + c
                if 0 <= r < size and 0 <= c < size and not self.walls[r, c] and after not in far:
                    far[after] = far[cell] + 1
                    queue.append(after)
        return None

    @property
    def solvable(self) -> bool:
        """True if the goal can be reached."""
        return self.path_length is not None

    def vector(self) -> NDArray[np.int64]:
        """Return (3 + size * size,): start, direction, goal, then 1 for each wall cell."""
        return np.array([self.start, self.facing, self.goal, *self.walls.ravel()], dtype=np.int64)


def level_of(vector: Any) -> MazeLevel:
    """Return the maze of a vector.

    Raises:
        ValueError: If it is not the vector of a maze: of a wrong length, not whole numbers, start
            or goal outside, in a wall or on the same cell.

    Example:
        >>> maze = level_of([0, 0, 8, 0, 1, 0, 0, 1, 0, 0, 0, 0])
        >>> maze.size, maze.num_walls, maze.path_length
        (3, 2, 4)
    """
    try:
        numbers = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"level must be a vector of numbers, got {str(vector)[:60]}") from None
    size = round(max(numbers.size - HEAD, 0) ** 0.5)
    if numbers.shape != (HEAD + size * size,) or not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(
            f"level must have 3 + n * n numbers, n from {MIN_SIZE} to {MAX_SIZE}, "
            f"got shape {numbers.shape}"
        )
    start, facing, goal = numbers[:HEAD].tolist()
    walls = numbers[HEAD:]
    if start not in range(size * size) or goal not in range(size * size) or start == goal:
        raise ValueError(
            f"level: start and goal must be two of the cells 0 to {size * size - 1}, "
            f"got {start:g} and {goal:g}"
        )
    if facing not in range(4):
        raise ValueError(f"level: the direction must be 0, 1, 2 or 3, got {facing:g}")
    if not np.isin(walls, (0, 1)).all():
        bad = walls[~np.isin(walls, (0, 1))][0]
        raise ValueError(f"level: walls must be 0 or 1, got {bad:g}")
    if walls[int(start)] or walls[int(goal)]:
        raise ValueError("level: start or goal is in a wall")
    return MazeLevel(walls.reshape(size, size) == 1, int(start), int(facing), int(goal))


def random_level(rng: np.random.Generator, size: int, num_walls: int) -> MazeLevel:
    """Draw a solvable maze with this many walls, all places uniform.

    Raises:
        ValueError: If there is no room for them, or walls are so many that no draw is solvable.
    """
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(f"size must be from {MIN_SIZE} to {MAX_SIZE}, got {size}")
    if not 0 <= num_walls <= size * size - 2:
        raise ValueError(f"num_walls must be from 0 to {size * size - 2}, got {num_walls}")
    for _ in range(_TRIES):
        drawn = rng.permutation(size * size)[: num_walls + 2]
        walls = np.zeros(size * size, dtype=bool)
        walls[drawn[2:]] = True
        level = MazeLevel(
            walls.reshape(size, size), int(drawn[0]), int(rng.integers(4)), int(drawn[1])
        )
        if level.solvable:
            return level
    raise ValueError(f"found no solvable maze of size {size} with {num_walls} walls")


def mutate(rng: np.random.Generator, level: MazeLevel, edits: int = 1) -> MazeLevel:
    """Return an edited level: each edit toggles a wall, or moves start or goal to a free cell.

    Half of the edits are of walls. The result need not be solvable; see `MazeLevel.solvable`.
    """
    walls, start, goal = level.walls.copy(), level.start, level.goal
    flat = walls.reshape(-1)  # a view
    for _ in range(edits):
        kind = int(rng.integers(4))
        if kind < 2:
            cell = int(rng.choice([n for n in range(flat.size) if n not in (start, goal)]))
            flat[cell] = not flat[cell]
            continue
        free = [n for n in np.flatnonzero(~flat).tolist() if n not in (start, goal)]
        if free and kind == 2:
            start = int(rng.choice(free))
        elif free:
            goal = int(rng.choice(free))
    return MazeLevel(walls, start, level.facing, goal)
