"""Pictures of point mazes, as pixels and as characters, in numpy alone."""

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.mazes.physics import Maze, is_free
from zerogym.envs.control.mazes.tasks import distance

PIXELS = 240
COLUMNS, LINES = 48, 24
MOVER_SHARE = 0.07 / 3  # radius of the mover, as a share of the side of the square
WALL, FREE, GOAL, MOVER = (90, 90, 90), (245, 245, 245), (120, 200, 120), (210, 50, 50)

Place = NDArray[np.float32]


def rgb(maze: Maze, position: Place, goal: Place | None) -> NDArray[np.uint8]:
    """Return the square from above, y upwards: walls, goal disc, mover; (PIXELS, PIXELS, 3)."""
    points = _raster(maze, PIXELS, PIXELS)  # (H, W, 2)
    image = np.full((PIXELS, PIXELS, 3), FREE, dtype=np.uint8)
    if goal is not None:
        image[distance(points, goal) <= maze.goal_radius] = GOAL
    image[~is_free(maze, points.reshape(-1, 2)).reshape(PIXELS, PIXELS)] = WALL
    image[distance(points, position) <= MOVER_SHARE * (maze.high - maze.low)] = MOVER
    return image


def ansi(maze: Maze, position: Place, goal: Place | None) -> str:
    """Return `#` wall, `.` goal region, `@` mover; `LINES` lines of `COLUMNS` characters."""
    points = _raster(maze, LINES, COLUMNS)
    marks = np.full((LINES, COLUMNS), " ")
    if goal is not None:
        marks[distance(points, goal) <= maze.goal_radius] = "."
    marks[~is_free(maze, points.reshape(-1, 2)).reshape(LINES, COLUMNS)] = "#"
    nearest = np.unravel_index(distance(points, position).argmin(), marks.shape)
    marks[nearest] = "@"
    return "\n".join("".join(line) for line in marks)


def _raster(maze: Maze, height: int, width: int) -> NDArray[np.float64]:
    """Return midpoints of a grid over the square, top line first; (height, width, 2)."""
    side = maze.high - maze.low
    x = maze.low + (np.arange(width) + 0.5) * side / width
    y = maze.high - (np.arange(height) + 0.5) * side / height
    return np.stack(np.meshgrid(x, y), axis=-1)
