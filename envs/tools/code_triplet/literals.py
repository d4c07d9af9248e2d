"""Python literals as answers, read in a bounded, safe way.

Accepted are integers, texts, True, False, None, and lists and tuples of them, and nothing else:
`1+1` is no answer to the question what a program returns. Types are strict: True is not 1, a tuple
is no list, and 1.0 cannot be read.

Left out: floats, dictionaries, sets, bytes, f-strings, and texts written as `'a' 'b'`.
"""

import ast
import re
from typing import Any

MAX_LENGTH = 4096  # characters
MAX_DIGITS = 15  # of an integer
MAX_DEPTH = 6  # of lists in lists
# No backslash in texts: no text of the tasks needs one.
_TOKEN = re.compile(
    r"""\s*(?:(?P<open>[\[(])|(?P<close>[\])])|(?P<comma>,)|"""
    r"""-?(?:0|[1-9]\d{0,14})(?![\w.])|'[^'\\\n]*'|"[^"\\\n]*"|(?:True|False|None)\b)""",
    re.ASCII,
)
_CLOSING = {"[": "]", "(": ")"}


class NoLiteral(ValueError):
    """The text is no literal of the accepted kind; the message names the reason."""


def read(text: str) -> Any:
    """Return the value of a literal.

    Raises:
        NoLiteral: If it is none, is longer than `MAX_LENGTH`, nests deeper than `MAX_DEPTH`, or
            has an integer with more than `MAX_DIGITS` digits.

    Example:
        >>> read("[3, -1]"), read("[1, 2], 'ab'"), read("True")
        ([3, -1], ([1, 2], 'ab'), True)
    """
    text = text.strip()
    if not text or len(text) > MAX_LENGTH:
        raise NoLiteral(f"a literal has 1 to {MAX_LENGTH} characters")
    _check(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        raise NoLiteral("it is not a Python literal") from error


def _check(text: str) -> None:
    """Check for tokens of literals, commas between values, and matching brackets."""
    place, awaited, after_value = 0, "", False
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise NoLiteral("it is not a Python literal of integers, texts, lists and tuples")
        place, kind = match.end(), match.lastgroup
        if kind == "comma":
            after_value = False
            continue
        if kind == "close":
            if not awaited or match["close"] != awaited[-1]:
                raise NoLiteral("its brackets do not match")
            awaited, after_value = awaited[:-1], True
            continue
        if after_value:
            raise NoLiteral("values are separated by commas")
        if kind == "open":
            awaited += _CLOSING[match["open"]]
            if len(awaited) > MAX_DEPTH:
                raise NoLiteral(f"it nests deeper than {MAX_DEPTH}")
        else:
            after_value = True
    if awaited:
        raise NoLiteral("its brackets do not match")


def same(given: Any, expected: Any) -> bool:
    """Return True for values that are equal, and of equal types all the way down.

    Example:
        >>> same([1, 2], [1, 2]), same([True], [1]), same((1,), [1])
        (True, False, False)
    """
    if type(given) is not type(expected):
        return False
    if isinstance(given, list | tuple):
        return len(given) == len(expected) and all(map(same, given, expected))
    return bool(given == expected)
