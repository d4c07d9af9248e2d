"""Rewards and named features that are tables over states: NumPy arrays or torch tensors.

Observations begin with the state (or its place), one-hot. Left out: features of hidden parts of the
state, such as the sign that a T-maze no longer shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace, table_like
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.tabular.layouts import MOVES, STAY, Cell, Layout

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CellFeature:
    """A number for each place; observations (..., k) begin with the place, one-hot.

    Attributes:
        values: (S,).
    """

    values: Floats

    def __call__(self, observations: Array) -> Array:
        places = observations[..., : len(self.values)]
        return table_like(self.values, places)[places.argmax(-1)]


@dataclass(frozen=True, eq=False)
class ObservationIs:
    """1 where an observation (k,) equals this one, else 0.

    Attributes:
        pattern: (k,).
    """

    pattern: tuple[int, ...]

    def __call__(self, observations: Array) -> Array:
        pattern = table_like(np.array(self.pattern, dtype=np.float64), observations)
        return namespace(observations).where((observations == pattern).all(-1), 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class StateReward:
    """The reward of entering a state or place; `values` (S,), observations begin one-hot."""

    values: Floats

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return CellFeature(self.values)(next_obs)


@dataclass(frozen=True, eq=False)
class StateActionReward:
    """The reward of an action in a state; `values` (S, A), observations one-hot (B, S)."""

    values: Floats

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        xp = namespace(obs)
        chosen = np.asarray(action).astype(np.int64) if xp is np else action.long()
        return table_like(self.values, obs)[obs.argmax(-1), chosen]


def place_measures(cells: Sequence[Cell]) -> Measures:
    """Return `row` and `column` of the places (row, column), in the order of the states."""
    rows, columns = np.array(cells, dtype=np.float64).T
    return {"row": CellFeature(rows), "column": CellFeature(columns)}


@cache
def grid_measures(layout: Layout) -> Measures:
    """Return `row`, `column`, and `walls`, the number of the four neighbours that are walls."""
    blocked = layout.next_state == np.arange(len(layout.cells))[:, None]  # (S, A)
    steps = [action for action in range(len(MOVES)) if action != STAY]
    walls = blocked[:, steps].sum(axis=1).astype(np.float64)
    return {**place_measures(layout.cells), "walls": CellFeature(walls)}
