"""Value iteration on a grid, for environments with two state numbers, any task and context.

Values are interpolated linearly between the points of the grid, so the discretised problem is a
finite MDP and value iteration converges ("Stable Function Approximation in Dynamic Programming",
1995, ICML: averagers converge). Actions are held for a few steps while planning, which makes moves
longer than a cell; the player looks one held action ahead from the exact state. Near-optimal, not
exact: a finer grid does a little better.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Floats
from zerogym.envs.control.core.tasks import Task

Advance = Callable[[Floats, Floats, Mapping[str, Any]], Floats]
Observe = Callable[[Floats], NDArray[np.float32]]

TOLERANCE = 1e-4  # of the greatest change in a sweep, as a share of the greatest reward
SWEEPS = 2000  # at most


@dataclass(frozen=True)
class Grid:
    """The states, actions and time scale of a plan.

    Attributes:
        low: Least state, (2,).
        high: Greatest.
        cells: Points along each axis.
        circular: Whether the first axis is an angle.
        hold: Steps for which an action is held.
        gamma: Discount of a step.
        moves: Actions that are weighed, evenly in [-1, 1].
    """

    low: tuple[float, float]
    high: tuple[float, float]
    cells: tuple[int, int]
    circular: bool
    hold: int
    gamma: float
    moves: int

    def points(self) -> Floats:
        """Return all points; (N, 2)."""
        ends = (not self.circular, True)  # whether the last point of an axis is its end
        limits = zip(self.low, self.high, self.cells, ends, strict=True)
        axes = [np.linspace(low, high, cells, endpoint=end) for low, high, cells, end in limits]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)

    def weights(self, states: Floats) -> tuple[NDArray[np.intp], Floats]:
        """Return the four points around states (B, 2) and their weights; (4, B) each."""
        low, high, cells = np.array(self.low), np.array(self.high), np.array(self.cells)
        gaps = cells - np.array([0 if self.circular else 1, 1])
        place = (states - low) / (high - low) * gaps
        if self.circular:
            place[:, 0] %= cells[0]
        place = np.clip(place, 0.0, gaps)
        first = np.minimum(place.astype(np.intp), gaps - 1)
        share = place - first
        indices, parts = [], []
        for up in (0, 1):
            for across in (0, 1):
                row = (first[:, 0] + up) % cells[0]
                indices.append(row * cells[1] + first[:, 1] + across)
                one = share[:, 0] if up else 1.0 - share[:, 0]
                other = share[:, 1] if across else 1.0 - share[:, 1]
                parts.append(one * other)
        return np.array(indices), np.array(parts)


class ValueGrid:
    """Values of a task in an environment with two state numbers.

    Args:
        advance: One step: states (B, 2), actions (B,), context.
        observe: Observations of states.
        task: The task.
        context: All constants, as items.
        grid: The grid.
    """

    def __init__(
        self,
        advance: Advance,
        observe: Observe,
        task: Task,
        context: tuple[tuple[str, float], ...],
        grid: Grid,
    ) -> None:
        self._advance, self._observe = advance, observe
        self._task, self._context, self._grid = task, dict(context), grid
        self._moves = np.linspace(-1.0, 1.0, grid.moves)
        points = grid.points()
        ends, rewards = self._held(points)
        indices, parts = grid.weights(ends)
        discount = grid.gamma**grid.hold
        self._values = np.zeros(len(points))
        enough = TOLERANCE * max(float(np.abs(rewards).max()), 1e-12)
        for _ in range(SWEEPS):
            after = (parts * self._values[indices]).sum(axis=0)
            better = (rewards + discount * after).reshape(-1, grid.moves).max(axis=1)
            change = float(np.abs(better - self._values).max())
            self._values = better
            if change <= enough:
                break

    def best(self, state: Floats) -> float:
        """Return the best action in [-1, 1] in a state (2,); the smallest of equal ones."""
        ends, rewards = self._held(state[None])
        indices, parts = self._grid.weights(ends)
        worth = (parts * self._values[indices]).sum(axis=0)
        worth = rewards + self._grid.gamma**self._grid.hold * worth
        good = self._moves[worth >= worth.max() - 1e-9]
        return float(good[np.abs(good).argmin()])

    def _held(self, states: Floats) -> tuple[Floats, Floats]:
        """Hold each action from each state (B, 2): final states (B * A, 2) and returns."""
        now = np.repeat(states, len(self._moves), axis=0)
        actions = np.tile(self._moves, len(states))
        given = actions[:, None].astype(np.float32)
        rewards, before = np.zeros(len(now)), self._observe(now)
        for step in range(self._grid.hold):
            now = self._advance(now, actions, self._context)
            after = self._observe(now)
            rewards += self._grid.gamma**step * self._task.relabel(before, given, after)
            before = after
        return now, rewards


value_grid = lru_cache(maxsize=32)(ValueGrid)  # computed once for each task and context
