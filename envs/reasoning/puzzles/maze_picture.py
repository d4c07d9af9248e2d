"""A maze as a small picture."""

import numpy as np

from zerogym.envs.reasoning.planning.moves import FREE, GOAL, START, WALL
from zerogym.envs.reasoning.puzzles.maze_map import MAX_SIDE

PIXELS = 4  # a side of a square of the largest maze
SIDE = (MAX_SIDE + 2) * PIXELS
COLOURS = {WALL: (40, 40, 40), FREE: (255, 255, 255), START: (30, 90, 220), GOAL: (20, 160, 60)}


def picture(rows: list[str]) -> np.ndarray:
    """Return a map as an image (SIDE, SIDE, 3), each square as large as fits, in the middle."""
    squares = np.array([[COLOURS[letter] for letter in row] for row in rows], np.uint8)
    scale = SIDE // len(rows)
    drawn = squares.repeat(scale, axis=0).repeat(scale, axis=1)
    image = np.full((SIDE, SIDE, 3), COLOURS[WALL], np.uint8)
    corner = (SIDE - len(drawn)) // 2
    image[corner : corner + len(drawn), corner : corner + len(drawn)] = drawn
    return image
