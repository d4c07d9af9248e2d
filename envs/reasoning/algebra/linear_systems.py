"""Linear equations as text and as rows: writing, reading, and exact elimination.

A row `[a, b, c]` over the unknowns x, y means a x + b y = c. Left out: pivoting for size, since the
arithmetic is exact.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from math import gcd

from zerogym.envs.reasoning.expressions import parse_expression

Row = list[int]

_TIMES = re.compile(r"(?<=[0-9])(?=[a-z(])")


def write_sum(terms: Sequence[tuple[int, str]]) -> str:
    """Coefficients and what they multiply ("" for a constant) as a sum; zeros are left out.

    Example:
        >>> write_sum([(-1, "x"), (3, "(y - 2)"), (0, "z"), (-5, "")])
        '-x + 3(y - 2) - 5'
    """
    text = ""
    for coefficient, name in terms:
        if coefficient:
            size = abs(coefficient)
            sign = "-" if coefficient < 0 else "+"
            text += f" {sign} {size if size > 1 or not name else ''}{name}"
    if not text:
        return "0"
    return text[3:] if text.startswith(" + ") else f"-{text[3:]}"


def write_row(row: Row, unknowns: Sequence[str]) -> str:
    """A row as an equation: `2x - y = 3`."""
    return f"{write_sum(list(zip(row, unknowns, strict=False)))} = {row[-1]}"


def read_row(equation: str, unknowns: Sequence[str]) -> list[Fraction]:
    """The row of a linear equation with any number of terms and brackets on both sides.

    Both sides are evaluated where all unknowns are 0, and where all but one are.

    Example:
        >>> [str(value) for value in read_row("2(x - 1) = y + 3", "xy")]
        ['2', '-1', '5']
    """
    sides = [_TIMES.sub("*", side) for side in equation.split("=")]
    constant = _gap(sides, unknowns, "")
    return [*(_gap(sides, unknowns, name) - constant for name in unknowns), -constant]


def _gap(sides: Sequence[str], unknowns: Sequence[str], one: str) -> Fraction:
    """Left minus right side where the unknown `one` is 1 and the others are 0."""
    values = []
    for text in sides:
        for name in unknowns:
            text = text.replace(name, "1" if name == one else "0")
        values.append(parse_expression(text).value)
    return values[0] - values[1]


def eliminate(rows: Sequence[Row], unknowns: Sequence[str]) -> tuple[list[str], list[Fraction]]:
    """The unique solution by elimination in integers, and the equations on the way as lines.

    Example:
        >>> lines, values = eliminate([[1, 1, 5], [1, -1, 2]], "xy")
        >>> print(*lines, [str(value) for value in values], sep=", ")
        Without x: 2y = 3, Without y: 2x = 7, x = 7/2, y = 3/2, ['7/2', '3/2']

    Raises:
        ValueError: If there is no solution, or more than one.
    """
    rows, lines = [list(row) for row in rows], []
    for column in range(len(unknowns)):
        at = next((n for n in range(column, len(rows)) if rows[n][column]), None)
        if at is None:
            raise ValueError("the solution is not unique")
        rows[column], rows[at] = rows[at], rows[column]
        for other, row in enumerate(rows):
            if other != column and row[column]:
                rows[other] = _without(row, rows[column], column)
                lines.append(f"Without {unknowns[column]}: {write_row(rows[other], unknowns)}")
    values = [Fraction(row[-1], row[column]) for column, row in enumerate(rows)]
    lines += [f"{name} = {value}" for name, value in zip(unknowns, values, strict=True)]
    return lines, values


def _without(row: Row, pivot: Row, column: int) -> Row:
    """A combination of two rows that has 0 in a column; small, its first coefficient positive."""
    a, b = pivot[column], row[column]
    mixed = [a * left - b * right for left, right in zip(row, pivot, strict=True)]
    common = gcd(*mixed) or 1
    if next(filter(None, mixed), 1) < 0:
        common = -common
    return [value // common for value in mixed]
