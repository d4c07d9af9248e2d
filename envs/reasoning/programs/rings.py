"""Rows of two-state cells on a ring, as bits of an integer: all cells step at once.

The first cell of a row is the highest bit.
"""

from collections.abc import Sequence
from functools import cache, reduce
from operator import xor

PATTERNS = tuple(f"{n:03b}" for n in range(7, -1, -1))  # left, cell, right; 111 first


def text_row(row: int, width: int) -> str:
    """Return the cells as digits.

    Example:
        >>> text_row(6, 4)
        '0110'
    """
    return f"{row:0{width}b}"


def next_row(row: int, width: int, rule: int) -> int:
    """Return the row after one step of an elementary rule.

    Example:
        >>> text_row(next_row(0b00100, 5, 90), 5)
        '01010'
    """
    full = (1 << width) - 1
    left = row >> 1 | (row & 1) << (width - 1)  # the left neighbour of each cell, in its place
    right = row << 1 & full | row >> (width - 1)
    both = left & row
    products = full, right, row, row & right, left, left & right, both, both & right
    return reduce(xor, [products[term] for term in _terms(rule)], 0)


def row_after(row: int, width: int, rule: int, steps: int) -> int:
    """Return the row after some steps."""
    for _ in range(steps):
        row = next_row(row, width, rule)
    return row


@cache
def _terms(rule: int) -> tuple[int, ...]:
    """Return a rule as exclusive or of products: bits 4, 2, 1 of a term are left, cell, right.

    A term is needed if the rule maps an odd number of the patterns inside it to 1.
    """
    inside = [[pattern for pattern in range(8) if pattern & ~term == 0] for term in range(8)]
    return tuple(t for t in range(8) if sum(rule >> pattern & 1 for pattern in inside[t]) % 2)


def rules_between(
    pairs: Sequence[tuple[int, int]], width: int, steps: int, rules: Sequence[int] = range(256)
) -> list[int]:
    """Return the rules that turn the first row of every pair into its second in so many steps."""
    return [
        rule
        for rule in rules
        if all(row_after(row, width, rule, steps) == end for row, end in pairs)
    ]
