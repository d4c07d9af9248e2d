"""Chained sums: integers joined by + and -, worked from left to right.

The classic of cheap verifiable tasks. Left out: brackets, products and fractions, which are
`RandomCalculation`.
"""

from collections.abc import Iterable
from itertools import product

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import round_randomly
from zerogym.envs.reasoning.expressions import in_order, parse_expression
from zerogym.envs.reasoning.numerals import parse_integer

MAX_TERMS = 40
MAX_DIGITS = 12


class ChainSumEnv(ReasoningEnv):
    """Add and subtract a chain of integers.

    Description:
        Integers are joined by `+` and `-`; the reply must hold the result, which may be negative.

    Answer:
        An integer.

    Difficulty:
        `2 + difficulty` terms (at most 40), each of up to `1 + difficulty` digits (at most 12); a
        fractional part is the chance of one more. At 0 there are 155 problems up to order (125
        train, 30 test).

    Example:
        >>> env = ChainSumEnv(difficulty=0)
        >>> print(env.reset(seed=3)[0])
        Calculate 1 + 7.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>8</answer>")[1]
        1.0

    Source:
        Our choice of ranges. Peers have the task under the name chain sum.
    """

    read = staticmethod(parse_integer)
    unreadable = "The answer is not an integer."
    wrong = "The result is wrong."

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw terms and signs."""
        terms = round_randomly(rng, min(2 + difficulty, MAX_TERMS))
        largest = 10 ** round_randomly(rng, min(1 + difficulty, MAX_DIGITS)) - 1
        first, *parts = rng.random(2 * terms - 1).tolist()
        total = int(first * (largest + 1))
        text, steps, mistakes = str(total), [], []
        for part, coin in zip(parts[::2], parts[1::2], strict=True):
            number = int(part * (largest + 1))
            sign = "+" if coin < 0.5 else "-"
            after = total + number if sign == "+" else total - number
            mistakes.append(2 * (total - after))  # added to the result: the other sign here
            text += f" {sign} {number}"
            steps.append(f"{total} {sign} {number} = {after}")
            total = after
        wrong = (total + mistakes[-1], total + mistakes[0], total + 10, total - 1, -total)
        return Problem(
            prompt=f"Calculate {text}.",
            answer=str(total),
            solution="\n".join(steps),
            distractors=tuple(map(str, wrong)),
            data={"expression": text},
            canonical=text,
        )

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the expression up to the order of sums and products."""
        return in_order(problem.data["expression"])

    def all_keys(self, difficulty: float) -> Iterable[str] | None:
        """Return all sums and differences of two digits at difficulty 0."""
        if difficulty > 0:
            return None
        pairs = product(range(10), repeat=2)
        return (in_order(f"{a} {sign} {b}") for a, b in pairs for sign in "+-")

    @staticmethod
    def solve(problem: Problem) -> str:
        """Parse the chain again from its text."""
        return str(parse_expression(problem.data["expression"]).value)
