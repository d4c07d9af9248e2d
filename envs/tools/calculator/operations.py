"""The calculator's operations on exact rationals, with bounds on the numbers."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

MAX_BITS = 2**15  # of a numerator or denominator on the way, some 9,900 digits
MAX_PLACES = 400  # to which a number is rounded
MAX_ARGUMENTS = 256
_ROOT_BITS = 200  # of a root that is not exact, and at least that many after the point


class CalculatorError(ValueError):
    """The text cannot be calculated; the message explains why in words a model can use."""


@dataclass(frozen=True)
class Value:
    """A number, and whether it is exact or the rounded value of a root."""

    number: Fraction
    exact: bool = True


def apply(sign: str, one: Value, other: Value) -> Value:
    """Join `one` and `other` by one of `+ - * / // %`; raises CalculatorError."""
    if sign in ("/", "//", "%") and other.number == 0:
        raise CalculatorError("division by zero")
    number = _OPERATORS[sign](one.number, other.number)
    return _bounded(Value(Fraction(number), one.exact and other.exact))


def power(base: Value, exponent: Value) -> Value:
    """Raise `base` to a whole power; raises CalculatorError."""
    if exponent.number.denominator != 1 or not exponent.exact:
        raise CalculatorError("the exponent must be a whole number; for a root write sqrt(...)")
    power, number = int(exponent.number), base.number
    if number == 0 and power < 0:
        raise CalculatorError("division by zero")
    bits = max(number.numerator.bit_length(), number.denominator.bit_length()) - 1
    if bits * abs(power) > MAX_BITS:
        raise CalculatorError(_TOO_LARGE)
    if abs(number) == 1:
        power %= 2  # the bound above is no bound for these
    elif number == 0:
        power = min(power, 1)
    return _bounded(Value(number**power, base.exact))


def call(name: str, arguments: list[Value]) -> Value:
    """Return the value of a function in `FUNCTIONS`; raises CalculatorError."""
    function, fewest, most = FUNCTIONS[name]
    if not fewest <= len(arguments) <= most:
        count = str(fewest) if fewest == most else f"at least {fewest}"
        raise CalculatorError(f"{name} takes {count} numbers, not {len(arguments)}")
    exact = all(value.exact for value in arguments)
    if name == "sqrt":
        root = _root(arguments[0].number)
        return Value(root.number, root.exact and exact)
    return _bounded(Value(Fraction(function(*(value.number for value in arguments))), exact))


def _root(number: Fraction) -> Value:
    if number < 0:
        raise CalculatorError("the root of a negative number")
    top, bottom = math.isqrt(number.numerator), math.isqrt(number.denominator)
    if top * top == number.numerator and bottom * bottom == number.denominator:
        return Value(Fraction(top, bottom))
    shift = max(
        _ROOT_BITS, _ROOT_BITS + number.denominator.bit_length() - number.numerator.bit_length()
    )
    scaled = (number.numerator << (2 * shift)) // number.denominator
    return Value(Fraction(math.isqrt(scaled), 2**shift), exact=False)


def _whole(*numbers: Fraction) -> list[int]:
    if any(number.denominator != 1 for number in numbers):
        raise CalculatorError("whole numbers are asked")
    return [int(number) for number in numbers]


def _small(*numbers: Fraction) -> list[int]:
    whole = _whole(*numbers)
    if not all(0 <= number <= 2000 for number in whole):
        raise CalculatorError("whole numbers from 0 to 2000 are asked")
    return whole


def _round(number: Fraction, digits: Fraction = Fraction(0)) -> Fraction:
    (places,) = _whole(digits)
    if abs(places) > MAX_PLACES:
        raise CalculatorError(_TOO_LARGE)
    return Fraction(round(number, places))


def _bounded(value: Value) -> Value:
    number = value.number
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > MAX_BITS:
        raise CalculatorError(_TOO_LARGE)
    return value


_TOO_LARGE = "the numbers become too large"
_OPERATORS: dict[str, Callable[[Fraction, Fraction], Fraction | int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
}
FUNCTIONS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "abs": (abs, 1, 1),
    "ceil": (math.ceil, 1, 1),
    "comb": (lambda n, k: math.comb(*_small(n, k)), 2, 2),
    "factorial": (lambda n: math.factorial(*_small(n)), 1, 1),
    "floor": (math.floor, 1, 1),
    "gcd": (lambda *numbers: math.gcd(*_whole(*numbers)), 1, MAX_ARGUMENTS),
    "lcm": (lambda *numbers: math.lcm(*_whole(*numbers)), 1, MAX_ARGUMENTS),
    "max": (max, 1, MAX_ARGUMENTS),
    "min": (min, 1, MAX_ARGUMENTS),
    "round": (_round, 1, 2),
    "sqrt": (_root, 1, 1),
}
