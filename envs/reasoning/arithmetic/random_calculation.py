"""Random calculations: expression trees with an exact rational value.

The reference task of the suite. Drawn by a grammar of our own; tasks of this kind are common, see
Source. Left out: powers, roots and decimals in the question.
"""

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from zerogym.envs.problems import Difficulty
from zerogym.envs.reasoning.answers import format_number
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.expressions import in_order, parse_expression
from zerogym.envs.splits import Split

MAX_OPERATORS = 24
MAX_OPERAND = 10**9
SYMBOLS = "+-*/"
_APPLY = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


class RandomCalculationEnv(ReasoningEnv):
    """Calculate the exact value of an arithmetic expression.

    Description:
        An expression of integers, `+ - * /` and brackets is drawn; the reply must hold its exact
        value. Divisions make fractions: `7/3` is right where `2.33` is not.

    Answer:
        An integer, a decimal or a fraction.

    Reward:
        1 if the value is exactly right, else 0.

    Difficulty:
        `1 + difficulty` operators (a fractional part is the chance of one more, at most 24),
        operands up to `9 + 10 * difficulty`. Below 1 only `+` and `-`, from 1 also `*`, from 2 also
        `/`. At 0 there are 155 problems up to order (123 train, 32 test).

    Arguments:
        operators: Operators to draw from, as in `"+-"`; None: from the difficulty, like the next
            two.
        max_operand: The greatest operand, 1 to 10^9.
        max_depth: How deep operations nest at most: 1 is `a + b`, 2 also `(a + b) * (c - d)`. There
            are never more than `2^max_depth - 1` operators.

    Example:
        >>> env = RandomCalculationEnv(difficulty=0)
        >>> print(env.reset(seed=2)[0])
        Calculate 8 - 3.
        Give the final answer as <answer>...</answer>.
        >>> env.step("8 - 3 = <answer>5</answer>")[1]
        1.0

    Source:
        Our choice of grammar. Arithmetic as a verifiable reward: "R1-Zero-like training", for
        example "DeepSeek-R1: Incentivizing Reasoning Capability in LLMs via Reinforcement Learning"
        (2025, arXiv 2501.12948); peers have similar tasks under the name chain sum.
    """

    wrong = "The value is wrong."

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        max_attempts: int = 1,
        render_mode: str | None = None,
        operators: str | None = None,
        max_operand: int | None = None,
        max_depth: int | None = None,
    ) -> None:
        super().__init__(difficulty, split, category, max_attempts, render_mode)
        if operators is not None and (not operators or set(operators) - set(SYMBOLS)):
            raise ValueError(f"operators must be some of {SYMBOLS!r}, got {operators!r}")
        if max_operand is not None and not 1 <= max_operand <= MAX_OPERAND:
            raise ValueError(f"max_operand must be from 1 to {MAX_OPERAND}, got {max_operand!r}")
        if max_depth is not None and max_depth < 1:
            raise ValueError(f"max_depth must be at least 1, got {max_depth!r}")
        self.operators = None if operators is None else "".join(dict.fromkeys(operators))
        self.max_operand, self.max_depth = max_operand, max_depth

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw an expression tree whose divisions have no zero divisor."""
        return _draw(rng, difficulty, None, None, None)

    def _sample(self, difficulty: float) -> Problem:
        return _draw(self.np_random, difficulty, self.operators, self.max_operand, self.max_depth)

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the expression up to the order of sums and products."""
        return in_order(problem.data["expression"])

    def all_keys(self, difficulty: float) -> Iterable[str] | None:
        """Return all sums and differences of two digits at difficulty 0."""
        if difficulty > 0 or self.operators or self.max_operand or self.max_depth:
            return None
        pairs = product(range(10), repeat=2)
        return (in_order(f"{a} {sign} {b}") for a, b in pairs for sign in "+-")

    @staticmethod
    def solve(problem: Problem) -> str:
        """Parse the expression again from its text, and evaluate it exactly."""
        return format_number(parse_expression(problem.data["expression"]).value)


@dataclass(frozen=True)
class _Node:
    symbol: str
    left: "_Node | int"
    right: "_Node | int"


def _draw(
    rng: np.random.Generator,
    difficulty: float,
    operators: str | None,
    max_operand: int | None,
    max_depth: int | None,
) -> Problem:
    """Draw a problem; what is None follows from the difficulty."""
    count = int(1 + difficulty) + int(rng.random() < difficulty % 1)
    largest = max_operand or int(9 + 10 * min(difficulty, 1e6))
    symbols = operators or ("+-" if difficulty < 1 else "+-*" if difficulty < 2 else SYMBOLS)
    depth = min(max_depth or MAX_OPERATORS, MAX_OPERATORS)
    tree = _grow(rng, min(count, MAX_OPERATORS, _room(depth)), largest, symbols, depth)
    steps: list[str] = []
    value = _work_out(tree, steps)
    expression = _write(tree)
    answer = format_number(value)
    return Problem(
        prompt=f"Calculate {expression}.",
        answer=answer,
        solution="\n".join(steps),
        distractors=tuple(map(format_number, (value + 1, value - 1, value + 10, -value))),
        data={"expression": expression},
        canonical=expression,
    )


def _room(depth: int) -> int:
    """Operators of the greatest tree of a depth."""
    return 2**depth - 1


def _grow(
    rng: np.random.Generator, operators: int, largest: int, symbols: str, depth: int
) -> _Node | int:
    if operators == 0:
        return int(rng.integers(0, largest + 1))
    others, room = operators - 1, _room(depth - 1)
    left_share = int(rng.integers(max(0, others - room), min(others, room) + 1))
    left = _grow(rng, left_share, largest, symbols, depth - 1)
    right = _grow(rng, others - left_share, largest, symbols, depth - 1)
    symbol = symbols[rng.integers(len(symbols))]
    if symbol == "/" and symbols != "/" and _value(right) == 0:
        symbol = symbols.replace("/", "")[0]
    while symbol == "/" and _value(right) == 0:  # an even chance at worst: its first operand is 0
        right = _grow(rng, others - left_share, largest, symbols, depth - 1)
    return _Node(symbol, left, right)


def _value(tree: _Node | int) -> Fraction:
    return _work_out(tree, [])


def _work_out(tree: _Node | int, steps: list[str]) -> Fraction:
    """The value of a tree; one line a step is added to `steps`."""
    if isinstance(tree, int):
        return Fraction(tree)
    left, right = _work_out(tree.left, steps), _work_out(tree.right, steps)
    value = _APPLY[tree.symbol](left, right)
    steps.append(f"{_bracket(left)} {tree.symbol} {_bracket(right)} = {value}")
    return value


def _bracket(value: Fraction) -> str:
    return f"({value})" if value < 0 or value.denominator > 1 else str(value)


_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}


def _write(tree: _Node | int) -> str:
    """The tree as text, with only the brackets that its value needs."""
    if isinstance(tree, int):
        return str(tree)
    mine = _PRECEDENCE[tree.symbol]
    left, right = _write(tree.left), _write(tree.right)
    if isinstance(tree.left, _Node) and _PRECEDENCE[tree.left.symbol] < mine:
        left = f"({left})"
    if isinstance(tree.right, _Node) and _PRECEDENCE[tree.right.symbol] <= mine:
        right = f"({right})"
    return f"{left} {tree.symbol} {right}"
