"""Moves on a map of squares as letters: U, D, L, R for up, down, left, right.

A map is a list of rows of equal length with a border, so that a square is one integer, row times
width plus column, and no step leads off the map.
"""

import re
from collections.abc import Sequence

from zerogym.envs.reasoning.listings import bare

LETTERS = "UDLR"
MAX_LENGTH = 4096  # characters of an answer
MOVES_FORMAT = "a string of the letters U, D, L and R (up, down, left and right), such as RRDL"

_WORDS = {"UP": "U", "DOWN": "D", "LEFT": "L", "RIGHT": "R"}
_SEPARATORS = re.compile(r"[\s,;>'\"-]+")


def parse_moves(text: str) -> str | None:
    """The letters of a sequence of moves; None if it is empty or anything else.

    Any case, with or without separators, as letters or as words.

    Example:
        >>> parse_moves("r, r; d l."), parse_moves("right down"), parse_moves("go R")
        ('RRDL', 'RD', None)
    """
    if len(text) > MAX_LENGTH:
        return None
    found = []
    for word in _SEPARATORS.split(bare(text).upper()):
        letters = _WORDS.get(word, word)
        if letters.strip(LETTERS):
            return None
        found.append(letters)
    return "".join(found) or None


def steps(width: int) -> dict[str, int]:
    """What each letter adds to a square."""
    return {"U": -width, "D": width, "L": -1, "R": 1}


def place(square: int, width: int) -> str:
    """A square in words.

    Example:
        >>> place(7, width=5)
        'row 2, column 3'
    """
    return f"row {square // width + 1}, column {square % width + 1}"


def traced(moves: str, start: int, width: int) -> str:
    """A walk step by step, and the moves as they are answered."""
    lines = [f"Rows and columns count from 1 at the top left. Start: {place(start, width)}."]
    delta, square = steps(width), start
    for move in moves:
        square += delta[move]
        lines.append(f"{move} to {place(square, width)}")
    return "\n".join([*lines, f"The moves are {moves}"])


def joined(letters: Sequence[str]) -> str:
    """Moves as one string."""
    return "".join(letters)
