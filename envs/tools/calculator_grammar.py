"""The calculator's grammar: recursive descent on exact rationals, with bounds on everything.

`**` binds tighter than a sign before it and groups to the right, as in Python; `^` is `**`, and
`n!` is `factorial(n)`.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

MAX_TOKENS = 256
MAX_DEPTH = 32
MAX_NUMERAL = 400  # characters
MAX_EXPONENT = 400  # of a numeral such as 1e3
MAX_BITS = 2**15  # of a numerator or denominator on the way, some 9,900 digits
_ROOT_BITS = 200  # of a root that is not exact

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w{0,40})"
    r"|(?P<sign>\*\*|//|[-+*/%^!(),]))",
    re.ASCII,
)
_LOOK_ALIKES = str.maketrans(
    {"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "[": "(", "]": ")", "√": " sqrt "}
)


class CalculatorError(ValueError):
    """The text cannot be calculated; the message says why in words a model can use."""


@dataclass(frozen=True)
class Value:
    """A number, and whether it is exact or the rounded value of a root."""

    number: Fraction
    exact: bool = True


def evaluate(text: str) -> Value:
    """The value of an expression.

    Raises:
        CalculatorError: If it is none, or passes a bound.

    Example:
        >>> evaluate("-2 ** 2 + 1/2")
        Value(number=Fraction(-7, 2), exact=True)
    """
    parser = _Parser(_tokens(text.strip().removesuffix("=")))
    value = parser.sum(0)
    if parser.token:
        raise CalculatorError(_unexpected(parser.token))
    return value


def _tokens(text: str) -> list[str]:
    if len(text) > MAX_TOKENS * MAX_NUMERAL:
        raise CalculatorError("the expression is too long")
    text = text.translate(_LOOK_ALIKES).rstrip()
    tokens: list[str] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise CalculatorError(_unexpected(text[position:].lstrip()[:1]))
        tokens.append(match[0].strip())
        if len(tokens) > MAX_TOKENS or len(tokens[-1]) > MAX_NUMERAL:
            raise CalculatorError("the expression is too long")
        position = match.end()
    return tokens


def _unexpected(token: str) -> str:
    if token == ",":
        return "unexpected ','; write 1234 for 1,234"
    if token == "=":
        return "unexpected '='; write one expression a line, without variables"
    return f"unexpected {token!r:.40}"


class _Parser:
    """`depth` counts open brackets, signs and powers, so that recursion is bounded."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._position = 0

    @property
    def token(self) -> str:
        return self._tokens[self._position] if self._position < len(self._tokens) else ""

    def take(self) -> str:
        token = self.token
        self._position += 1
        return token

    def expect(self, token: str) -> None:
        if self.token != token:
            found = f"found {self.token!r:.40}" if self.token else "the expression ends too soon"
            raise CalculatorError(f"a {token!r} is missing, {found}")
        self.take()

    def sum(self, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise CalculatorError("too many brackets, signs or powers")
        value = self.product(depth)
        while self.token in ("+", "-"):
            value = _apply(self.take(), value, self.product(depth))
        return value

    def product(self, depth: int) -> Value:
        value = self.signed(depth)
        while self.token in ("*", "/", "//", "%"):
            value = _apply(self.take(), value, self.signed(depth))
        return value

    def signed(self, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise CalculatorError("too many brackets, signs or powers")
        if self.token in ("+", "-"):
            sign = self.take()
            value = self.signed(depth + 1)
            return Value(-value.number, value.exact) if sign == "-" else value
        return self.power(depth)

    def power(self, depth: int) -> Value:
        base = self.atom(depth)
        while self.token == "!":
            self.take()
            base = _call("factorial", [base])
        if self.token in ("**", "^"):
            self.take()
            return _power(base, self.signed(depth + 1))
        return base

    def atom(self, depth: int) -> Value:
        token = self.take()
        if token == "(":
            value = self.sum(depth + 1)
            self.expect(")")
            return value
        if token[:1].isdigit() or token[:1] == ".":
            return Value(_numeral(token))
        if token[:1].isalpha() or token[:1] == "_":
            return self.function(token, depth)
        raise CalculatorError(_unexpected(token) if token else "the expression ends too soon")

    def function(self, name: str, depth: int) -> Value:
        if name not in _FUNCTIONS:
            raise CalculatorError(f"there is no {name!r}; functions: {', '.join(_FUNCTIONS)}")
        if name == "sqrt" and self.token != "(":  # √2
            return _call(name, [self.atom(depth + 1)]) if depth < MAX_DEPTH else self.sum(depth + 1)
        self.expect("(")
        arguments = [self.sum(depth + 1)]
        while self.token == ",":
            self.take()
            arguments.append(self.sum(depth + 1))
        self.expect(")")
        return _call(name, arguments)


def _numeral(token: str) -> Fraction:
    exponent = token.lower().partition("e")[2]
    if exponent and abs(int(exponent)) > MAX_EXPONENT:
        raise CalculatorError(f"the exponent of {token:.40} is too large")
    return Fraction(token)


def _apply(sign: str, one: Value, other: Value) -> Value:
    if sign in ("/", "//", "%") and other.number == 0:
        raise CalculatorError("division by zero")
    number = _OPERATORS[sign](one.number, other.number)
    return _bounded(Value(Fraction(number), one.exact and other.exact))


def _power(base: Value, exponent: Value) -> Value:
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


def _call(name: str, arguments: list[Value]) -> Value:
    function, fewest, most = _FUNCTIONS[name]
    if not fewest <= len(arguments) <= most:
        wanted = str(fewest) if fewest == most else f"at least {fewest}"
        raise CalculatorError(f"{name} takes {wanted} numbers, not {len(arguments)}")
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
    shift = max(0, _ROOT_BITS + number.denominator.bit_length() - number.numerator.bit_length())
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
    if abs(places) > MAX_EXPONENT:
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
_FUNCTIONS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "abs": (abs, 1, 1),
    "ceil": (math.ceil, 1, 1),
    "comb": (lambda n, k: math.comb(*_small(n, k)), 2, 2),
    "factorial": (lambda n: math.factorial(*_small(n)), 1, 1),
    "floor": (math.floor, 1, 1),
    "gcd": (lambda *numbers: math.gcd(*_whole(*numbers)), 1, MAX_TOKENS),
    "lcm": (lambda *numbers: math.lcm(*_whole(*numbers)), 1, MAX_TOKENS),
    "max": (max, 1, MAX_TOKENS),
    "min": (min, 1, MAX_TOKENS),
    "round": (_round, 1, 2),
    "sqrt": (_root, 1, 1),
}
