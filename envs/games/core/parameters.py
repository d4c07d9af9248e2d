"""Checks of parameters of rules: each error has the name, the limits and the value."""

from collections.abc import Callable, Iterable, Sequence
from inspect import signature
from typing import Any

from zerogym.errors import UnknownArgument


def parameters_of(maker: Callable[..., Any]) -> list[str]:
    """Names of the parameters of rules or of an environment, in their order."""
    return list(signature(maker).parameters)


def check_names(what: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Raise UnknownArgument, a TypeError, if one of the names that are given is not known."""
    for name in given:
        if name not in known:
            raise UnknownArgument.of(what, name, known)


def check_number(name: str, value: object, low: int, high: int) -> None:
    """Raise ValueError unless `value` is an integer from `low` to `high`; True is none.

    Example:
        >>> check_number("rounds", 2.0, 1, 12)
        Traceback (most recent call last):
        ValueError: rounds must be an integer from 1 to 12, got 2.0
    """
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name} must be an integer from {low} to {high}, got {value!r:.80}")


def check_numbers(name: str, values: object, low: int, high: int, most: int) -> None:
    """Raise ValueError unless `values` is a tuple of 1 to `most` integers from `low` to `high`."""
    numbers = values if isinstance(values, tuple) else ()
    good = all(type(number) is int and low <= number <= high for number in numbers)
    if not good or not 1 <= len(numbers) <= most:
        limits = f"1 to {most} integers from {low} to {high}"
        raise ValueError(f"{name} must be {limits}, got {values!r:.80}")


def check_flag(name: str, value: object) -> None:
    """Raise ValueError unless `value` is True or False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, got {value!r:.80}")


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise ValueError unless `value` is one of the texts."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {list(choices)}, got {value!r:.80}")
