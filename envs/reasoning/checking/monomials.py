"""Terms of polynomials: products of powers of names, times a rational number.

A name is a variable, `i` (with i² = -1), a prime as `#2` (for its roots) or an unknown as `?0`.
"""

from fractions import Fraction
from math import isqrt

Number = int | Fraction
Monomial = tuple[tuple[str, Number], ...]  # names with exponents, sorted
Polynomial = dict[Monomial, Number]

MAX_BITS = 8192  # of a coefficient
POSITIVE = frozenset(("pi", "e"))
_LARGEST_DIVISOR = 1000  # numbers under roots are factored by trial; their rest must be prime


class Undecided(Exception):
    """Too large to calculate, or not defined."""


def simple(value: Number) -> Number:
    """An int where it is whole: ints are much faster."""
    return value.numerator if value.denominator == 1 else value


def bits(value: Number) -> int:
    """Return the bits of numerator and denominator together."""
    return value.numerator.bit_length() + value.denominator.bit_length()


def joined(left: Monomial, right: Monomial) -> tuple[Monomial, Number]:
    """The product of two monomials, and a number that came out of it."""
    if not left or not right:
        return left or right, 1
    powers = dict(left)
    for name, power in right:
        powers[name] = powers.get(name, 0) + power
    ((monomial, factor),) = reduced(powers).items()
    return monomial, factor


def reduced(powers: dict[str, Number]) -> Polynomial:
    """Reduce a term: powers of i below 2, of primes between 0 and 1 (`#2` is the prime 2)."""
    factor = Fraction(1)
    left: list[tuple[str, Number]] = []
    for name in sorted(powers):
        power = powers[name]
        if name == "i" and isinstance(power, int):
            factor *= -1 if power % 4 > 1 else 1
            power %= 2
        elif name[0] == "#":
            whole: int = power.numerator // power.denominator
            if abs(whole) * len(name) > MAX_BITS:
                raise Undecided("too large a number")
            factor *= Fraction(int(name[1:])) ** whole
            power -= whole
        if power:
            left.append((name, simple(power)))
    return {tuple(left): simple(factor)}


def raised(monomial: Monomial, coefficient: Number, exponent: int) -> Polynomial:
    """Raise a term to an integer power."""
    if abs(coefficient) != 1 and bits(coefficient) * abs(exponent) > MAX_BITS:
        raise Undecided("too large a number")
    if abs(exponent) > MAX_BITS and monomial:
        raise Undecided("too large a power")
    sign = -1 if coefficient < 0 and exponent % 2 else 1
    number = 1 if abs(coefficient) == 1 else abs(Fraction(coefficient)) ** exponent
    term = reduced({name: simple(power * exponent) for name, power in monomial})
    ((left, factor),) = term.items()
    return {left: simple(sign * number * factor)}


def may_multiply(name: str, power: Number) -> bool:
    """Return True if (name^power)^q is name^(power q) for any q."""
    return name in POSITIVE or name[0] == "#" or (0 < power <= 1 and name[0] != "?" and name != "i")


def root_of_number(value: Number, exponent: Fraction) -> Polynomial | None:
    """A fractional power of a positive number, if its prime factors are found."""
    powers: dict[str, Number] = {}
    for number, direction in ((value.numerator, 1), (value.denominator, -1)):
        factors = _factors(number)
        if factors is None:
            return None
        for prime, count in factors.items():
            powers[f"#{prime}"] = count * direction * exponent
    return reduced(powers)


def _factors(number: int) -> dict[int, int] | None:
    found: dict[int, int] = {}
    divisor = 2
    while divisor <= _LARGEST_DIVISOR and divisor * divisor <= number:
        while number % divisor == 0:
            found[divisor] = found.get(divisor, 0) + 1
            number //= divisor
        divisor += 1
    if number > _LARGEST_DIVISOR**2:
        root = isqrt(number)
        inner = _factors(root) if root * root == number else None
        if inner is None:
            return None
        return {**found, **{prime: 2 * count for prime, count in inner.items()}}
    if number > 1:
        found[number] = found.get(number, 0) + 1
    return found
