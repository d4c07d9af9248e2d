r"""Exact numbers as people and models write them; expressions are not evaluated.

`2 + 3` is no numeral, so repeating the question scores nothing.
"""

import re
from fractions import Fraction

MAX_LENGTH = 4096  # characters
MAX_DIGITS = 400
MAX_EXPONENT = 400

_INTEGER = r"(?:\d{1,3}(?:,\d{3})+|\d+)"
_NUMBER = re.compile(
    rf"(?P<sign>[+-]?)(?P<whole>{_INTEGER})?(?:\.(?P<decimals>\d*))?"
    r"(?:[eE](?P<exponent>[+-]?\d+))?(?P<percent>\s?%)?",
    re.ASCII,
)
_LOOK_ALIKES = str.maketrans({"\u2212": "-", "\u2013": "-", "\u00a0": " ", "\u2044": "/"})
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_ELABORATE = frozenset("\\*×·/$")  # one of them is in each form below
_LATEX_SPACE = re.compile(r"\\[,;:! ]|\\left\b|\\right\b|\{,\}|\\[()]|\$")
_ARGUMENT = r"\s*(?:\{([^{}]*)\}|(\d))"
_LATEX_FRACTION = re.compile(
    rf"(?P<sign>[+-]?)\s*(?P<whole>\d+)?\s*\\[dt]?frac{_ARGUMENT}{_ARGUMENT}", re.ASCII
)
_MIXED = re.compile(r"(?P<sign>[+-]?)(?P<whole>\d+) +(?P<top>\d+) ?/ ?(?P<bottom>\d+)", re.ASCII)
_POWER_OF_TEN = re.compile(
    r"(?P<digits>[^*×·\\]+?)\s*(?:\*|×|·|\\times|\\cdot)\s*10\s*"
    r"(?:(?:\^|\*\*)\s*(?:\{\s*(?P<braced>[+-]?\d+)\s*\}|\(?(?P<plain>[+-]?\d+)\)?)"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+))",
    re.ASCII,
)


def parse_number(text: str) -> Fraction | None:
    r"""An exact number, or None.

    Read are integers, decimals, `1,234`, `1.5e3`, `1.5 \times 10^3`, `50%` (one half), fractions
    of such, `\frac{3}{4}`, and mixed numbers (`1 1/2`, `1\frac12`). Of an equation the right-hand
    side counts (`2 + 2 = 4` is 4); dollar signs around it and a full stop after it are ignored.
    At most `MAX_DIGITS` digits and exponents to `MAX_EXPONENT`.

    Example:
        >>> parse_number("$-3/4$."), parse_number("12 apples"), parse_number(r"\frac12")
        (Fraction(-3, 4), None, Fraction(1, 2))
    """
    if len(text) > MAX_LENGTH:
        return None
    return parse_numeral(text.rpartition("=")[2])


def parse_integer(text: str) -> int | None:
    """An exact integer, or None; `4.0` and `8/2` are integers."""
    value = parse_number(text)
    return None if value is None or value.denominator != 1 else int(value)


def parse_numeral(text: str) -> Fraction | None:
    """`parse_number` without equations."""
    if len(text) <= MAX_DIGITS and text.isascii() and text.removeprefix("-").isdigit():
        return Fraction(int(text))
    if len(text) > MAX_LENGTH:
        return None
    text = text.translate(_LOOK_ALIKES).strip().removesuffix(".").strip("$ ").removesuffix(".")
    numerator, slash, denominator = text.partition("/")
    top = _parse_decimal(numerator.strip())
    if top is None:
        return _parse_elaborate(text)
    if not slash:
        return top
    bottom = _parse_decimal(denominator.strip())
    return top / bottom if bottom else None


def format_number(value: Fraction) -> str:
    """Canonical form: `7`, `-3/4`."""
    return str(value)


def _parse_decimal(text: str) -> Fraction | None:
    if len(text) > MAX_DIGITS:
        return None
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    sign, whole, decimals, exponent, percent = match.groups()
    digits = (whole or "").replace(",", "") + (decimals or "")
    if not digits:
        return None
    shift = int(exponent or 0) - len(decimals or "") - (2 if percent else 0)
    if exponent and abs(int(exponent)) > MAX_EXPONENT:
        return None
    return _scaled(-int(digits) if sign == "-" else int(digits), shift)


def _scaled(digits: int, shift: int) -> Fraction:
    return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)


def _parse_elaborate(text: str) -> Fraction | None:
    """LaTeX fractions, mixed numbers and powers of ten."""
    if len(text) > MAX_DIGITS or _ELABORATE.isdisjoint(text):
        return None
    text = _LATEX_SPACE.sub("", text).strip()
    if match := _LATEX_FRACTION.fullmatch(text):
        sign, whole, *arguments = match.groups()
        top, bottom = (arguments[0] or arguments[1]), (arguments[2] or arguments[3])
        return _mixed(sign, whole, top or "", bottom or "")
    if match := _MIXED.fullmatch(text):
        return _mixed(*match.groups())
    if match := _POWER_OF_TEN.fullmatch(text):
        value = _parse_decimal(match["digits"])
        raised = (match["raised"] or "").translate(_SUPERSCRIPTS)
        try:
            exponent = int(match["braced"] or match["plain"] or raised)
        except ValueError:  # `10⁻`
            return None
        if value is not None and abs(exponent) <= MAX_EXPONENT:
            return value * _scaled(1, exponent)
        return None
    return _parse_decimal(text.replace("\\%", "%"))


def _mixed(sign: str, whole: str | None, top: str, bottom: str) -> Fraction | None:
    """`whole` and a fraction; with a whole part the fraction must be a proper one of integers."""
    numerator, denominator = _parse_decimal(top.strip()), _parse_decimal(bottom.strip())
    if numerator is None or not denominator:
        return None
    value = numerator / denominator
    if whole is not None:
        if not (top.isdigit() and bottom.isdigit() and numerator < denominator):
            return None
        value += int(whole)
    return -value if sign == "-" else value
