"""Pictures of the point maze, as pixels and as characters, in numpy alone."""

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.maze_physics import SIZE, is_free
from zerogym.envs.control.maze_tasks import GOAL_RADIUS, distance

PIXELS = 240
COLUMNS, LINES = 48, 24
MOVER_RADIUS = 0.07
WALL, FREE, GOAL, MOVER = (90, 90, 90), (245, 245, 245), (120, 200, 120), (210, 50, 50)


def rgb(position: NDArray[np.float32], goal: NDArray[np.float32] | None) -> NDArray[np.uint8]:
    """The square from above, y upwards: walls, goal disc, mover; (PIXELS, PIXELS, 3)."""
    points = _raster(PIXELS, PIXELS)  # (H, W, 2)
    image = np.full((PIXELS, PIXELS, 3), FREE, dtype=np.uint8)
    if goal is not None:
        image[distance(points, goal) <= GOAL_RADIUS] = GOAL
    image[~is_free(points.reshape(-1, 2)).reshape(PIXELS, PIXELS)] = WALL
    image[distance(points, position) <= MOVER_RADIUS] = MOVER
    return image


def ansi(position: NDArray[np.float32], goal: NDArray[np.float32] | None) -> str:
    """`#` wall, `.` goal region, `@` mover; `LINES` lines of `COLUMNS` characters."""
    points = _raster(LINES, COLUMNS)
    marks = np.full((LINES, COLUMNS), " ")
    if goal is not None:
        marks[distance(points, goal) <= GOAL_RADIUS] = "."
    marks[~is_free(points.reshape(-1, 2)).reshape(LINES, COLUMNS)] = "#"
    nearest = np.unravel_index(distance(points, position).argmin(), marks.shape)
    marks[nearest] = "@"
    return "\n".join("".join(line) for line in marks)


def _raster(height: int, width: int) -> NDArray[np.float64]:
    """Midpoints of a grid over the square, top line first; (height, width, 2)."""
    x = (np.arange(width) + 0.5) * SIZE / width
    y = SIZE - (np.arange(height) + 0.5) * SIZE / height
    return np.stack(np.meshgrid(x, y), axis=-1)
