"""Values of settings: the text of an option, or a value of a TOML file, to the type of a field.

Every error is a `ValueError` that goes on from the name of the setting: "takes a number, got 'x'".
"""

import difflib
import json
import types
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

UNIONS = (types.UnionType, typing.Union)
SHOWN_WIDTH = 16  # of choices in a help's column of types; longer ones stand in its text
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_SHOWN = {int: "INT", float: "FLOAT", str: "TEXT", bool: "true|false", Path: "PATH"}


def read_text(hint: Any, text: str) -> Any:
    """Return the value of a type that a text stands for; `none` where the type has None.

    Raises:
        ValueError: If it stands for none.

    Example:
        >>> read_text(float | None, "1e-4"), read_text(tuple[int, ...], "1,2")
        (0.0001, (1, 2))
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in UNIONS:
        return None if text == "none" and type(None) in arguments else _first(hint, text)
    if origin is tuple:
        return tuple(read_text(arguments[0], part) for part in text.split(",") if part)
    if origin is typing.Literal:
        return choice(text, {str(each): each for each in arguments})
    if hint is bool:
        if text.lower() not in _BOOLEANS:
            raise ValueError(f"takes true or false, got {text!r:.80}")
        return _BOOLEANS[text.lower()]
    if hint in (int, float):
        try:
            return hint(text)
        except ValueError:
            kind = "a whole number" if hint is int else "a number"
            raise ValueError(f"takes {kind}, got {text!r:.80}") from None
    if hint in (str, Path):
        return hint(text)
    return _json(text)


def read_value(hint: Any, value: Any) -> Any:
    """Return a value of a TOML or JSON file as one of a type.

    Raises:
        ValueError: If it is of another type.

    Example:
        >>> read_value(tuple[float, ...], [1, 0.5]), read_value(float, "1e-4")
        ((1.0, 0.5), 0.0001)
    """
    kinds = [typing.get_origin(each) or each for each in alternatives(hint)]
    if value is None or isinstance(value, Mapping):
        fits = type(None) in kinds if value is None else not _SIMPLE.issuperset(kinds)
        if not fits:
            raise ValueError(f"takes {shown_type(hint)}, got {json.dumps(value, default=str):.80}")
        return value
    if isinstance(value, list):
        if tuple in kinds:
            [parts] = (each for each in alternatives(hint) if typing.get_origin(each) is tuple)
            return tuple(read_value(typing.get_args(parts)[0], part) for part in value)
        if _SIMPLE.issuperset(kinds):
            raise ValueError(f"takes {shown_type(hint)}, got {value!r:.80}")
        return value
    return read_text(hint, str(value))


_SIMPLE = {int, float, str, bool, Path, tuple, typing.Literal, type(None)}


def alternatives(hint: Any) -> tuple[Any, ...]:
    """Return the types of a union, or the type itself."""
    return typing.get_args(hint) if typing.get_origin(hint) in UNIONS else (hint,)


def shown_type(hint: Any) -> str:
    """Return the placeholder of a type in a help text."""
    [first, *_] = [each for each in alternatives(hint) if each is not type(None)]
    if typing.get_origin(first) is typing.Literal:
        names = "|".join(map(str, typing.get_args(first)))
        return names if len(names) <= SHOWN_WIDTH else "NAME"
    if typing.get_origin(first) is tuple:
        return f"{shown_type(typing.get_args(first)[0])},..."
    return _SHOWN.get(first, "JSON")


def choices_of(hint: Any) -> tuple[str, ...]:
    """Return the names of a type that is a choice of names; none of others."""
    found = [each for each in alternatives(hint) if typing.get_origin(each) is typing.Literal]
    return tuple(str(name) for each in found for name in typing.get_args(each))


def choice(text: str, choices: Mapping[str, Any]) -> Any:
    """Return the choice of a name.

    Raises:
        ValueError: If there is none; it names the nearest.
    """
    if text in choices:
        return choices[text]
    near = difflib.get_close_matches(text, choices, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"takes one of {', '.join(choices)}, got {text!r:.80}{hint}")


def _first(union: Any, text: str) -> Any:
    """Read a text as the first type of a union that has such a value, texts last."""
    kinds = sorted(
        (each for each in typing.get_args(union) if each is not type(None)),
        key=lambda each: each is str,
    )
    reading: Callable[[Any], Any] = lambda each: read_text(each, text)  # noqa: E731
    for each in kinds[:-1]:
        try:
            return reading(each)
        except ValueError:
            continue
    return reading(kinds[-1])


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        example = """'{"name": 1}'"""
        raise ValueError(f"takes JSON, such as {example}, got {text!r:.80}: {error.msg}") from None
    except RecursionError:
        raise ValueError(f"takes JSON, got brackets without end: {text!r:.80}") from None
