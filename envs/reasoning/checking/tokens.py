r"""Mathematical text as tokens: LaTeX, Unicode and plain notation come out the same.

Layout (`\left`, thin spaces, dollar signs, `\text{}` and other wrappers) disappears, `\dfrac`
becomes `\frac`, `×` and `\cdot` become `*`, `²` becomes `^2`. One pass, linear time.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from zerogym.envs.reasoning.checking.vocabulary import (
    CHARACTERS,
    COMMANDS,
    FUNCTIONS,
    GREEK,
    LAYOUT,
    LETTERS,
    NAMES,
    WRAPPERS,
)
from zerogym.envs.reasoning.numerals import MAX_DIGITS, MAX_EXPONENT

Kind = Literal["number", "symbol", "function", "sign", "end"]


class Token(NamedTuple):
    """A piece of mathematical text; of a number also its value."""

    kind: Kind
    text: str
    number: int | Fraction = 0


class AnswerSyntaxError(ValueError):
    """A text is not in the grammar."""


_LONGEST_PRODUCT = 3  # `xyz` is a product of one-letter variables, `speed` is a name
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_DEPTH = {"(": 1, "[": 1, "{": 1, "{set": 1, ")": -1, "]": -1, "}": -1, "set}": -1}
_COMMA = Token("sign", ",")
_POWER = Token("sign", "^")

_GROUPED = r"\d{1,3}(?:(?:,(?:\\!)?|\{,\}|\\,)\d{3})+(?!\d)"
_TOKEN = re.compile(
    r"(?P<space>\s+|~|\\[,;:! ]|\\[()]|\\[\[\]]|\$)"
    r"|(?P<degree>\^\{?\\circ\b\}?)"
    rf"|(?P<number>(?:{_GROUPED}|\d+)(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)"
    r"|(?P<word>[A-Za-z]+)"
    r"|\\(?P<edge>begin|end)\{[pbB]?(?:small)?matrix\}"
    r"|\\(?P<command>[A-Za-z]+)"
    r"|\\(?P<escaped>[{}%$|\\])"
    r"|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?P<sign>\*\*|[-+*/^=(),\[\]{}|!%&_])"
    r"|(?P<other>.)",
    re.ASCII | re.DOTALL,
)


def tokenize(text: str) -> list[Token]:
    """Return all tokens of a text, and one of kind `end`.

    Raises:
        AnswerSyntaxError: At a character, command or number that no answer has.
    """
    tokens: list[Token] = []
    braces: list[bool] = []  # of the open ones: does it belong to a wrapper?
    depth, wrapper = 0, False
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if kind == "space":
            continue
        piece = match[kind]
        if kind == "sign":
            if piece == "{":
                braces.append(wrapper)
                if wrapper:
                    wrapper = False
                    continue
            elif piece == "}" and braces and braces.pop():
                continue
            tokens.append(Token("sign", "^" if piece == "**" else piece))
            depth += _DEPTH.get(piece, 0)
        elif kind == "number":
            tokens += _number(piece, depth)
        elif kind != "command" or piece not in WRAPPERS:
            new = _tokens_of(kind, piece)
            tokens += new
            depth += sum(_DEPTH.get(token.text, 0) for token in new)
        wrapper = kind == "command" and piece in WRAPPERS
    tokens.append(Token("end", ""))
    return tokens


def without_units(tokens: list[Token], units: Sequence[str]) -> list[Token]:
    """The tokens without one of the units at the end or in front; the longest that fits."""
    for unit in sorted(units, key=len, reverse=True):
        found = tokenize("\\$" if unit.strip() == "$" else unit)[:-1]
        size = len(found)
        if 0 < size < len(tokens) - 1:
            if tokens[-1 - size : -1] == found:
                return [*tokens[: -1 - size], tokens[-1]]
            if tokens[:size] == found:
                return tokens[size:]
    return tokens


def _number(text: str, depth: int) -> list[Token]:
    """One number, or several: a comma inside brackets separates (`(1,234)` is a pair)."""
    if text.isdigit():
        return [Token("number", text, _value(text))]
    for separator in ("{,}", "\\,", ",\\!"):  # LaTeX that cannot separate two numbers
        text = text.replace(separator, "")
    if depth == 0:
        text = text.replace(",", "")
    found: list[Token] = []
    for part in text.split(","):
        found += (_COMMA, Token("number", part, _value(part)))
    return found[1:]


def _value(text: str) -> int | Fraction:
    if len(text) > MAX_DIGITS:
        raise AnswerSyntaxError("a number is too long")
    if text.isdigit():
        return int(text)
    digits, _, exponent = text.lower().partition("e")
    whole, _, decimals = digits.partition(".")
    if abs(int(exponent or 0)) > MAX_EXPONENT:
        raise AnswerSyntaxError("an exponent is too large")
    value = Fraction(int(whole + decimals)) * Fraction(10) ** (int(exponent or 0) - len(decimals))
    return value.numerator if value.denominator == 1 else value


def _word(text: str) -> list[Token]:
    if len(text) == 1:
        return [Token("symbol", text)]
    name = NAMES.get(text, text)
    if name == ",":
        return [_COMMA]
    if name in FUNCTIONS:
        return [Token("function", name)]
    if name[-1] in "xy" and name[:-1] in FUNCTIONS:  # `sinx`
        return [Token("function", name[:-1]), Token("symbol", name[-1])]
    if name in GREEK or name == "infinity" or len(name) > _LONGEST_PRODUCT:
        return [Token("symbol", name)]
    return [Token("symbol", letter) for letter in name]


def _tokens_of(kind: str, text: str) -> list[Token]:
    """The tokens of a match that is neither a sign nor a number."""
    sign = {
        "edge": text,
        "degree": "°",
        "escaped": {"{": "{set", "}": "set}", "\\": "\\\\", "$": ""}.get(text, text),
        "command": COMMANDS.get(text, ""),
        "other": CHARACTERS.get(text, ""),
    }.get(kind)
    if sign:
        return [Token("sign", sign)]
    if kind == "raised":
        digits = text.translate(_RAISED)
        sign_of_power = [Token("sign", digits[0])] if digits[0] in "+-" else []
        return [_POWER, *sign_of_power, *_number(digits.lstrip("+-"), 0)]
    if kind == "word" or (kind == "command" and (text in FUNCTIONS | GREEK or text in NAMES)):
        return _word(text)
    if kind == "command" and text in LAYOUT:
        return []
    if text == "√":
        return [Token("function", "sqrt")]
    if text == "$" or text in LETTERS:
        return [Token("symbol", LETTERS.get(text, text))]
    raise AnswerSyntaxError(f"unknown command or character {text[:20]!r}")
