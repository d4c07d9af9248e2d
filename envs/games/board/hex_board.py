"""Boards of six-sided cells as bits, row by row: chains, and how far they are from connecting.

Each row is shifted to the right of the one above by half a cell. Seat 0 connects the first and the
last row, seat 1 the first and the last column.
"""

from functools import lru_cache
from typing import NamedTuple


class Board(NamedTuple):
    """The shape of a board: all its cells, and the first and the last side of each seat."""

    size: int
    cells: int
    sides: tuple[tuple[int, int], tuple[int, int]]

    def beside(self, cells: int) -> int:
        """All cells that touch one of these, and others off the board."""
        size, (left, right) = self.size, self.sides[1]
        to_left, to_right = cells & ~left, cells & ~right
        return (
            cells << size | cells >> size  # below and above
            | to_left >> 1 | to_right << 1
            | to_left << size - 1 | to_right >> size - 1  # below left, above right
        )  # fmt: skip

    def spread(self, cells: int, over: int) -> int:
        """The cells, and all that is reached from them over others."""
        while grown := self.beside(cells) & over & ~cells:
            cells |= grown
        return cells

    def missing(self, stones: int, free: int, seat: int) -> int:
        """The fewest stones that connect the sides of a seat; `size**2` if none do."""
        first, last = self.sides[seat]
        reached, count = self.spread(stones & first, stones), 0
        while not reached & last:
            grown = reached | (self.beside(reached) | first) & free
            if grown == reached:
                return self.size**2
            reached, count = self.spread(grown, stones), count + 1
        return count


@lru_cache
def board_of(size: int) -> Board:
    """The board with so many rows and columns."""
    top = (1 << size) - 1
    left = sum(1 << size * row for row in range(size))
    sides = ((top, top << size * (size - 1)), (left, left << size - 1))
    return Board(size, (1 << size * size) - 1, sides)
