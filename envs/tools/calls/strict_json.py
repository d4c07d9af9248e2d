"""JSON that a model wrote: strict where JSON is strict, bounded, and with errors it can use."""

import json
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

MAX_DEPTH = 32
MAX_DIGITS = 1000


class JsonError(ValueError):
    """The text is not JSON that is accepted; the message is for the model."""


def read_json(text: str) -> Any:
    """Read a text that is JSON from its first to its last character.

    Line breaks inside of texts are taken as they are, because models forget to escape them.

    Raises:
        JsonError: For a mistake (with its place), a key that stands twice, NaN and infinite
            numbers, numbers of more than `MAX_DIGITS` digits, and more than `MAX_DEPTH` levels.
    """
    value, end = read_json_at_start(text)
    if text[end:].strip():
        raise JsonError(f"bad JSON: more text after its end, at character {end + 1}")
    return value


def read_json_at_start(text: str) -> tuple[Any, int]:
    """Read the value at the start of a text, blanks before it allowed; return it and its end.

    Raises:
        JsonError: As `read_json`.
    """
    begin = len(text) - len(text.lstrip(" \t\r\n"))
    try:
        value, end = _DECODER.raw_decode(text, begin)
    except RecursionError:
        raise JsonError(_TOO_DEEP) from None
    except json.JSONDecodeError as error:
        near = text[error.pos : error.pos + 20]
        where = f"near {near!r}" if near else "where the text ends"
        raise JsonError(
            f"bad JSON: {error.msg[:1].lower()}{error.msg[1:]}, at character {error.pos + 1}, "
            f"{where}"
        ) from None
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for outer in level for inner in _children(outer)]
        if not level:
            return value, end
    raise JsonError(_TOO_DEEP)


_TOO_DEEP = f"bad JSON: more than {MAX_DEPTH} levels of brackets"


def _children(value: Any) -> Sequence[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise JsonError(f"bad JSON: the key {key[:40]!r} stands twice")
        made[key] = value
    return made


def _constant(name: str) -> Any:
    raise JsonError(f"bad JSON: {name} is no JSON number")


def _number(digits: str, kind: Callable[[str], float]) -> float:
    value = kind(digits) if len(digits) <= MAX_DIGITS else math.inf
    if value in (math.inf, -math.inf):
        raise JsonError("bad JSON: a number is too large or too long")
    return value


_DECODER = json.JSONDecoder(
    strict=False,
    object_pairs_hook=_pairs,
    parse_constant=_constant,
    parse_float=partial(_number, kind=float),
    parse_int=partial(_number, kind=int),
)
