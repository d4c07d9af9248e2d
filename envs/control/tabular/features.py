"""Named features of finite worlds: numbers that belong to what is seen, such as row and column.

Left out: features of what cannot be seen, as the sign that a T-maze no longer shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.tabular.layouts import MOVES, STAY, Cell, Layout
from zerogym.envs.control.tabular.rewards import table_like


@dataclass(frozen=True, eq=False)
class CellFeature:
    """A number for each place; observations begin with the place, one-hot.

    Attributes:
        values: (S,).
    """

    values: NDArray[np.float64]

    def __call__(self, observations: Array) -> Array:
        seen = observations[..., : len(self.values)]
        return table_like(self.values, seen)[seen.argmax(-1)]


@dataclass(frozen=True, eq=False)
class ObservationIs:
    """1 where an observation (k,) is this one, else 0.

    Attributes:
        pattern: (k,).
    """

    pattern: tuple[int, ...]

    def __call__(self, observations: Array) -> Array:
        xp = namespace(observations)
        pattern = table_like(np.array(self.pattern, dtype=np.float64), observations)
        return xp.where((observations == pattern).all(-1), 1.0, 0.0)


def place_measures(cells: Sequence[Cell]) -> Measures:
    """`row` and `column` of the places (row, column), in the order of the states."""
    rows, columns = np.array(cells, dtype=np.float64).T
    return {"row": CellFeature(rows), "column": CellFeature(columns)}


@cache
def grid_measures(layout: Layout) -> Measures:
    """`row`, `column`, and how many of the four neighbours are `walls`: in a corridor two."""
    blocked = layout.next_state == np.arange(len(layout.cells))[:, None]  # (S, A)
    ways = [action for action in range(len(MOVES)) if action != STAY]
    walls = blocked[:, ways].sum(axis=1).astype(np.float64)
    return {**place_measures(layout.cells), "walls": CellFeature(walls)}
