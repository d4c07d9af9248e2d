"""The layouts of the point maze: `s`, given by its two walls, and others given as drawings.

In a drawing `#` is a wall, a blank is free, and a digit a free cell whose middle is a named goal;
y points up and a cell has the side `CELL`. The drawings are ours; the idea of mazes of growing size
is that of "D4RL" (2020, arXiv 2004.07219) and "OGBench" (2024, arXiv 2410.20092).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.mazes.physics import Box, Maze

CELL = 0.5

Point = tuple[float, float]


@dataclass(frozen=True)
class Layout:
    """A maze, its named goals, and how long an episode in it should be.

    Attributes:
        maze: The square and its walls.
        goals: Points by the name of their task.
        horizon: Steps in an episode: enough for the longest way, and some to stay at the goal.
    """

    maze: Maze
    goals: Mapping[str, Point]
    horizon: int


def _drawn(name: str, drawing: str, horizon: int) -> Layout:
    """A layout from its drawing."""
    cells = np.array([list(line) for line in drawing.strip("\n").split("\n")])[::-1].T  # (x, y)
    size = len(cells)
    assert cells.shape == (size, size), name
    middles = {
        f"goal_{mark}": ((x + 0.5) * CELL, (y + 0.5) * CELL)
        for (x, y), mark in np.ndenumerate(cells)
        if mark.isdigit()
    }
    walls = tuple(_box(r, size) for r in _largest(cells == "#"))
    return Layout(
        Maze(name, walls, size * CELL), MappingProxyType(dict(sorted(middles.items()))), horizon
    )


def _largest(wall: NDArray[np.bool_]) -> list[tuple[int, int, int, int]]:
    """The rectangles of wall cells that lie in no greater one: their open boxes leave no slit.

    Boxes of single cells would: a point could slide along the face that two of them share.
    """
    size = len(wall)
    filled = [
        (x0, x1, y0, y1)
        for x0, y0 in product(range(size), repeat=2)
        for x1, y1 in product(range(x0 + 1, size + 1), range(y0 + 1, size + 1))
        if wall[x0:x1, y0:y1].all()
    ]
    return [one for one in filled if not any(_inside(one, other) for other in filled)]


def _inside(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    low, high, bottom, top = zip(one, other, strict=True)
    within = low[1] <= low[0] and high[0] <= high[1] and bottom[1] <= bottom[0] and top[0] <= top[1]
    return within and one != other


def _box(cells: tuple[int, int, int, int], size: int) -> Box:
    """The box of a rectangle of cells; at the border it goes on by a cell."""
    x0, x1, y0, y1 = (cell + (cell == size) - (cell == 0) for cell in cells)
    return x0 * CELL, x1 * CELL, y0 * CELL, y1 * CELL


# Openings at opposite ends, narrow, so that the straight line fails. The other end of a wall lies
# outside the square: a wall that ended on the border would let one pass there.
_S = Layout(
    Maze("s", ((0.875, 1.125, -1.0, 2.5), (1.875, 2.125, 0.5, 4.0)), 3.0),
    MappingProxyType(
        {
            "_".join(filter(None, ("goal", column, row))): (x, y)
            for column, x in {"left": 0.4375, "middle": 1.5, "right": 2.5625}.items()
            for row, y in {"bottom": 0.375, "": 1.5, "top": 2.625}.items()
        }
    ),
    horizon=80,
)
_U = _drawn(
    "u",
    """
0  1  2  
         
         
         
######## 
         
         
         
3  4  5  
""",
    horizon=100,
)
_SPIRAL = _drawn(
    "spiral",
    """
0       1
######## 
2      # 
 ##### # 
 # 6 # # 
 # ### # 
 # 5  4# 
 ####### 
7       3
""",
    horizon=200,
)
_MEDIUM = _drawn(
    "medium",
    """
0#      1
 ### ### 
     #  2
###### ##
 3       
   ##### 
  4  #5  
 ### ### 
6#      7
""",
    horizon=120,
)
_LARGE = _drawn(
    "large",
    """
0#          1
 #   ### ### 
  2    #     
###### # # # 
   #   #3# # 
 # # ##### ##
 #4#        5
 # ##### # # 
         # # 
 6 ######### 
   #       # 
 ### ##### # 
7    #8   9# 
""",
    horizon=200,
)

LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {layout.maze.name: layout for layout in (_S, _U, _SPIRAL, _MEDIUM, _LARGE)}
)
