"""Pictures of a grid map by MiniGrid's `Grid`, and as characters.

MiniGrid is imported when the first picture is drawn, not with the package.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.tabular.layouts import Cell, Layout
from zerogym.errors import require

TILE = 24  # pixels
Scene = tuple[Cell, NDArray[np.float64]]  # the mover's cell, and the reward of each cell
FACING = ("right", "down", "left", "up")  # MiniGrid's directions 0 to 3


class GridPicture:
    """A layout as MiniGrid's `Grid`: walls, goals (reward 1 or more) and lava (below 0).

    Args:
        layout: The map.
        needed_by: The environment, for the error if MiniGrid is not installed.
    """

    def __init__(self, layout: Layout, needed_by: str) -> None:
        self._layout, self._needed_by = layout, needed_by

    @cached_property
    def grid(self) -> Any:
        """MiniGrid's map of the walls.

        Raises:
            MissingExtra: If MiniGrid is not installed.
        """
        layout = self._layout
        grid = require("minigrid.core.grid", "control", self._needed_by).Grid
        grid = grid(len(layout.rows[0]), len(layout.rows))
        objects = self._objects()
        for row, line in enumerate(layout.rows):
            for column, mark in enumerate(line):
                if mark == "#":
                    grid.set(column, row, objects.Wall())
        return grid

    def rgb(self, cell: Cell, facing: int, rewards: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Return an image (height, width, 3) of the map with the mover on `cell`.

        Args:
            cell: Row and column of the mover.
            facing: Direction of its arrow, an index of `FACING`.
            rewards: (S,) the reward of each cell.
        """
        objects, grid = self._objects(), self.grid
        for (row, column), reward in zip(self._layout.cells, rewards, strict=True):
            thing = objects.Goal() if reward >= 1 else objects.Lava() if reward < 0 else None
            grid.set(column, row, thing)
        picture: NDArray[np.uint8] = grid.render(TILE, (cell[1], cell[0]), facing)
        return picture

    def ansi(self, cell: Cell, rewards: NDArray[np.float64]) -> str:
        """Return `#` wall, `@` mover, `G` goal, `x` penalty; one line for each row."""
        lines = [list(line) for line in self._layout.rows]
        for (row, column), reward in zip(self._layout.cells, rewards, strict=True):
            lines[row][column] = "G" if reward >= 1 else "x" if reward < 0 else " "
        lines[cell[0]][cell[1]] = "@"
        return "\n".join("".join(line) for line in lines)

    def _objects(self) -> Any:
        return require("minigrid.core.world_object", "control", self._needed_by)
