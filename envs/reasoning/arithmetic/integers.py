"""Integer arithmetic behind the tasks: primes, factors, Euclid's algorithm with its steps.

Left out: primes above `LARGEST_PRIME`; numbers are factored by trial division with a short table.
"""

import re
from collections import Counter
from math import isqrt

from zerogym.envs.reasoning.listings import MAX_LENGTH, bare

LARGEST_PRIME = 1000
MAX_FACTORS = 64  # of an answer, counted with multiplicity


PRIMES = tuple(n for n in range(2, LARGEST_PRIME) if all(n % d for d in range(2, isqrt(n) + 1)))


def prime_factors(number: int) -> list[int] | None:
    """The prime factors in rising order; None if one is above `LARGEST_PRIME`.

    Example:
        >>> prime_factors(360), prime_factors(2 * 1009)
        ([2, 2, 2, 3, 3, 5], None)
    """
    found = []
    for prime in PRIMES:
        while number % prime == 0:
            found.append(prime)
            number //= prime
        if prime * prime > number:
            break
    if number > LARGEST_PRIME:
        return None
    return [*found, number] if number > 1 else found


def write_factors(factors: list[int]) -> str:
    """`2^3 * 3^2 * 5` for a list of primes in rising order.

    Example:
        >>> write_factors([2, 2, 3])
        '2^2 * 3'
    """
    counts = Counter(factors)
    return " * ".join(f"{p}^{n}" if n > 1 else str(p) for p, n in counts.items())


_TIMES = re.compile(r"\\times|\\cdot")
_SEPARATORS = re.compile(r"\s*[*,;x×·]\s*|\s+")
_FACTOR = re.compile(r"(\d{1,12})(?:\^\{?(\d{1,2})\}?)?", re.ASCII)
_SUPERSCRIPTS = str.maketrans({"²": "^2", "³": "^3", "⁴": "^4", "⁵": "^5", "⁶": "^6", "$": ""})


def parse_factors(text: str) -> Counter[int] | None:
    """A product or list of powers as base -> exponent; None if it is anything else.

    Understood: `2^2 * 3`, `2**2*3`, `2 x 2 x 3`, `2² · 3`, `2^{2} \\times 3`, `[2, 2, 3]`, `2 2 3`.

    Example:
        >>> parse_factors("3 * 2^2") == parse_factors("2, 2, 3") == Counter({2: 2, 3: 1})
        True
    """
    if len(text) > MAX_LENGTH:
        return None
    text = _TIMES.sub("*", bare(text).translate(_SUPERSCRIPTS).replace("**", "^"))
    text = "^".join(part.strip() for part in text.split("^")).strip()
    found: Counter[int] = Counter()
    for word in _SEPARATORS.split(text):
        match = _FACTOR.fullmatch(word)
        if match is None:
            return None
        found[int(match[1])] += int(match[2] or 1)
    return found if found.total() <= MAX_FACTORS else None


def euclid(a: int, b: int) -> list[str]:
    """The divisions of Euclid's algorithm, a line each.

    Example:
        >>> euclid(12, 18)
        ['18 = 1 * 12 + 6', '12 = 2 * 6 + 0']
    """
    high, low = max(a, b), min(a, b)
    lines = []
    while low:
        lines.append(f"{high} = {high // low} * {low} + {high % low}")
        high, low = low, high % low
    return lines


def inverse_steps(a: int, modulus: int) -> list[str]:
    """Euclid's algorithm on the modulus and `a`, each remainder as a multiple of `a`.

    Example:
        >>> inverse_steps(5, 17)
        ['5 * 1 = 5 mod 17', '5 * -3 = 2 mod 17', '5 * 7 = 1 mod 17']
    """
    rest, factor, next_rest, next_factor = modulus, 0, a, 1
    lines = [f"{a} * 1 = {a} mod {modulus}"]
    while next_rest > 1:
        quotient = rest // next_rest
        rest, next_rest = next_rest, rest - quotient * next_rest
        factor, next_factor = next_factor, factor - quotient * next_factor
        lines.append(f"{a} * {next_factor} = {next_rest} mod {modulus}")
    return lines
