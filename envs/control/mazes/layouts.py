"""The layouts of the point maze: `s`, given by its two walls, and others given as drawings.

In a drawing `#` is a wall, a blank is free, and a digit a free cell whose centre is a named goal;
y points up and a cell has the side `CELL`. The drawings are ours; the idea of mazes of growing size
is that of "D4RL" (2020, arXiv 2004.07219) and "OGBench" (2024, arXiv 2410.20092).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.mazes.physics import Maze

CELL = 0.5

Point = tuple[float, float]


@dataclass(frozen=True)
class Layout:
    """A maze, its named goals, and the length of an episode.

    Attributes:
        maze: The square and its walls.
        goals: Points by the name of their task.
        horizon: Steps in an episode: enough for the longest path, and some to stay at the goal.
    """

    maze: Maze
    goals: Mapping[str, Point]
    horizon: int


def _drawn(name: str, drawing: str, horizon: int) -> Layout:
    """Return the layout of a drawing."""
    cells = np.array([list(line) for line in drawing.strip("\n").split("\n")])[::-1].T  # (x, y)
    size = len(cells)
    assert cells.shape == (size, size), name
    goals = {
        f"goal_{mark}": ((x + 0.5) * CELL, (y + 0.5) * CELL)
        for (x, y), mark in np.ndenumerate(cells)
        if mark.isdigit()
    }
    # At the border a box goes on by a cell.
    corners = np.array(_largest(cells == "#"))  # (K, 4)
    boxes = ((corners + (corners == size) - (corners == 0)) * CELL).tolist()
    maze = Maze(name, tuple((x0, x1, y0, y1) for x0, x1, y0, y1 in boxes), size * CELL)
    return Layout(maze, MappingProxyType(dict(sorted(goals.items()))), horizon)


def _largest(wall: NDArray[np.bool_]) -> list[tuple[int, int, int, int]]:
    """Return the maximal rectangles of wall cells: their open boxes leave no slit.

    Boxes of single cells would: a point could slide along the face that two of them share.
    """
    size = len(wall)
    spans = [(low, high) for low in range(size) for high in range(low + 1, size + 1)]
    filled = [(*x, *y) for x, y in product(spans, repeat=2) if wall[slice(*x), slice(*y)].all()]
    return [
        (x0, x1, y0, y1)
        for x0, x1, y0, y1 in filled
        if not any(
            a <= x0 and x1 <= b and c <= y0 and y1 <= d and (a, b, c, d) != (x0, x1, y0, y1)
            for a, b, c, d in filled
        )
    ]


# Narrow openings at opposite ends, so that the straight line fails. The other end of a wall lies
# outside the square: a wall that ended on the border would leave a passage there.
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
_DRAWINGS = {  # horizon and drawing
    "u": (100, """
0  1  2  
         
         
         
######## 
         
         
         
3  4  5  
"""),
    "spiral": (200, """
0       1
######## 
2      # 
 ##### # 
 # 6 # # 
 # ### # 
 # 5  4# 
 ####### 
7       3
"""),
    "medium": (120, """
0#      1
 ### ### 
     #  2
###### ##
 3       
   ##### 
  4  #5  
 ### ### 
6#      7
"""),
    "large": (200, """
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
"""),
}  # fmt: skip

LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {"s": _S}
    | {name: _drawn(name, drawing, horizon) for name, (horizon, drawing) in _DRAWINGS.items()}
)
