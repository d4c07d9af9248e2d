"""Polynomials in x as coefficients from the constant up: text, products, division, roots.

The parser takes expanded polynomials only, one term for each power, so that an unmultiplied product
is no answer to "multiply". Left out: other variables, several variables, irrational roots.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from zerogym.envs.reasoning.algebra.linear_systems import write_sum
from zerogym.envs.reasoning.listings import MAX_LENGTH, bare

NumberT = TypeVar("NumberT", int, Fraction)
MAX_DEGREE = 60  # of an answer

_TERM = re.compile(
    r" ?(?P<sign>[+-])? ?(?=[\dx(])"
    r"(?P<number>\d{1,40}(?:\.\d{1,20}|/\d{1,40})?|\(-?\d{1,40}(?:/\d{1,40})?\))?"
    r"(?P<x> ?\*? ?x(?:\^\{?(?P<power>\d{1,3})\}?)?)?",
    re.ASCII,
)
_LOOK_ALIKES = str.maketrans(
    {"−": "-", "–": "-", "·": "*", "²": "^2", "³": "^3", "$": " ", "X": "x"}
)


def write_polynomial(coefficients: Sequence[int]) -> str:
    """Highest power first.

    Example:
        >>> write_polynomial([-1, 0, 2, 1])
        'x^3 + 2x^2 - 1'
    """
    names = ["", "x", *(f"x^{power}" for power in range(2, len(coefficients)))]
    return write_sum(list(zip(coefficients, names, strict=False))[::-1])


def parse_polynomial(text: str) -> tuple[Fraction, ...] | None:
    """Coefficients of an expanded polynomial, the constant first; None if it is anything else.

    Of an equation the right-hand side counts. The zero polynomial has no coefficients.

    Example:
        >>> [str(value) for value in parse_polynomial("3x^2 - 1/2 + x")]
        ['-1/2', '1', '3']
        >>> parse_polynomial("(x + 1)(x - 1)"), parse_polynomial("x + x")
        (None, None)
    """
    if len(text) > MAX_LENGTH:
        return None
    text = bare(text.translate(_LOOK_ALIKES).rpartition("=")[2])
    text = " ".join(text.split()).replace("**", "^").replace(" ^ ", "^")
    found: dict[int, Fraction] = {}
    position = 0
    while position < len(text):
        match = _TERM.match(text, position)
        if match is None or (position and not match["sign"]):
            return None
        power = int(match["power"] or 1) if match["x"] else 0
        if power in found or power > MAX_DEGREE:
            return None
        try:
            value = Fraction((match["number"] or "1").strip("()"))
        except ZeroDivisionError:
            return None
        found[power] = -value if match["sign"] == "-" else value
        position = match.end()
    if not found:
        return None
    return tuple(trimmed([found.get(n, Fraction(0)) for n in range(max(found) + 1)]))


def trimmed(coefficients: Sequence[Fraction]) -> Sequence[Fraction]:
    """Remove zeros at the end."""
    length = len(coefficients)
    while length and coefficients[length - 1] == 0:
        length -= 1
    return coefficients[:length]


def product(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """The product of two polynomials that are not empty."""
    found = [0] * (len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            found[i + j] += a * b
    return found


def divide(dividend: Sequence[int], divisor: Sequence[int]) -> tuple[list[int], list[list[int]]]:
    """Quotient by a divisor whose division is exact in integers, and all remainders on the way.

    Example:
        >>> divide([5, 3, 1], [1, 1])
        ([2, 1], [[5, 3, 1], [5, 2], [3]])
    """
    rest, steps, quotient = list(dividend), [list(dividend)], []
    while len(rest) >= len(divisor):
        factor = rest[-1] // divisor[-1]
        shift = len(rest) - len(divisor)
        for n, value in enumerate(divisor):
            rest[shift + n] -= factor * value
        rest = rest[:-1]
        quotient.append(factor)
        steps.append(list(rest))
    return quotient[::-1], steps


def value_at(coefficients: Sequence[int], point: NumberT) -> NumberT:
    """The value at a point, by Horner's rule."""
    value = 0 * point
    for coefficient in reversed(coefficients):
        value = value * point + coefficient
    return value


def rational_roots(coefficients: Sequence[int]) -> list[Fraction]:
    """Return all rational roots with multiplicity, by the rational root theorem.

    Example:
        >>> [str(root) for root in rational_roots([-1, 4, -5, 2])]
        ['1/2', '1', '1']
    """
    rest, roots = list(coefficients), []
    while rest[0] == 0:
        rest = rest[1:]
        roots.append(Fraction(0))
    for bottom in _divisors(rest[-1]):
        for size in _divisors(rest[0]):
            for top in (size, -size):
                root = Fraction(top, bottom)
                while len(rest) > 1 and root.denominator == bottom and value_at(rest, root) == 0:
                    rest = divide(rest, [-top, bottom])[0]
                    roots.append(root)
    return sorted(roots)


def _divisors(number: int) -> list[int]:
    number = abs(number)
    small = [n for n in range(1, int(number**0.5) + 1) if number % n == 0]
    return small + [number // n for n in reversed(small) if n * n != number]
