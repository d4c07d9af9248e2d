"""What wrappers of control worlds take: numbers, counts, lists, functions; the rest is refused."""

import math
from typing import Any

import numpy as np

SHOWN = 60  # characters of a refused value in the message
MANY = 10_000  # of what is counted: steps, rows, columns, pixels; more would only fill the memory


def as_number(value: Any) -> float:
    """A number as a float; nan for words, truth values and all that is no number."""
    if isinstance(value, str | bytes | bool | np.bool_):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def number(value: Any, what: str, low: float = -math.inf, high: float = math.inf) -> float:
    """A finite number from low to high.

    Raises:
        ValueError: If it is none; names `what`.
    """
    given = as_number(value)
    if not low <= given <= high or not math.isfinite(given):
        bounds = f"lie in [{low:g}, {high:g}]" if math.isfinite(high) else "be a finite number"
        raise ValueError(f"{what} must {bounds}, got {shown(value)}")
    return given


def above_zero(value: Any, what: str) -> float | None:
    """A number > 0, perhaps infinite, or None.

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
    """A whole number from low to high.

    Raises:
        ValueError: If it is none; names `what`.
    """
    given = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not given or not low <= value <= high:
        raise ValueError(f"{what} must be a whole number in [{low}, {high}], got {shown(value)}")
    return int(value)


def in_list(value: Any, what: str) -> list[Any]:
    """What is in a list, tuple or array.

    Raises:
        TypeError: If it is none of these; names `what`. A text is none: its letters are meant by
            nobody.
    """
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        return list(value)
    except TypeError:
        raise TypeError(f"{what} must be a list, got {shown(value)}") from None


def check_function(value: Any, what: str) -> None:
    """Nothing for a function or None.

    Raises:
        TypeError: If it is something else; names `what`.
    """
    if value is not None and not callable(value):
        raise TypeError(f"{what} must be a function, got {shown(value)}")


def shown(value: Any) -> str:
    """A refused value, short enough for a message."""
    try:
        return repr(value[:SHOWN] if isinstance(value, str | bytes) else value)[:SHOWN]
    except ValueError:  # an integer of too many digits for Python to write
        return f"a {type(value).__name__}"
