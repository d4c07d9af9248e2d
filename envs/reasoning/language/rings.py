"""Rows of two-state cells on a ring, as bits of an integer: all cells step at once.

The first cell of a row is the highest bit.
"""

from collections.abc import Sequence

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
    new = 0
    for pattern in range(8):
        if rule >> pattern & 1:
            a = left if pattern & 4 else ~left
            b = row if pattern & 2 else ~row
            c = right if pattern & 1 else ~right
            new |= a & b & c
    return new & full


def rules_between(
    pairs: Sequence[tuple[int, int]], width: int, steps: int, rules: Sequence[int] = range(256)
) -> list[int]:
    """The rules that turn the first row of every pair into its second in so many steps."""
    return [rule for rule in rules if all(_leads(*pair, width, steps, rule) for pair in pairs)]


def _leads(row: int, end: int, width: int, steps: int, rule: int) -> bool:
    for _ in range(steps):
        row = next_row(row, width, rule)
    return row == end
