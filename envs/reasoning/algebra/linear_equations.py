"""Linear equations with exact rational solutions: one unknown, or a system.

Left out: systems without or with many solutions, and coefficients that are not integers.
"""

import re
from fractions import Fraction
from math import gcd, lcm
from typing import ClassVar

import numpy as np

from zerogym.envs.reasoning.algebra.linear_systems import (
    Row,
    eliminate,
    read_row,
    write_row,
    write_sum,
)
from zerogym.envs.reasoning.answers import parse_number
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly
from zerogym.envs.reasoning.listings import MAX_LENGTH, parse_assignments
from zerogym.envs.reasoning.renaming import Bag, key_up_to_names

UNKNOWNS = "xyzuvw"
_TUPLES = re.compile(r"\(([a-zA-Z, ]+)\) ?= ?\(([^()=]+)\) ?\.?")
MAX_TERMS = 8  # more than the plain `ax + b = c` has
MAX_LEVEL = 20.0  # difficulty above which numbers no longer grow


class LinearEquationsEnv(ReasoningEnv):
    """Solve a linear equation or a system of them exactly.

    Description:
        Two categories: `one_unknown`, an equation with x on one or both sides, and `system`, as
        many equations as unknowns. There is exactly one solution; its values are integers or
        fractions.

    Answer:
        The values in the form `x = 3, y = -1/2`, in any order, or `(x, y) = (3, -1/2)`. With one
        unknown its value alone is enough.

    Reward:
        1 if all values are exactly right, else 0.

    Difficulty:
        Numerators up to `9 + 10 * difficulty`, coefficients up to `4 + 2 * difficulty`, common
        denominators up to `1 + difficulty` (at most 6); none of them grows above 20. One unknown:
        `difficulty` terms more than `ax + b = c` (at most 8), from 2 on with brackets. A system has
        `2 + difficulty / 2` unknowns (at most 6). Fractional parts are the chance of one more.

    Example:
        >>> env = LinearEquationsEnv(difficulty=0)
        >>> print(env.reset(seed=4)[0])
        Solve for x: -4x - 2 = -34
        Give the exact value in the form x = 5/3.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>x = 8</answer>")[1]
        1.0

    Source:
        Our choice of ranges; elimination is textbook matter.
    """

    categories: ClassVar[tuple[str, ...]] = ("one_unknown", "system")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw the solution, then equations that have it."""
        level = min(difficulty, MAX_LEVEL)
        return (_one_unknown if rng.random() < 0.5 else _system)(rng, level)

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the equations up to unknowns and the order of equations and terms."""
        unknowns, equations = problem.data["unknowns"], problem.data["equations"]
        if len(equations) == 1:
            return " = ".join(map(_terms_in_order, equations[0].split(" = ")))
        rows = [list(map(str, read_row(equation, unknowns))) for equation in equations]
        statements = [(Bag(zip(row, unknowns, strict=False)), "is", row[-1]) for row in rows]
        return key_up_to_names(statements, unknowns)

    @staticmethod
    def solve(problem: Problem) -> str:
        """Read the coefficients off the text again, then eliminate."""
        unknowns = problem.data["unknowns"]
        rows = []
        for equation in problem.data["equations"]:
            row = read_row(equation, unknowns)
            common = lcm(*(value.denominator for value in row))
            rows.append([int(value * common) for value in row])
        return _write_values(unknowns, eliminate(rows, unknowns)[1])

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Name the first equation that the values break."""
        unknowns = problem.data["unknowns"]
        values = _read_values(answer, unknowns)
        if values is None:
            return "The answer does not give each unknown one value."
        for equation in problem.data["equations"]:
            row = read_row(equation, unknowns)
            if sum(a * v for a, v in zip(row, values, strict=False)) != row[-1]:
                return f"The answer does not satisfy {equation}."
        return ""


def _terms_in_order(side: str) -> str:
    terms = re.split(r" (?=[-+] )(?![^(]*\))", side)
    return " ".join(sorted(term.replace(" ", "").removeprefix("+") for term in terms))


def _read_values(text: str, unknowns: str) -> list[Fraction] | None:
    """The value of each unknown; None if one is missing, not a number, or unknown."""
    if len(text) > MAX_LENGTH:
        return None
    if len(unknowns) == 1 and "=" not in text:
        text = f"{unknowns} = {text}"
    text = " ".join(text.replace("$", " ").split()).replace(" / ", "/")
    match = _TUPLES.fullmatch(text)
    if match:  # `(x, y) = (1, 2)` as `x = 1, y = 2`
        names, numbers = match[1].split(","), match[2].split(",")
        if len(names) == len(numbers):
            text = ", ".join(map("{} = {}".format, names, numbers))
    found = parse_assignments(text.replace(", and ", ", ").replace(" and ", ", "))
    if found is None or sorted(found) != sorted(unknowns):
        return None
    values = [parse_number(found[name]) for name in unknowns]
    return [value for value in values if value is not None] if None not in values else None


def _write_values(unknowns: str, values: list[Fraction]) -> str:
    return ", ".join(map("{} = {}".format, unknowns, values))


def _nonzero(rng: np.random.Generator, largest: int) -> int:
    """An integer from `-largest` to `largest`, not 0."""
    value = draw_int(rng, 1, largest)
    return value if rng.random() < 0.5 else -value


Term = tuple[int, int, int]  # (f, a, b) is f(ax + b); plain terms have b = 0 or a = 0


def _totals(side: list[Term]) -> tuple[int, int]:
    """The coefficient of x and the constant of a side."""
    return sum(f * a for f, a, _ in side), sum(f * b for f, _, b in side)


def _write_side(side: list[Term]) -> str:
    named = {(1, 0): "x", (0, 1): ""}
    return write_sum(
        [
            (f, named[a, b] if a * b == 0 else f"({write_sum([(a, 'x'), (b, '')])})")
            for f, a, b in side
        ]
    )


def _collected(side: list[Term]) -> str:
    return write_sum(list(zip(_totals(side), ("x", ""), strict=True)))


def _one_unknown(rng: np.random.Generator, level: float) -> Problem:
    (numerator,), denominator = _draw_solution(rng, level, 1)
    left: list[Term] = [(_nonzero(rng, 9), 0, 1)]
    right: list[Term] = []
    largest = int(4 + 2 * level)
    for _ in range(min(round_randomly(rng, level), MAX_TERMS)):
        inner = _nonzero(rng, 9) if level >= 2 and rng.random() < 0.5 else 0
        pick(rng, (left, right)).append((_nonzero(rng, largest), 1, inner))
    known, first = _totals(left)[0] - _totals(right)[0], 0
    while first == 0:
        slope = denominator * _nonzero(rng, max(1, largest // denominator))
        first = slope - known
    needed = slope // denominator * numerator
    left.insert(0, (first, 1, 0))
    right.append((_totals(left)[1] - _totals(right)[1] + needed, 0, 1))
    value = Fraction(numerator, denominator)
    equation = f"{_write_side(left)} = {_write_side(right)}"
    collected = f"{_collected(left)} = {_collected(right)}"
    steps = [equation, collected, write_row([slope, needed], "x"), f"x = {value}"]
    unmoved = Fraction(needed + 2 * _totals(left)[1], slope)  # a constant kept its sign
    wrong = (-value, value + 1, Fraction(needed), unmoved)
    return Problem(
        prompt=f"Solve for x: {equation}\nGive the exact value in the form x = 5/3.",
        answer=f"x = {value}",
        solution="\n".join(dict.fromkeys(steps)),
        distractors=tuple(f"x = {w}" for w in wrong),
        category="one_unknown",
        data={"equations": [equation], "unknowns": "x"},
        canonical=equation,
    )


def _draw_solution(rng: np.random.Generator, level: float, count: int) -> tuple[list[int], int]:
    """Numerators and their common denominator; at least one numerator has no factor of it."""
    largest = int(9 + 10 * level)
    denominator = draw_int(rng, 1, min(int(1 + level), 6))
    while True:
        numerators = [draw_int(rng, -largest, largest) for _ in range(count)]
        if any(gcd(n, denominator) == 1 for n in numerators):
            return numerators, denominator


def _system(rng: np.random.Generator, level: float) -> Problem:
    count = round_randomly(rng, min(2 + level / 2, len(UNKNOWNS)))
    unknowns = UNKNOWNS[:count]
    numerators, denominator = _draw_solution(rng, level, count)
    while True:
        rows = [_row(rng, numerators, denominator, int(4 + 2 * level)) for _ in range(count)]
        try:
            steps, values = eliminate(rows, unknowns)
            break
        except ValueError:  # some equations follow from others
            continue
    equations = [write_row(row, unknowns) for row in rows]
    changed = [values[::-1], [-v for v in values], [*values[:-1], values[-1] + 1], values[1:]]
    wrong = [_write_values(unknowns[: len(w)], w) for w in changed]
    answer = _write_values(unknowns, values)
    listed = "\n".join(equations)
    return Problem(
        prompt=f"Solve for {', '.join(unknowns)}:\n{listed}\n"
        "Give the exact values in the form x = 5/3, y = -2.",
        answer=answer,
        solution="\n".join([*equations, *steps, answer]),
        distractors=tuple(wrong),
        category="system",
        data={"equations": equations, "unknowns": unknowns},
        canonical="; ".join(sorted(equations)),
    )


def _row(rng: np.random.Generator, numerators: list[int], denominator: int, largest: int) -> Row:
    """An equation with integer coefficients and value that the solution satisfies."""
    row = [_nonzero(rng, largest) for _ in numerators]
    at = pick(rng, [n for n, p in enumerate(numerators) if gcd(p, denominator) == 1])
    rest = sum(a * p for n, (a, p) in enumerate(zip(row, numerators, strict=True)) if n != at)
    while row[at] == 0 or (row[at] * numerators[at] + rest) % denominator:
        row[at] += 1
    return [*row, (row[at] * numerators[at] + rest) // denominator]
