"""The problems of `NumberTheory`: a function for each category draws one, with its solution."""

from collections.abc import Callable
from math import gcd, prod

import numpy as np

from zerogym.envs.reasoning.arithmetic.integers import (
    euclid,
    inverse_steps,
    prime_factors,
    write_factors,
)
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, round_randomly

MAX_MODULI = 6
MAX_MODULUS = 99  # of several
MAX_NUMBER = 10**9  # to be factored


def _common(rng: np.random.Generator, level: float) -> tuple[int, int, int]:
    """A divisor, and two numbers of which it is the greatest common one.

    It is neither one of the numbers nor their difference, which could be guessed.
    """
    divisor = draw_int(rng, 2, int(20 * 3**level))
    most = max(9, int(6 * 3**level))
    while True:
        first, second = draw_int(rng, 2, most), draw_int(rng, 2, most)
        if abs(first - second) > 1 and gcd(first, second) == 1:
            return divisor, divisor * first, divisor * second


def _gcd(rng: np.random.Generator, level: float) -> Problem:
    divisor, first, second = _common(rng, level)
    return Problem(
        prompt=f"What is the greatest common divisor of {first} and {second}?",
        answer=str(divisor),
        solution="\n".join([*euclid(first, second), f"The last divisor is {divisor}."]),
        distractors=tuple(map(str, (1, divisor * 2, abs(first - second), divisor + 1))),
        category="gcd",
        data={"numbers": [first, second]},
        canonical=f"gcd {min(first, second)} {max(first, second)}",
    )


def _lcm(rng: np.random.Generator, level: float) -> Problem:
    divisor, first, second = _common(rng, level)
    answer = first // divisor * second
    last = f"{first} / {divisor} * {second} = {answer}"
    steps = [*euclid(first, second), f"The greatest common divisor is {divisor}.", last]
    return Problem(
        prompt=f"What is the least common multiple of {first} and {second}?",
        answer=str(answer),
        solution="\n".join(steps),
        distractors=tuple(map(str, (first * second, divisor, answer * 2, answer + first))),
        category="lcm",
        data={"numbers": [first, second]},
        canonical=f"lcm {min(first, second)} {max(first, second)}",
    )


def _modular_inverse(rng: np.random.Generator, level: float) -> Problem:
    modulus, base, inverse = 12, 1, 1
    while base == inverse:  # it would stand in the question
        modulus = draw_int(rng, 11, int(30 * 4**level))
        inverse = draw_int(rng, 2, modulus - 1)
        base = pow(inverse, -1, modulus) if gcd(inverse, modulus) == 1 else inverse
    steps = inverse_steps(base, modulus)
    if steps[-1] != f"{base} * {inverse} = 1 mod {modulus}":
        steps.append(f"x = {inverse - modulus} + {modulus} = {inverse}")
    return Problem(
        prompt=f"Find the integer x from 1 to {modulus - 1} for which {base} * x leaves the "
        f"remainder 1 when divided by {modulus}.",
        answer=str(inverse),
        solution="\n".join(steps if steps[-1][0] == "x" else [*steps, f"x = {inverse}"]),
        distractors=tuple(map(str, (modulus - inverse, base, inverse + 1, inverse - 1))),
        category="modular_inverse",
        data={"base": base, "modulus": modulus},
        canonical=f"inverse {base} {modulus}",
    )


def _crt(rng: np.random.Generator, level: float) -> Problem:
    count = min(round_randomly(rng, 2 + level), MAX_MODULI)
    largest = min(int(9 + 10 * level), MAX_MODULUS)
    moduli: list[int] = []
    while len(moduli) < count:
        modulus = draw_int(rng, 3, largest)
        if all(gcd(modulus, other) == 1 for other in moduli):
            moduli.append(modulus)
    moduli.sort()
    answer = draw_int(rng, 0, prod(moduli) - 1)
    rests = [answer % modulus for modulus in moduli]
    *parts, last = [f"{r} when divided by {m}" for r, m in zip(rests, moduli, strict=True)]
    wrong = (answer + prod(moduli), sum(rests), answer + moduli[0], rests[0])
    return Problem(
        prompt=f"Find the smallest integer x >= 0 that leaves the remainder "
        f"{', '.join(parts)} and {last}.",
        answer=str(answer),
        solution=_combine(rests, moduli),
        distractors=tuple(map(str, wrong)),
        category="crt",
        data={"rests": rests, "moduli": moduli},
        canonical=f"crt {rests} {moduli}",
    )


def _combine(rests: list[int], moduli: list[int]) -> str:
    """Step through what fits the moduli so far until the next modulus fits, too."""
    lines, found, step = [f"x = {rests[0]} mod {moduli[0]}"], rests[0], moduli[0]
    for rest, modulus in zip(rests[1:], moduli[1:], strict=True):
        times = (rest - found) * pow(step, -1, modulus) % modulus
        lines.append(
            f"{found} + {times} * {step} = {found + times * step} leaves {rest} mod {modulus}"
        )
        found, step = found + times * step, step * modulus
    return "\n".join([*lines, f"x = {found}"])


def _factorisation(rng: np.random.Generator, level: float) -> Problem:
    largest = int(min(200 * 8**level, MAX_NUMBER))
    while True:
        number = draw_int(rng, 4, largest)
        factors = prime_factors(number)
        if factors and len(factors) > 1:
            break
    rest, steps = number, []
    for factor in factors[:-1]:
        steps.append(f"{rest} = {factor} * {rest // factor}")
        rest //= factor
    answer = write_factors(factors)
    merged = [factors[0] * factors[1], *factors[2:]]
    wrong = (merged, factors[1:], [*factors, factors[0]], sorted({*factors}))
    return Problem(
        prompt=f"Write {number} as a product of primes, in a form such as 2^2 * 3.",
        answer=answer,
        solution="\n".join([*steps, f"{number} = {answer}"]),
        distractors=tuple(" * ".join(map(str, w)) for w in wrong if w != factors),
        category="factorisation",
        data={"number": number},
        canonical=f"factorisation {number}",
    )


def _modular_power(rng: np.random.Generator, level: float) -> Problem:
    largest, highest = int(30 * 4**level), int(5 * 4**level)
    answer, base, small = 0, 0, True
    while answer < 2 or small or answer == base:
        modulus, exponent = draw_int(rng, 11, largest), draw_int(rng, 2, highest)
        base = draw_int(rng, 2, modulus - 1)
        answer = pow(base, exponent, modulus)
        small = base ** min(exponent, 32) < modulus
    power, steps = base, [f"{base}^1 = {base} mod {modulus}"]
    for length, bit in enumerate(bin(exponent)[3:], start=2):
        reached = exponent >> (exponent.bit_length() - length)
        power = power * power * (base if bit == "1" else 1) % modulus
        steps.append(f"{base}^{reached} = {power} mod {modulus}")
    wrong = (base * exponent % modulus, modulus - answer, answer * base % modulus, answer + 1)
    return Problem(
        prompt=f"What is the remainder of {base}^{exponent} when divided by {modulus}?",
        answer=str(answer),
        solution="\n".join([*steps, f"The remainder is {answer}."]),
        distractors=tuple(map(str, wrong)),
        category="modular_power",
        data={"base": base, "exponent": exponent, "modulus": modulus},
        canonical=f"power {base} {exponent} {modulus}",
    )


MAKERS: dict[str, Callable[[np.random.Generator, float], Problem]] = {
    "gcd": _gcd,
    "lcm": _lcm,
    "modular_inverse": _modular_inverse,
    "crt": _crt,
    "factorisation": _factorisation,
    "modular_power": _modular_power,
}
