"""The calculator's grammar: recursive descent on exact rationals, with bounds on everything.

`**` binds tighter than a sign before it and groups to the right, as in Python; `^` is `**`, and
`n!` is `factorial(n)`.
"""

import re
from fractions import Fraction

from zerogym.envs.tools.calculator.operations import (
    FUNCTIONS,
    CalculatorError,
    Value,
    apply,
    call,
    power,
)

MAX_TOKENS = 256
MAX_DEPTH = 32
MAX_NUMERAL = 400  # characters
MAX_EXPONENT = 400  # of a numeral such as 1e3

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w{0,40})"
    r"|(?P<sign>\*\*|//|[-+*/%^!(),]))",
    re.ASCII,
)
_LOOK_ALIKES = str.maketrans(
    {"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "[": "(", "]": ")", "√": " sqrt "}
)


def evaluate(text: str) -> Value:
    """Evaluate an expression.

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
    """Every way into a recursion passes `atom` and is counted by `depth`, or takes a token."""

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
        value = self.product(depth)
        while self.token in ("+", "-"):
            value = apply(self.take(), value, self.product(depth))
        return value

    def product(self, depth: int) -> Value:
        value = self.signed(depth)
        while self.token in ("*", "/", "//", "%"):
            value = apply(self.take(), value, self.signed(depth))
        return value

    def signed(self, depth: int) -> Value:
        if self.token in ("+", "-"):
            sign = self.take()
            value = self.signed(depth + 1)
            return Value(-value.number, value.exact) if sign == "-" else value
        return self.power(depth)

    def power(self, depth: int) -> Value:
        base = self.atom(depth)
        while self.token == "!":
            self.take()
            base = call("factorial", [base])
        if self.token in ("**", "^"):
            self.take()
            return power(base, self.signed(depth + 1))
        return base

    def atom(self, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise CalculatorError("too many brackets, signs or powers")
        token = self.take()
        if token == "(":
            value = self.sum(depth + 1)
            self.expect(")")
            return value
        if token[:1].isdigit() or token[:1] == ".":
            exponent = token.lower().partition("e")[2]
            if exponent and abs(int(exponent)) > MAX_EXPONENT:
                raise CalculatorError(f"the exponent of {token:.40} is too large")
            return Value(Fraction(token))
        if token[:1].isalpha() or token[:1] == "_":
            return self.function(token, depth)
        raise CalculatorError(_unexpected(token) if token else "the expression ends too soon")

    def function(self, name: str, depth: int) -> Value:
        if name not in FUNCTIONS:
            raise CalculatorError(f"there is no {name!r}; functions: {', '.join(FUNCTIONS)}")
        if name == "sqrt" and self.token != "(":  # √2
            return call(name, [self.atom(depth + 1)])
        self.expect("(")
        arguments = [self.sum(depth + 1)]
        while self.token == ",":
            self.take()
            arguments.append(self.sum(depth + 1))
        self.expect(")")
        return call(name, arguments)
