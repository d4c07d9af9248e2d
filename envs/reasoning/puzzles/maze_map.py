"""Drawing mazes whose one path has a given length and number of turns, also as small pictures.

The free squares of the map form a tree: the path is drawn first, as a walk that never touches
itself, then dead ends grow from it until no square can be freed without closing a circle.
"""

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, shuffled
from zerogym.envs.reasoning.planning.moves import (
    FREE,
    GOAL,
    LETTERS,
    START,
    WALL,
    rows_of,
    steps,
)

MAX_SIDE = 25  # squares inside the border
MAX_PATH = 2 * MAX_SIDE - 2  # what a staircase in the largest maze has
MAX_RUN = MAX_SIDE - 1  # steps without a turn
PATIENCE = 400  # squares tried for a path before another start is drawn
LONG_BRANCH = 0.7  # chance to go on with the newest dead end
_ASIDE = {"U": "LR", "D": "LR", "L": "UD", "R": "UD"}
_OPEN, _BORDER = 8, 16  # larger than any number of squares beside one

PIXELS = 4  # a side of a square of the largest maze
SIDE = (MAX_SIDE + 2) * PIXELS
COLOURS = {WALL: (40, 40, 40), FREE: (255, 255, 255), START: (30, 90, 220), GOAL: (20, 160, 60)}


def draw_maze(rng: np.random.Generator, path_length: int, turns: int) -> tuple[list[str], str]:
    """Draw a map as rows, and the moves from its start to its goal.

    Raises:
        ValueError: If no maze has such a path, because it has more turns than it can or does not
            fit into the largest maze.
    """
    check_shape(path_length, turns)
    side = max(5, int((4 * path_length) ** 0.5) + 1, path_length // (turns + 1) + 2)
    while True:
        side = min(side, MAX_SIDE)
        drawing = _Drawing(rng, side + 2)
        for _ in range(5):
            start, moves = drawing.path(path_length, turns)
            if moves:
                return drawing.grown(start, moves), moves
        side += 2


def check_shape(path_length: int, turns: int) -> None:
    """Raise a `ValueError` if no maze can have such a path."""
    if not 0 <= turns < MAX_PATH:
        raise ValueError(f"turns must be from 0 to {MAX_PATH - 1}, got {turns}")
    if not 1 <= path_length <= MAX_PATH:
        raise ValueError(f"path_length must be from 1 to {MAX_PATH}, got {path_length}")
    if turns >= path_length:
        raise ValueError(f"a path of {path_length} steps has fewer than {turns} turns")
    if path_length > (turns + 1) * MAX_RUN:
        raise ValueError(f"a path of {path_length} steps and {turns} turns fits no maze")


class _Drawing:
    """An unfinished map: for each square how many free ones lie beside it.

    A free square counts `_OPEN` more and one of the border `_BORDER` more, so that 1 means a wall
    that can be freed without closing a circle.
    """

    def __init__(self, rng: np.random.Generator, width: int) -> None:
        self._rng, self._width = rng, width
        self._delta = steps(width)
        self._around = tuple(self._delta.values())
        edge, row = [_BORDER] * width, [_BORDER, *[0] * (width - 2), _BORDER]
        self._closed = [*edge, *row * (width - 2), *edge]
        self._beside = list(self._closed)
        self._tries = 0

    def path(self, length: int, turns: int) -> tuple[int, str]:
        """Draw a start and moves; no moves after too many tries."""
        self._beside = list(self._closed)
        inner = self._width - 2
        row, column = draw_int(self._rng, 1, inner), draw_int(self._rng, 1, inner)
        start = row * self._width + column
        self._tries = 0
        self._set_free(start, 1)
        for first in shuffled(self._rng, LETTERS):
            moves = self._walk(start, first, length, turns)
            if moves:
                return start, moves
        return start, ""

    def _walk(self, square: int, move: str, length: int, turns: int) -> str:
        """Make one step, then all others; turns are equally likely anywhere on the path."""
        after = square + self._delta[move]
        self._tries += 1
        if self._tries > PATIENCE or self._beside[after] != 1:
            return ""
        self._set_free(after, 1)
        if length == 1:
            return move
        straight = move if turns < length - 1 else ""
        aside = _ASIDE[move][:: -1 if self._rng.random() < 0.5 else 1] if turns else ""
        turn_now = self._rng.random() * (length - 1) < turns
        for following in aside + straight if turn_now else straight + aside:
            rest = self._walk(after, following, length - 1, turns - (following != move))
            if rest:
                return move + rest
        self._set_free(after, -1)
        return ""

    def grown(self, start: int, moves: str) -> list[str]:
        """Grow dead ends from the path, and return the rows of the map."""
        goal = start + sum(self._delta[move] for move in moves)
        beside, around, random = self._beside, self._around, self._rng.random
        open_ends = shuffled(self._rng, [s for s, n in enumerate(beside) if _OPEN <= n < _BORDER])
        while open_ends:
            newest = random() < LONG_BRANCH
            chosen = -1 if newest else int(random() * len(open_ends))
            square = open_ends[chosen]
            possible = [square + delta for delta in around if beside[square + delta] == 1]
            if possible:
                after = possible[int(random() * len(possible))]
                self._set_free(after, 1)
                open_ends.append(after)
            else:
                open_ends.pop(chosen)
        squares = [FREE if _OPEN <= n < _BORDER else WALL for n in beside]
        squares[start], squares[goal] = START, GOAL
        return rows_of("".join(squares), self._width)

    def _set_free(self, square: int, sign: int) -> None:
        """Free a square, or with -1 close it again."""
        self._beside[square] += sign * _OPEN
        for delta in self._around:
            self._beside[square + delta] += sign


def picture(rows: list[str]) -> np.ndarray:
    """Return a map as an image (SIDE, SIDE, 3), each square as large as fits, in the middle."""
    squares = np.array([[COLOURS[letter] for letter in row] for row in rows], np.uint8)
    scale = SIDE // len(rows)
    drawn = squares.repeat(scale, axis=0).repeat(scale, axis=1)
    image = np.full((SIDE, SIDE, 3), COLOURS[WALL], np.uint8)
    corner = (SIDE - len(drawn)) // 2
    image[corner : corner + len(drawn), corner : corner + len(drawn)] = drawn
    return image
