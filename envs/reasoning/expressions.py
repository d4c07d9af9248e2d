"""Arithmetic expressions: a bounded parser with exact rational values. Nothing is evaluated by
Python, there is no power operator, and length, depth and digits are limited.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

MAX_TOKENS = 256
MAX_DEPTH = 32
MAX_DIGITS = 12

_TOKEN = re.compile(r"\s*(?:(\d+)|([-+*/()]))", re.ASCII)
_LOOK_ALIKES = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "[": "(", "]": ")"})


@dataclass(frozen=True)
class Expression:
    """A parsed expression: its exact value, and the numbers in it from left to right."""

    value: Fraction
    numbers: tuple[int, ...]


class ExpressionError(ValueError):
    """The text is not an expression; the message says why in words a model can use."""


def parse_expression(text: str) -> Expression:
    """Parse integers, `+ - * /`, unary minus and brackets.

    Args:
        text: At most 256 tokens, 32 brackets deep, numbers of at most 12 digits.

    Raises:
        ExpressionError: If the text is anything else, or divides by zero.

    Example:
        >>> parse_expression("(3 - 1/2) * 4")
        Expression(value=Fraction(10, 1), numbers=(3, 1, 2, 4))
    """
    parser = _Parser(_tokenise(text.translate(_LOOK_ALIKES)))
    value = parser.sum(0)
    if parser.token:
        raise ExpressionError(f"unexpected {parser.token!r}")
    return Expression(value, tuple(parser.numbers))


def _tokenise(text: str) -> list[str]:
    tokens: list[str] = []
    position = 0
    text = text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ExpressionError(f"unexpected {text[position : position + 1]!r}")
        tokens.append(match[1] or match[2])
        if len(tokens) > MAX_TOKENS or len(tokens[-1]) > MAX_DIGITS:
            raise ExpressionError("the expression is too long")
        position = match.end()
    return tokens


class _Parser:
    """Recursive descent; `depth` counts open brackets and signs so that recursion is bounded."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.position = 0
        self.numbers: list[int] = []

    @property
    def token(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self) -> str:
        token = self.token
        self.position += 1
        return token

    def sum(self, depth: int) -> Fraction:
        value = self.product(depth)
        while self.token in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            value += sign * self.product(depth)
        return value

    def product(self, depth: int) -> Fraction:
        value = self.atom(depth)
        while self.token in ("*", "/"):
            if self.take() == "*":
                value *= self.atom(depth)
                continue
            divisor = self.atom(depth)
            if divisor == 0:
                raise ExpressionError("division by zero")
            value /= divisor
        return value

    def atom(self, depth: int) -> Fraction:
        if depth > MAX_DEPTH:
            raise ExpressionError("too many brackets or signs")
        token = self.take()
        if token.isdigit():
            self.numbers.append(int(token))
            return Fraction(int(token))
        if token == "-":
            return -self.atom(depth + 1)
        if token == "(":
            value = self.sum(depth + 1)
            if self.take() != ")":
                raise ExpressionError("a bracket is not closed")
            return value
        raise ExpressionError(f"unexpected {token!r}" if token else "the expression ends too soon")
