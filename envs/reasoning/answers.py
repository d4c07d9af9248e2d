"""Reading answers out of replies: where the answer stands, and exact numbers.

Every function takes any string and ends in time linear in its length; nothing is evaluated.
"""

import re
from fractions import Fraction
from typing import Literal

AnswerFormat = Literal["tag", "boxed", "line", "none"]

MAX_ANSWER_LENGTH = 4096  # characters; longer answers score 0 unread
MAX_DIGITS = 400
MAX_EXPONENT = 400
_OPEN, _CLOSE, _BOXED = "<answer>", "</answer>", "\\boxed{"


def extract_answer(reply: str) -> tuple[str, AnswerFormat]:
    r"""The answer in a model's whole reply, and where it was found.

    Order: the last `<answer>...</answer>`, else the last `\boxed{...}`, else the last line that
    is not blank.

    Example:
        >>> extract_answer("2 + 2 is <answer> 4 </answer>, I think.")
        ('4', 'tag')
        >>> extract_answer("So\n4\n")
        ('4', 'line')
    """
    end = reply.rfind(_CLOSE)
    start = reply.rfind(_OPEN, 0, end) if end >= 0 else -1
    if start >= 0:
        return reply[start + len(_OPEN) : end].strip(), "tag"
    start = reply.rfind(_BOXED)
    if start >= 0:
        inside = _until_matching_brace(reply, start + len(_BOXED))
        if inside is not None:
            return inside.strip(), "boxed"
    line = reply.rstrip().rpartition("\n")[2].strip()
    return (line, "line") if line else ("", "none")


def _until_matching_brace(text: str, start: int) -> str | None:
    depth = 1
    for index in range(start, min(len(text), start + MAX_ANSWER_LENGTH + 1)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return text[start:index]
    return None


_INTEGER = r"(?:\d{1,3}(?:,\d{3})+|\d+)"
_NUMBER = re.compile(
    rf"(?P<sign>[+-]?)(?P<whole>{_INTEGER})?(?:\.(?P<decimals>\d*))?(?:[eE](?P<exponent>[+-]?\d+))?",
    re.ASCII,
)
_LOOK_ALIKES = str.maketrans({"\u2212": "-", "\u2013": "-", "\u00a0": " ", "\u2044": "/"})


def parse_number(text: str) -> Fraction | None:
    """An exact number: integer, decimal, `1,234`, `1.5e3`, or a fraction of such; else None.

    Of an equation the right-hand side counts (`2 + 2 = 4` is 4), dollar signs around it and a
    full stop after it are ignored. At most `MAX_DIGITS` digits and exponents to `MAX_EXPONENT`.

    Example:
        >>> parse_number("$-3/4$."), parse_number("12 apples")
        (Fraction(-3, 4), None)
    """
    if len(text) > MAX_ANSWER_LENGTH:
        return None
    text = text.translate(_LOOK_ALIKES).rpartition("=")[2].strip().removesuffix(".")
    text = text.strip("$ ").removesuffix(".")
    numerator, slash, denominator = text.partition("/")
    top = _parse_decimal(numerator.strip())
    if not slash or top is None:
        return top
    bottom = _parse_decimal(denominator.strip())
    return top / bottom if bottom else None


def _parse_decimal(text: str) -> Fraction | None:
    if len(text) > MAX_DIGITS:
        return None
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    whole = (match["whole"] or "").replace(",", "")
    decimals = match["decimals"] or ""
    exponent = int(match["exponent"] or 0)
    if not whole + decimals or abs(exponent) > MAX_EXPONENT:
        return None
    value = Fraction(int(whole + decimals), 10 ** len(decimals))
    value *= Fraction(10) ** exponent
    return -value if match["sign"] == "-" else value


def format_number(value: Fraction) -> str:
    """Canonical form: `7`, `-3/4`."""
    return str(value)
