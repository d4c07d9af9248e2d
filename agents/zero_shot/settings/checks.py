"""Checks of zero-shot settings; their messages name the class and the field."""

from collections.abc import Iterable
from typing import Any

from zerogym.errors import UnknownName


def check_least(settings: Any, **least: float) -> None:
    """Refuse settings with a number below its least value; the ValueError names the field."""
    for name, low in least.items():
        if not getattr(settings, name) >= low:
            raise ValueError(
                f"{type(settings).__name__}.{name} must be at least {low}, "
                f"got {getattr(settings, name)}"
            )


def check_shares(settings: Any, *names: str) -> None:
    """Refuse settings with one of these numbers outside [0, 1]; the ValueError names the field."""
    for name in names:
        if not 0 <= getattr(settings, name) <= 1:
            where = f"{type(settings).__name__}.{name}"
            raise ValueError(f"{where} must be in [0, 1], got {getattr(settings, name)}")


def check_known(settings: Any, **known: Iterable[str]) -> None:
    """Refuse settings that are not among the known names; the UnknownName names the field."""
    for name, names in known.items():
        if getattr(settings, name) not in names:
            where = f"{type(settings).__name__}.{name}"
            raise UnknownName(where, getattr(settings, name), list(names))
