"""Checks of the arguments of wrappers of control worlds: numbers, counts, lists, functions."""

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from zerogym.errors import UnknownName

Number = TypeVar("Number", int, float)

SHOWN = 60  # characters of a refused value in the message
MANY = 10_000  # of what is counted: steps, rows, columns, pixels; more would only fill the memory


def as_number(value: Any) -> float:
    """Return a number as a float; nan for words, booleans and all that is no number."""
    if isinstance(value, str | bytes | bool | np.bool_):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def number(value: Any, what: str, low: float = -math.inf, high: float = math.inf) -> float:
    """Return a finite number from low to high.

    Raises:
        ValueError: If it is none; names `what`.
    """
    given = as_number(value)
    if not low <= given <= high or not math.isfinite(given):
        bounds = f"lie in [{low:g}, {high:g}]" if math.isfinite(high) else "be a finite number"
        raise ValueError(f"{what} must {bounds}, got {shown(value)}")
    return given


def above_zero(value: Any, what: str) -> float | None:
    """Return a number > 0, perhaps infinite, or None.

    Raises:
        ValueError: If it is none; names `what`.
    """
    if value is None:
        return None
    given = as_number(value)
    if not given > 0:
        raise ValueError(f"{what} must be None or > 0, got {shown(value)}")
    return given


def whole(value: Any, what: str, low: int, high: int = MANY) -> int:
    """Return a whole number from low to high.

    Raises:
        ValueError: If it is none; names `what`.
    """
    given = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not given or not low <= value <= high:
        raise ValueError(f"{what} must be a whole number in [{low}, {high}], got {shown(value)}")
    return int(value)


def in_list(value: Any, what: str) -> list[Any]:
    """Return the items of a list, tuple or array.

    Raises:
        TypeError: If it is none of these, or a text; names `what`.
    """
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        return list(value)
    except TypeError:
        raise TypeError(f"{what} must be a list, got {shown(value)}") from None


def in_order(
    value: Any, what: str, check: Callable[[Any, str, Any], Number], low: Number
) -> tuple[Number, Number]:
    """Return a pair (least, greatest) of numbers from low on, each tested by `check`.

    Raises:
        TypeError: If it is no list; names `what`.
        ValueError: If it is no such pair; names `what`.
    """
    pair = in_list(value, what)
    if len(pair) != 2:
        raise ValueError(f"{what} must be (least, greatest), got {shown(value)}")
    least = check(pair[0], what, low)
    return least, check(pair[1], what, least)


def check_names(kind: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Check that all names are known.

    Raises:
        UnknownName: If one is not.
    """
    for name in names:
        if name not in known:
            raise UnknownName(kind, name, list(known))


def check_function(value: Any, what: str) -> None:
    """Accept a function or None.

    Raises:
        TypeError: If it is something else; names `what`.
    """
    if value is not None and not callable(value):
        raise TypeError(f"{what} must be a function, got {shown(value)}")


def shown(value: Any) -> str:
    """Write a refused value, short enough for a message."""
    try:
        return repr(value[:SHOWN] if isinstance(value, str | bytes) else value)[:SHOWN]
    except ValueError:  # an integer of too many digits for Python to write
        return f"a {type(value).__name__}"
