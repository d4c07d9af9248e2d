"""Grid maps as drawings, and their deterministic transitions.

`#` is a wall, a blank is free. States are the free cells in reading order.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from zerogym.errors import UnknownName

Cell = tuple[int, int]

MOVES: Mapping[str, Cell] = MappingProxyType(
    {"stay": (0, 0), "up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
)
ACTION_NAMES = tuple(MOVES)
STAY = ACTION_NAMES.index("stay")
OPEN_SIDES = (2, 32)  # cells


@dataclass(frozen=True)
class Layout:
    """A map with a closed border, and the transitions of `MOVES` on it."""

    name: str
    rows: tuple[str, ...]

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """(row, column) of each state, counted from 0 at the top left."""
        return tuple(
            (r, c) for r, line in enumerate(self.rows) for c, mark in enumerate(line) if mark == " "
        )

    @cached_property
    def index(self) -> dict[Cell, int]:
        """The state of each free cell."""
        return {cell: state for state, cell in enumerate(self.cells)}

    @cached_property
    def next_state(self) -> NDArray[np.int64]:
        """(S, A): the next states; a move into a wall stays in place."""
        table = [
            [self.index.get((r + dr, c + dc), state) for dr, dc in MOVES.values()]
            for state, (r, c) in enumerate(self.cells)
        ]
        array = np.array(table, dtype=np.int64)
        array.setflags(write=False)
        return array


def cell_text(cell: Cell) -> str:
    """Return a cell in words."""
    return f"row {cell[0]}, column {cell[1]}"


def state_text(layout: Layout, state: int) -> str:
    """Return the cell of a state in words, and the moves that no wall blocks."""
    after = layout.next_state[state]
    free = [name for name, to in zip(ACTION_NAMES, after, strict=True) if to != state]
    return f"You are at {cell_text(layout.cells[state])}. Open: {', '.join(free)}."


def greedy_policy(layout: Layout, goal: int) -> NDArray[np.float64]:
    """Return the straight-line baseline: a random move to the free neighbour nearest to the goal.

    Nearest by |rows| + |columns| with walls ignored; ties are drawn evenly; on the goal it stays.
    A map that this policy solves is no test of planning.

    Returns:
        Probabilities (S, A).
    """
    cells = np.array(layout.cells)  # (S, 2)
    distance = np.abs(cells - cells[goal]).sum(axis=1).astype(np.float64)  # (S,)
    after = distance[layout.next_state]  # (S, A)
    after[layout.next_state == np.arange(len(cells))[:, None]] = np.inf  # a bump is no move
    best = after == after.min(axis=1, keepdims=True)
    best[goal] = np.arange(len(MOVES)) == STAY
    return best / best.sum(axis=1, keepdims=True)


_DRAWINGS = {
    "four_rooms": """
#########
#   #   #
#       #
#   #   #
## ### ##
#   #   #
#   #   #
#       #
#########
""",
    # After the map of "Between MDPs and semi-MDPs" (1999): rooms of unequal size.
    "four_rooms_13": """
#############
#     #     #
#     #     #
#           #
#     #     #
#     #     #
## ####     #
#     ### ###
#     #     #
#     #     #
#           #
#     #     #
#############
""",
    # Openings at opposite ends, so that shortest paths often lead away from the goal.
    "u_map": """
##########
#  #     #
#  #  #  #
#  #  #  #
#  #  #  #
#  #  #  #
#     #  #
#     #  #
##########
""",
}
LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {name: Layout(name, tuple(map_.strip("\n").split("\n"))) for name, map_ in _DRAWINGS.items()}
)


@cache
def _open_layout(side: int) -> Layout:
    border, row = "#" * (side + 2), f"#{' ' * side}#"
    return Layout(f"open_{side}", (border, *[row] * side, border))


def find_layout(name: str) -> Layout:
    """Return a layout by name: one of `LAYOUTS`, or `open_<n>`, n x n cells without inner walls.

    Raises:
        UnknownName: If there is none.
    """
    if name in tuple(LAYOUTS):
        return LAYOUTS[name]
    found = re.fullmatch(r"open_([1-9][0-9]?)", str(name))
    if found is None or not OPEN_SIDES[0] <= int(found[1]) <= OPEN_SIDES[1]:
        raise UnknownName("layout", name, [*LAYOUTS, *(f"open_{side}" for side in OPEN_SIDES)])
    return _open_layout(int(found[1]))
