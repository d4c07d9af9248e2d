"""Elementary number theory: divisors, multiples, remainders and primes.

Left out: proofs, Diophantine equations of degree above one, and primes above 1000.
"""

from math import gcd, lcm, prod
from typing import ClassVar

import numpy as np

from zerogym.envs.reasoning.answers import parse_number
from zerogym.envs.reasoning.arithmetic.integers import (
    parse_factors,
    prime_factors,
    write_factors,
)
from zerogym.envs.reasoning.arithmetic.number_theory_problems import MAKERS
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import pick
from zerogym.envs.reasoning.numerals import parse_integer

MAX_LEVEL = 10.0  # difficulty above which numbers no longer grow


class NumberTheoryEnv(ReasoningEnv):
    """Greatest common divisors, least common multiples, inverses, remainders and factors.

    Description:
        Six categories: `gcd` and `lcm` of two numbers; `modular_inverse`; `crt`, the least number
        with given remainders (Chinese remainder theorem); `factorisation` into primes; and
        `modular_power`, the remainder of a power. In `gcd` the divisor is drawn first, so that no
        divisor is common. Not posed are pairs whose divisor is one of them or their difference,
        inverses and powers that are the base again, and powers below the modulus or with
        remainder 0 or 1.

    Answer:
        A number, or for `factorisation` a product of primes in any order and form (`2^2 * 3`,
        `2 * 2 * 3`, `3 x 2 x 2`, `[2, 2, 3]`).

    Difficulty:
        Numbers grow: divisors up to `20 * 3^difficulty` and cofactors up to `6 * 3^difficulty` (at
        least 9), moduli up to `30 * 4^difficulty`, exponents up to `5 * 4^difficulty`, numbers to
        factor up to `200 * 8^difficulty` (at most 10^9, no prime factor above 1000); `crt` has
        `2 + difficulty` moduli (at most 6) up to `9 + 10 * difficulty` (at most 99). From 10 on
        nothing grows.

    Example:
        >>> env = NumberTheoryEnv(difficulty=0, category="gcd")
        >>> print(env.reset(seed=3)[0])
        What is the greatest common divisor of 12 and 30?
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>6</answer>")[1]
        1.0

    Source:
        Our choice of ranges; the algorithms are Euclid's and textbook matter.
    """

    categories: ClassVar[tuple[str, ...]] = tuple(MAKERS)

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a category, then its problem."""
        return MAKERS[pick(rng, tuple(MAKERS))](rng, min(difficulty, MAX_LEVEL))

    @staticmethod
    def solve(problem: Problem) -> str:
        """Solve by the standard library, `crt` by the explicit formula."""
        data = problem.data
        if problem.category == "gcd":
            return str(gcd(*data["numbers"]))
        if problem.category == "lcm":
            return str(lcm(*data["numbers"]))
        if problem.category == "modular_inverse":
            return str(pow(data["base"], -1, data["modulus"]))
        if problem.category == "modular_power":
            return str(pow(data["base"], data["exponent"], data["modulus"]))
        if problem.category == "factorisation":
            return write_factors(prime_factors(data["number"]) or [])
        total = prod(data["moduli"])
        pairs = zip(data["rests"], data["moduli"], strict=True)
        found = sum(rest * (total // m) * pow(total // m, -1, m) for rest, m in pairs)
        return str(found % total)

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Name the condition that a wrong number breaks."""
        if problem.category == "factorisation":
            return _factor_fault(problem, answer)
        value = parse_integer(answer)
        if value is None:
            return "The answer is not an integer."
        if value == int(problem.answer):
            return ""
        if problem.category == "crt":
            pairs = zip(problem.data["rests"], problem.data["moduli"], strict=True)
            broken = [m for rest, m in pairs if value % m != rest]
            return (
                f"The remainder is wrong for {broken[0]}." if broken else "It is not the smallest."
            )
        if problem.category == "gcd" and value > 0:
            if any(number % value for number in problem.data["numbers"]):
                return "It does not divide both numbers."
            return "There is a greater common divisor."
        return "The number is wrong."


def _factor_fault(problem: Problem, answer: str) -> str:
    """Describe what is wrong with a factorisation; empty if it is right."""
    number = problem.data["number"]
    # of an equation such as `12 = 2 * 2 * 3`, either way round, the product counts
    sides = answer.split("=")
    if len(sides) > 1:
        sides = [side for side in sides if parse_number(side) != number]
    factors = parse_factors(sides[-1]) if sides else None
    if factors is None:
        return "This is not a product of primes."
    if factors == parse_factors(problem.answer):
        return ""
    if prod(base**times for base, times in factors.items()) != number:
        return f"The product is not {number}."
    return "A factor is not a prime."
