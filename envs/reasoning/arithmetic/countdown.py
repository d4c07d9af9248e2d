"""Countdown: reach a target with given numbers, each used once.

Left out: the television rules that allow numbers to stay unused.
"""

import operator
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.expressions import ExpressionError, parse_expression

MAX_NUMBERS = 6  # the solver tries all trees: 6 numbers take seconds, 7 would take minutes
MAX_TARGET = 1000

Entry = tuple[Fraction, str]  # a value, and the expression that has it
_OPERATORS = {"+": operator.add, "*": operator.mul, "-": operator.sub, "/": operator.truediv}


class CountdownEnv(ReasoningEnv):
    """Write an expression that uses every given number once and equals the target.

    Description:
        Numbers and a target are drawn so that a solution exists. Any correct expression scores.

    Answer:
        An expression with `+ - * /` and brackets; `= target` may follow.

    Reward:
        1 if the expression uses exactly the given numbers and has exactly the value, else 0.

    Difficulty:
        `2 + difficulty` numbers (a fractional part is the chance of one more, at most 6), drawn
        from 1 to `9 + 10 * difficulty` (at most 100). At 0 there are 138 problems (113 train, 25
        test).

    Example:
        >>> env = CountdownEnv(difficulty=0)
        >>> print(env.reset(seed=1)[0])
        Use each of the numbers 3, 9 once and + - * / to make 6.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>9 - 3 = 6</answer>")[1]
        1.0

    Source:
        The game Countdown, as used for R1-Zero-like training of small models; "Stream of Search
        (SoS): Learning to Search in Language" (2024, arXiv 2404.03683) made it a task for language
        models. That every number must be used is the convention of the TinyZero reproduction.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw numbers, combine them at random, and take the value for the target."""
        count = int(2 + difficulty) + int(rng.random() < difficulty % 1)
        largest = min(100, int(9 + 10 * min(difficulty, 10)))
        while True:
            numbers = [int(n) for n in rng.integers(1, largest + 1, size=min(count, MAX_NUMBERS))]
            value, expression = _combine(rng, numbers)
            if value.denominator == 1 and 1 <= value <= MAX_TARGET:
                break
        numbers.sort()
        target = int(value)
        listed = ", ".join(map(str, numbers))
        return Problem(
            prompt=f"Use each of the numbers {listed} once and + - * / to make {target}.",
            answer=expression,
            solution=f"{expression} = {target}",
            distractors=_distractors(numbers, target),
            data={"numbers": numbers, "target": target},
            canonical=f"{listed} -> {target}",
        )

    def all_keys(self, difficulty: float) -> Iterable[str] | None:
        """Return two digits and what they make at difficulty 0."""
        if difficulty > 0:
            return None
        pairs = combinations_with_replacement(range(1, 10), 2)
        made = (
            (f"{a}, {b}", _joined(*way)[0])
            for a, b in pairs
            for way in _ways((Fraction(a), ""), (Fraction(b), ""))
        )
        return (
            f"{listed} -> {value}" for listed, value in made if value >= 1 and value == int(value)
        )

    @staticmethod
    def solve(problem: Problem) -> str:
        """Depth-first search over all ways to combine two numbers, until one is left."""
        leaves = [(Fraction(n), str(n)) for n in problem.data["numbers"]]
        found = _search(leaves, Fraction(problem.data["target"]), set())
        if found is None:
            raise ValueError(f"no solution: {problem.prompt}")
        return found

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Accept any expression with the right numbers and the right value."""
        target = problem.data["target"]
        left, equals, right = answer.strip().removesuffix(".").partition("=")
        if equals and right.strip() != str(target):
            return f"The right-hand side is not {target}."
        try:
            expression = parse_expression(left)
        except ExpressionError as error:
            return f"This is not an expression: {error}."
        if Counter(expression.numbers) != Counter(problem.data["numbers"]):
            return "It does not use each given number once."
        if expression.value != target:
            return f"It equals {expression.value}, not {target}."
        return ""

    def random_action(self, rng: np.random.Generator) -> str:
        """The given numbers, combined at random."""
        numbers = self._running().problem.data["numbers"]
        return f"<answer>{_combine(rng, numbers)[1]}</answer>"


def _combine(rng: np.random.Generator, numbers: list[int]) -> tuple[Fraction, str]:
    """Join two random entries by a random operator until one is left."""
    entries = [(Fraction(n), str(n)) for n in numbers]
    while len(entries) > 1:
        first, second = rng.choice(len(entries), size=2, replace=False)
        a, b = entries[first], entries[second]
        ways = _ways(a, b)
        entries = [e for i, e in enumerate(entries) if i not in (first, second)]
        entries.append(_joined(*ways[rng.integers(len(ways))]))
    value, expression = entries[0]
    return value, _strip_brackets(expression)


def _ways(a: Entry, b: Entry) -> list[tuple[Entry, str, Entry]]:
    """All operations that join two entries."""
    found = [(a, "+", b), (a, "*", b), (a, "-", b), (b, "-", a)]
    if b[0] != 0:
        found.append((a, "/", b))
    if a[0] != 0:
        found.append((b, "/", a))
    return found


def _joined(a: Entry, sign: str, b: Entry) -> Entry:
    (x, left), (y, right) = a, b
    return _OPERATORS[sign](x, y), f"({left} {sign} {right})"


def _search(
    entries: list[Entry], target: Fraction, failed: set[tuple[Fraction, ...]]
) -> str | None:
    values = tuple(sorted(value for value, _ in entries))
    if values in failed:
        return None
    if len(entries) == 1:
        value, expression = entries[0]
        return _strip_brackets(expression) if value == target else None
    for i in range(len(entries)):
        for j in range(i + 1, len(entries)):
            rest = [e for k, e in enumerate(entries) if k not in (i, j)]
            for way in _ways(entries[i], entries[j]):
                found = _search([*rest, _joined(*way)], target, failed)
                if found is not None:
                    return found
    failed.add(values)
    return None


def _strip_brackets(expression: str) -> str:
    return expression[1:-1] if expression.startswith("(") else expression


def _distractors(numbers: list[int], target: int) -> tuple[str, ...]:
    """A wrong value with the right numbers, a right value without them, and the bare target."""
    total = " + ".join(map(str, numbers))
    wrong = [str(target), f"{target} + 0"]
    if sum(numbers) != target:
        wrong.append(total)
    return tuple(wrong)
