"""Kitchens of Overcooked-mini: layouts, and the outcome of a round of both cooks' moves.

A move into a station or a table uses it, which stands in for the direction and the extra action of
the original. Left out: other dishes than onion soup, and items on the floor.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NOTHING, ONION, DISH, SOUP = range(4)
ITEMS = ("nothing", "an onion", "a dish", "a soup")
MOVES = ("north", "south", "west", "east", "stay")
STAY = 4

# O onions, D dishes, P a pot, S where soups are served, = a table, # a wall, 1 and 2 the cooks.
LAYOUTS = {
    "room": ("##P##", "O1.2O", "#...#", "#D=S#"),
    "ring": ("##P##", "O1.2O", "#.=.#", "D...S", "#####"),
    "divided": ("#####", "O1=2P", "D.=.S", "#####"),
}


class Kitchen(NamedTuple):
    """Everything that moves.

    Attributes:
        cooks: The cell and the item of each.
        tables: The item on each table.
        pots: For each pot, its onions, and the rounds that it still cooks.
    """

    cooks: tuple[tuple[int, int], tuple[int, int]]
    tables: tuple[int, ...]
    pots: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Plan:
    """A layout: cells are numbered row by row.

    Attributes:
        rows: As in `LAYOUTS`.
        kinds: The letter of each cell; floor is a dot.
        starts: Cells of the cooks.
        tables: Cells of tables, by which items on them are numbered.
        pots: Cells of pots.
    """

    rows: tuple[str, ...]
    kinds: str
    starts: tuple[int, int]
    tables: tuple[int, ...]
    pots: tuple[int, ...]

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.rows[0])

    @cached_property
    def stations(self) -> NDArray[np.float32]:
        """The kinds of all cells, one-hot: float32 (7, cells)."""
        rows = [[kind == each for each in self.kinds] for kind in "#.ODPS="]
        return np.array(rows, dtype=np.float32)

    def beside(self, cell: int, move: int) -> int:
        """Return the cell that a move leads to; layouts have a border, so there is one."""
        return cell + (-self.width, self.width, -1, 1, 0)[move]

    def name(self, cell: int) -> str:
        """Return a cell as a letter for the column and a number for the row, such as `c1`."""
        return f"{'abcdefgh'[cell % self.width]}{cell // self.width + 1}"

    def opening(self) -> Kitchen:
        """Return the kitchen before the first round."""
        first, second = self.starts
        empty = (NOTHING,) * len(self.tables)
        return Kitchen(((first, NOTHING), (second, NOTHING)), empty, ((0, 0),) * len(self.pots))


@lru_cache(maxsize=16)
def plan_of(layout: str) -> Plan:
    """Return a layout by its name."""
    rows = LAYOUTS[layout]
    cells = "".join(rows)
    places = {kind: tuple(n for n, each in enumerate(cells) if each == kind) for kind in "=P"}
    kinds = cells.replace("1", ".").replace("2", ".")
    return Plan(rows, kinds, (cells.index("1"), cells.index("2")), places["="], places["P"])


def after_round(
    plan: Plan, onions: int, cook_time: int, kitchen: Kitchen, moves: Sequence[int]
) -> tuple[Kitchen, int]:
    """Return the kitchen after a round, and the soups that were served in it.

    Stations and tables are used first, by cook 1 before cook 2; then both step, unless they would
    be in one cell or change places, when neither does; then pots cook.

    Args:
        plan: The layout.
        onions: Of a soup, with which a pot begins to cook.
        cook_time: Rounds from the last onion to the soup.
        kitchen: Before the round.
        moves: Numbers in `MOVES`, of each cook.
    """
    tables, pots, served = list(kitchen.tables), list(kitchen.pots), 0
    held = [item for _, item in kitchen.cooks]
    cells = [cell for cell, _ in kitchen.cooks]
    steps = list(cells)
    for cook, move in enumerate(moves):
        target, item = plan.beside(cells[cook], move), held[cook]
        kind = plan.kinds[target]
        if kind == ".":
            steps[cook] = target
        elif kind == "=":
            place = plan.tables.index(target)
            if (item == NOTHING) != (tables[place] == NOTHING):
                held[cook], tables[place] = tables[place], item
        elif kind == "P":
            place = plan.pots.index(target)
            count, left = pots[place]
            if item == ONION and count < onions:
                held[cook] = NOTHING
                pots[place] = (count + 1, cook_time if count + 1 == onions else 0)
            elif item == DISH and count == onions and left == 0:
                held[cook], pots[place] = SOUP, (0, 0)
        elif kind == "S" and item == SOUP:
            held[cook], served = NOTHING, served + 1
        elif item == NOTHING and kind in "OD":
            held[cook] = ONION if kind == "O" else DISH
    if steps[0] == steps[1] or steps == cells[::-1]:
        steps = cells
    cooks = ((steps[0], held[0]), (steps[1], held[1]))
    cooked = tuple((count, max(0, left - 1)) for count, left in pots)
    return Kitchen(cooks, tuple(tables), cooked), served
