"""Arithmetic expressions: a bounded parser with exact rational values. Nothing is evaluated by
Python, there is no power operator, and length, depth and digits are limited.
"""

import ast
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


def in_order(text: str) -> str:
    """Return a drawn expression with the parts of its sums and products in alphabetical order.

    Brackets around a sum in a sum, or a product in a product, are left out.

    Args:
        text: Numbers, `+ - * /` and brackets; not from a reply.

    Example:
        >>> in_order("3 * 2 - 1 + 4"), in_order("4 - (3 - 5)")
        ('2 * 3 + 4 - 1', '4 + 5 - 3')
    """
    return _in_order(ast.parse(text, mode="eval").body, is_part=False)


def _in_order(tree: ast.expr, is_part: bool) -> str:
    if not isinstance(tree, ast.BinOp):
        return ast.unparse(tree)
    is_sum = isinstance(tree.op, ast.Add | ast.Sub)
    with_brackets = is_sum or isinstance(tree.op, ast.Div)
    first, *others = sorted(_parts(tree, "+" if is_sum else "*", is_sum))
    written = " ".join([first[1], *(f"{sign} {part}" for sign, part in others)])
    return f"({written})" if is_part and with_brackets else written


def _parts(tree: ast.expr, sign: str, is_sum: bool) -> list[tuple[str, str]]:
    """Return the parts of a sum, or of a product, with their signs."""
    inverse, kinds = (ast.Sub, ast.Add | ast.Sub) if is_sum else (ast.Div, ast.Mult | ast.Div)
    if not (isinstance(tree, ast.BinOp) and isinstance(tree.op, kinds)):
        return [(sign, _in_order(tree, is_part=True))]
    other = {"+": "-", "-": "+", "*": "/", "/": "*"}[sign]
    right = _parts(tree.right, other if isinstance(tree.op, inverse) else sign, is_sum)
    return _parts(tree.left, sign, is_sum) + right


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
