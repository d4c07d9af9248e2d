"""Pictures of boards, in numpy alone: crosses for the seat of X, rings for that of O.

Rules whose positions are boards have a method `board(state)`; both seats see the same picture.
Rules that draw what a seat sees have a method `drawing(state, seat)`. Of other games the text view
is shown (`text_render.py`).
Left out: coordinates, and the last move, which is no part of a position.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.text_render import text_picture

MODES: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 1}  # of all games

CELL = 40  # pixels from one cell to the next in its row
MARGIN = 12
EDGE = 8  # pixels by which the sides of a board of six-sided cells are visible
GROUND, LINE, FREE = (255, 255, 255), (150, 150, 150), (240, 236, 224)
COLOURS = {"X": (32, 96, 176), "O": (214, 110, 20)}  # also distinct for the colour-blind

_HALF = CELL // 2
_REACH = np.arange(-_HALF - 4, _HALF + 5)  # six-sided cells are higher than wide
_X, _Y = np.abs(np.meshgrid(_REACH, _REACH))
_SQUARE = np.maximum(_X, _Y)  # distances from the middle of a cell
_HEXAGON = np.maximum(_X, _X / 2 + _Y * 3**0.5 / 2)
_ROUND = np.hypot(_X, _Y)
_MARKS = {
    "X": (np.abs(_X - _Y) <= 4) & (_ROUND <= 15),
    "O": np.abs(_ROUND - 11) <= 3,
}


@dataclass(frozen=True)
class Board:
    """The content of a picture.

    Attributes:
        rows: From the top, a character a cell: `X`, `O`, a blank where there is no cell, or
            another one for an empty cell.
        is_hexagonal: Each row is half a cell to the right of the one above, cells have six sides,
            and the borders show whom they belong to: X above and below, O left and right.
    """

    rows: tuple[str, ...]
    is_hexagonal: bool = False


def board_of_bits(pieces: tuple[int, int], columns: int, cells: int) -> Board:
    """A board whose pieces of X and of O are bits, row by row from the top."""
    first, second = pieces
    marks = "".join(
        "X" if first >> cell & 1 else "O" if second >> cell & 1 else "." for cell in range(cells)
    )
    return Board(tuple(marks[start : start + columns] for start in range(0, cells, columns)))


def has_board(game: Game[Any]) -> bool:
    """Return True if the rules have a `board`."""
    return callable(getattr(game, "board", None))


def picture(game: Game[Any], state: Any, words: Callable[[], str], seat: int) -> NDArray[np.uint8]:
    """The board or a seat's view as pixels, or else what is said: uint8 (height, width, 3).

    Raises:
        MissingExtra: If there is no board and Pillow is not installed.
    """
    rules: Any = game
    if callable(getattr(game, "drawing", None)):
        pixels: NDArray[np.uint8] = rules.drawing(state, seat)
        return pixels
    return draw_board(rules.board(state)) if has_board(game) else text_picture(words())


def draw_board(board: Board) -> NDArray[np.uint8]:
    """A board as pixels: uint8 (height, width, 3).

    Example:
        >>> draw_board(Board(("X.", ".O"))).shape
        (104, 104, 3)
    """
    rows, columns = len(board.rows), len(board.rows[0])
    shape = _HEXAGON if board.is_hexagonal else _SQUARE
    down = CELL * 3**0.5 / 2 if board.is_hexagonal else CELL
    across = _HALF if board.is_hexagonal else 0  # that each row is to the right of the one above
    around = MARGIN + (EDGE if board.is_hexagonal else 0)
    height = 2 * around + CELL + round(down * (rows - 1))
    width = 2 * around + CELL * columns + across * (rows - 1)
    image = np.full((height, width, 3), GROUND, dtype=np.uint8)
    places = {
        (row, column): (
            around + _HALF + round(down * row),
            around + _HALF + CELL * column + across * row,
        )
        for row in range(rows)
        for column in range(columns)
    }
    if board.is_hexagonal:
        _draw_sides(image, places, rows, columns)
    for (row, column), place in places.items():
        mark = board.rows[row][column]
        if mark == " ":
            continue
        _stamp(image, place, shape <= _HALF, LINE)
        _stamp(image, place, shape < _HALF - 1, FREE)
        if mark in COLOURS:
            _stamp(image, place, _MARKS[mark], COLOURS[mark])
    return image


def _draw_sides(
    image: NDArray[np.uint8],
    places: dict[tuple[int, int], tuple[int, int]],
    rows: int,
    columns: int,
) -> None:
    """Cells at the border, moved outwards in the colour of the seat that connects this side."""
    for (row, column), (y, x) in places.items():
        for is_side, mark, step in (
            (column == 0, "O", (0, -EDGE)),
            (column == columns - 1, "O", (0, EDGE)),
            (row == 0, "X", (-EDGE, 0)),
            (row == rows - 1, "X", (EDGE, 0)),
        ):
            if is_side:
                _stamp(image, (y + step[0], x + step[1]), _HEXAGON <= _HALF, COLOURS[mark])


def _stamp(
    image: NDArray[np.uint8],
    place: tuple[int, int],
    shape: NDArray[np.bool_],
    colour: tuple[int, int, int],
) -> None:
    """Paint a shape around a place."""
    y, x = place
    reach = len(_REACH) // 2
    image[y - reach : y + reach + 1, x - reach : x + reach + 1][shape] = colour
