"""Rows of two-state cells on a ring, as bits of an integer: all cells step at once.

The first cell of a row is the highest bit.
"""

from collections.abc import Sequence
from functools import cache

PATTERNS = tuple(f"{n:03b}" for n in range(7, -1, -1))  # left, cell, right; 111 first


def text_row(row: int, width: int) -> str:
    """The cells as digits.

    Example:
        >>> text_row(6, 4)
        '0110'
    """
    return f"{row:0{width}b}"


def next_row(row: int, width: int, rule: int) -> int:
    """The row after one step of an elementary rule.

    Example:
        >>> text_row(next_row(0b00100, 5, 90), 5)
        '01010'
    """
    full = (1 << width) - 1
    left = row >> 1 | (row & 1) << (width - 1)  # the left neighbour of each cell, in its place
    right = row << 1 & full | row >> (width - 1)
    both = left & row
    products = full, right, row, row & right, left, left & right, both, both & right
    new = 0
    for term in _terms(rule):
        new ^= products[term]
    return new


@cache
def _terms(rule: int) -> tuple[int, ...]:
    """A rule as an exclusive or of products: bits 4, 2, 1 of a term take left, cell, right.

    A term is needed if the rule maps an odd number of the patterns inside it to 1.
    """
    inside = [[pattern for pattern in range(8) if pattern & ~term == 0] for term in range(8)]
    return tuple(t for t in range(8) if sum(rule >> pattern & 1 for pattern in inside[t]) % 2)


def rules_between(
    pairs: Sequence[tuple[int, int]], width: int, steps: int, rules: Sequence[int] = range(256)
) -> list[int]:
    """The rules that turn the first row of every pair into its second in so many steps."""
    return [rule for rule in rules if all(_leads(*pair, width, steps, rule) for pair in pairs)]


def _leads(row: int, end: int, width: int, steps: int, rule: int) -> bool:
    for _ in range(steps):
        row = next_row(row, width, rule)
    return row == end
