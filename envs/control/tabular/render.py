"""Pictures of a grid map, made by MiniGrid's `Grid`, and the same as characters.

MiniGrid is loaded when a picture class is made, not with the package.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.tabular.layouts import Cell, Layout
from zerogym.errors import require

TILE = 24  # pixels
Scene = tuple[Cell, NDArray[np.float64]]  # the mover's cell, and what each cell pays
FACING = ("right", "down", "left", "up")  # MiniGrid's directions 0 to 3


class GridPicture:
    """A layout as MiniGrid's `Grid`: walls, goals (pay 1 or more) and lava (pays below 0).

    Args:
        layout: The map.
        needed_by: Who asks, for the error if MiniGrid is not installed.
    """

    def __init__(self, layout: Layout, needed_by: str) -> None:
        self._layout, self._needed_by = layout, needed_by
        grid = require("minigrid.core.grid", "control", needed_by).Grid
        self.grid: Any = grid(len(layout.rows[0]), len(layout.rows))
        objects = self._objects()
        for row, line in enumerate(layout.rows):
            for column, mark in enumerate(line):
                if mark == "#":
                    self.grid.set(column, row, objects.Wall())

    def rgb(self, cell: Cell, facing: int, pays: NDArray[np.float64]) -> NDArray[np.uint8]:
        """The map with the mover on `cell`, (height, width, 3).

        Args:
            cell: Row and column of the mover.
            facing: Where its arrow points, an index of `FACING`.
            pays: (S,) what staying in each state pays.
        """
        objects = self._objects()
        for (row, column), pay in zip(self._layout.cells, pays, strict=True):
            thing = objects.Goal() if pay >= 1 else objects.Lava() if pay < 0 else None
            self.grid.set(column, row, thing)
        picture: NDArray[np.uint8] = self.grid.render(TILE, (cell[1], cell[0]), facing)
        return picture

    def ansi(self, cell: Cell, pays: NDArray[np.float64]) -> str:
        """`#` wall, `@` mover, `G` goal, `x` penalty; one line a row."""
        lines = [list(line) for line in self._layout.rows]
        for (row, column), pay in zip(self._layout.cells, pays, strict=True):
            lines[row][column] = "G" if pay >= 1 else "x" if pay < 0 else " "
        lines[cell[0]][cell[1]] = "@"
        return "\n".join("".join(line) for line in lines)

    def _objects(self) -> Any:
        return require("minigrid.core.world_object", "control", self._needed_by)
