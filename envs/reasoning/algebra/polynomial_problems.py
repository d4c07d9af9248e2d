"""The problems of `Polynomials`: a function for each category draws one, with its solution."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import gcd

import numpy as np

from zerogym.envs.reasoning.algebra.univariate import divide, product, write_polynomial
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, round_randomly

MAX_EXTRA = 4  # degrees more than the smallest problem has


def _nonzero(rng: np.random.Generator, largest: int) -> int:
    value = draw_int(rng, 1, largest)
    return value if rng.random() < 0.5 else -value


def _polynomial(rng: np.random.Generator, degree: int, largest: int) -> list[int]:
    """Integer coefficients; the lowest and the highest are not 0."""
    middle = [draw_int(rng, -largest, largest) for _ in range(degree - 1)]
    return [_nonzero(rng, largest), *middle, _nonzero(rng, largest)]


def _roots(rng: np.random.Generator, level: float) -> Problem:
    degree = 2 + min(round_randomly(rng, level), MAX_EXTRA)
    roots, polynomial = [], [1]
    for _ in range(degree):
        top, bottom = draw_int(rng, -int(9 + level), int(9 + level)), 1
        if level >= 2:
            bottom = draw_int(rng, 1, 3)
            common = gcd(top, bottom)
            top, bottom = top // common, bottom // common
        roots.append(Fraction(top, bottom))
        polynomial = product(polynomial, [-top, bottom])
    roots.sort()
    text = write_polynomial(polynomial)
    answer = ", ".join(map(str, roots))
    changed = [[-r for r in roots], roots[:-1], [*roots[:-1], roots[-1] + 1], [*roots, roots[0]]]
    wrong = [", ".join(map(str, sorted(values))) for values in changed]
    return Problem(
        prompt=f"Find all roots of {text}, each as often as its multiplicity.\n"
        "They are rational; list them in a form such as -1, 2, 2, 5/3.",
        answer=answer,
        solution="\n".join([*_split_off(polynomial, roots), f"The roots are {answer}."]),
        distractors=tuple(wrong),
        category="roots",
        data={"polynomial": polynomial},
        canonical=f"roots {text}",
    )


def _split_off(polynomial: list[int], roots: list[Fraction]) -> list[str]:
    """Split off one linear factor after the other, a line each."""
    lines = []
    for root in roots[:-1]:
        factor = [-root.numerator, root.denominator]
        rest = divide(polynomial, factor)[0]
        split = f"({write_polynomial(factor)})({write_polynomial(rest)})"
        lines.append(f"{write_polynomial(polynomial)} = {split}")
        polynomial = rest
    return lines


def _multiplication(rng: np.random.Generator, level: float) -> Problem:
    extra, largest = min(round_randomly(rng, level), MAX_EXTRA), int(4 + 2 * level)
    more = draw_int(rng, 0, extra)
    first = _polynomial(rng, 1 + more, largest)
    second = _polynomial(rng, 1 + extra - more, largest)
    result = product(first, second)
    answer, other = write_polynomial(result), write_polynomial(second)
    lines = []
    for power in reversed(range(len(first))):
        if first[power]:
            part = [0] * power + [first[power] * value for value in second]
            term = write_polynomial([0] * power + [first[power]])
            lines.append(f"{term} * ({other}) = {write_polynomial(part)}")
    ends = [result[0], *[0] * (len(result) - 2), result[-1]]
    flipped = [*result[:-2], -result[-2], result[-1]]
    bumped = [result[0] + 1, *result[1:]]
    wrong = [write_polynomial(w) for w in (ends, flipped, bumped, [-v for v in result])]
    return Problem(
        prompt=f"Multiply ({write_polynomial(first)})({other}).\n"
        "Give the product in expanded form with one term for each power, such as 2x^2 - x + 3.",
        answer=answer,
        solution="\n".join([*lines, f"The sum is {answer}."]),
        distractors=tuple(wrong),
        category="multiplication",
        data={"factors": [first, second]},
        canonical=f"product {sorted([first, second])}",
    )


def _remainder(rng: np.random.Generator, level: float) -> Problem:
    extra, largest = min(round_randomly(rng, level), MAX_EXTRA), int(4 + 2 * level)
    more = draw_int(rng, 0, extra)
    divisor = [*_polynomial(rng, 1 + more, largest)[:-1], 1]
    quotient = _polynomial(rng, 1 + extra - more, largest)
    limit = int(9 + 10 * level)
    rest = [draw_int(rng, -limit, limit) for _ in range(1 + more)]
    dividend = product(divisor, quotient)
    for power, value in enumerate(rest):
        dividend[power] += value
    answer = write_polynomial(rest)
    steps = [write_polynomial(step) for step in divide(dividend, divisor)[1]]
    lines = []
    for factor, power, (before, after) in zip(
        reversed(quotient), reversed(range(len(quotient))), pairwise(steps), strict=True
    ):
        term = write_polynomial([0] * power + [factor])
        if factor:
            lines.append(f"{before} - ({term})({write_polynomial(divisor)}) = {after}")
    bumped = write_polynomial([rest[0] + 1, *rest[1:]])
    negative = write_polynomial([-value for value in rest])
    return Problem(
        prompt=f"Divide {steps[0]} by {write_polynomial(divisor)}.\n"
        "Give the remainder as an expanded polynomial such as 2x^2 - x + 3, or a number.",
        answer=answer,
        solution="\n".join([*lines, f"The remainder is {answer}."]),
        distractors=(negative, bumped, write_polynomial(quotient), steps[0]),
        category="remainder",
        data={"dividend": dividend, "divisor": divisor},
        canonical=f"remainder {dividend} {divisor}",
    )


MAKERS: dict[str, Callable[[np.random.Generator, float], Problem]] = {
    "roots": _roots,
    "multiplication": _multiplication,
    "remainder": _remainder,
}
