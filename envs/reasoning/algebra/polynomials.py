"""Polynomials in one unknown: roots, products, remainders.

Left out: irrational and complex roots, several unknowns, factoring over other fields.
"""

import re
from fractions import Fraction
from typing import ClassVar

import numpy as np

from zerogym.envs.reasoning.algebra.polynomial_problems import MAKERS
from zerogym.envs.reasoning.algebra.univariate import (
    divide,
    parse_polynomial,
    rational_roots,
    value_at,
    write_polynomial,
)
from zerogym.envs.reasoning.answers import parse_number
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import pick
from zerogym.envs.reasoning.listings import MAX_LENGTH, bare

MAX_LEVEL = 10.0  # difficulty above which numbers no longer grow
MAX_ROOTS = 20  # in an answer


class PolynomialsEnv(ReasoningEnv):
    """Find roots, multiply, or divide with remainder, exactly.

    Description:
        Three categories: `roots` (all of them rational, with multiplicity), `multiplication` (the
        expanded product) and `remainder` (of a division by a polynomial with leading coefficient
        1).

    Answer:
        Roots: a list of numbers in any order. Otherwise an expanded polynomial such as
        `3x^2 - x + 5`, its terms in any order, `*` and `**` understood.

    Difficulty:
        The smallest problems are quadratic; `difficulty` adds degrees (a fractional part is the
        chance of one more, at most 4 more). Numerators of roots up to `9 + difficulty`, from 2 on
        with denominators up to 3; coefficients of factors up to `4 + 2 * difficulty`, of
        remainders up to `9 + 10 * difficulty`. Nothing grows above 10.

    Example:
        >>> env = PolynomialsEnv(difficulty=0)
        >>> print(env.reset(seed=3)[0])
        Find all roots of x^2 + 6x, each as often as its multiplicity.
        They are rational; list them in a form such as -1, 2, 2, 5/3.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>0, -6</answer>")[1]
        1.0

    Source:
        Our choice of ranges; the methods are textbook matter.
    """

    categories: ClassVar[tuple[str, ...]] = tuple(MAKERS)

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a category, then its problem."""
        return MAKERS[pick(rng, tuple(MAKERS))](rng, min(difficulty, MAX_LEVEL))

    @staticmethod
    def solve(problem: Problem) -> str:
        """Rational root theorem; product of values at one large number; long division."""
        data = problem.data
        if problem.category == "roots":
            return ", ".join(map(str, rational_roots(data["polynomial"])))
        if problem.category == "remainder":
            return write_polynomial(divide(data["dividend"], data["divisor"])[1][-1])
        first, second = data["factors"]
        base = 2 * sum(map(abs, first)) * sum(map(abs, second)) + 1  # no coefficient is half of it
        return write_polynomial(_digits(value_at(first, base) * value_at(second, base), base))

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Say whether the answer has the right form, and whether a root is none."""
        if problem.category != "roots":
            found = parse_polynomial(answer)
            if found is None:
                return "The answer is not an expanded polynomial in x."
            return "" if found == parse_polynomial(problem.answer) else "The polynomial is wrong."
        roots = _read_roots(answer)
        if roots is None:
            return "The answer is not a list of numbers."
        if roots == _read_roots(problem.answer):
            return ""
        for root in roots:
            if value_at(problem.data["polynomial"], root):
                return f"{root} is not a root."
        return "Roots are missing, or their multiplicities are wrong."


def _digits(number: int, base: int) -> list[int]:
    """Digits of a number to an odd base, the lowest first, from minus half of it to half of it."""
    found = []
    while number:
        digit = (number + base // 2) % base - base // 2
        found.append(digit)
        number = (number - digit) // base
    return found


_AND = re.compile(r"[,;\n]| (?:and|or) ")


def _read_roots(text: str) -> list[Fraction] | None:
    """A list of numbers in rising order; `x = 1 or x = 2` is one, too."""
    if len(text) > MAX_LENGTH:
        return None
    parts = [part for part in _AND.split(bare(text.replace("$", " "))) if part.strip()]
    if len(parts) > MAX_ROOTS:
        return None
    values = [parse_number(part) for part in parts]
    known = [value for value in values if value is not None]
    return sorted(known) if known and len(known) == len(values) else None
