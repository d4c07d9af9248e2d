"""Bitboards of breakthrough: where pieces begin, where they step, and how they are shown.

A bit a cell, row by row from the top. Left out: boards of more than 8 rows or columns, whose cells
would need longer names.
"""

from functools import lru_cache

MARKS = "XO"
FILES = "abcdefgh"
DIRECTIONS = 6  # down left, down, down right for X; up left, up, up right for O
TWO_ROWS = 6  # rows from which on each side has two rows of pieces

Step = tuple[int, int, bool]  # the cell it leads to, its action if nothing is captured, is diagonal


def opening(rows: int, columns: int) -> tuple[int, int]:
    """The pieces of X above and of O below."""
    pieces = (1 << columns * (2 if rows >= TWO_ROWS else 1)) - 1
    return pieces, pieces << rows * columns - pieces.bit_length()


@lru_cache(maxsize=8)
def steps(rows: int, columns: int) -> tuple[dict[int, tuple[Step, ...]], ...]:
    """For each seat, from the bit of a cell to the steps from there."""
    tables = []
    for first, forward in ((0, 1), (3, -1)):
        table = {}
        for cell in range(rows * columns):
            row, column = divmod(cell, columns)
            table[1 << cell] = tuple(
                (
                    1 << (row + forward) * columns + column + side,
                    2 * (DIRECTIONS * cell + first + 1 + side),
                    side != 0,
                )
                for side in (-1, 0, 1)
                if 0 <= column + side < columns and 0 <= row + forward < rows
            )
        tables.append(table)
    return tuple(tables)


def ends(action: int, columns: int) -> tuple[int, int]:
    """The cells where a move begins and where it ends."""
    start, direction = divmod(action >> 1, DIRECTIONS)
    if direction < 3:
        return start, start + columns + direction - 1
    return start, start - columns + direction - 4


def cell_name(cell: int, rows: int, columns: int) -> str:
    """The column from the left and the row from below: `a7`."""
    row, column = divmod(cell, columns)
    return f"{FILES[column]}{rows - row}"
