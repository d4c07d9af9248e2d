"""Frozen dataclasses of settings: checks of types and ranges, and groups.

Classes check their own ranges; a value of another type would fail late and far away. A class with
many settings inherits groups of them (`Group`), so that each stays flat: `config.lr`.
"""

import math
import re
import types
from dataclasses import fields
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def check_types(settings: Any) -> None:
    """Refuse settings with a value that is not of its field's type, or a float that is not finite.

    Whole numbers are floats, too; True and False are no numbers; lists will do for tuples, because
    JSON has no others.

    Args:
        settings: A dataclass; the first thing that its `__post_init__` calls.

    Raises:
        TypeError: If a value is of another type; it names field and value.
        ValueError: If a float is infinite or not a number.
    """
    kind: Any = type(settings)
    hints = _hints(kind)
    for field in fields(settings):
        name, hint = field.name, hints[field.name]
        value = getattr(settings, name)
        if not _fits(value, hint):
            type_name = getattr(hint, "__name__", str(hint))
            raise TypeError(f"{kind.__name__}.{name} must be {type_name}, got {value!r:.60}")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{kind.__name__}.{name} must be a finite number, got {value}")


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)  # slow: it evaluates the text of every annotation


def check_at_least(settings: Any, **least: float) -> None:
    """Refuse settings, by name, that are below these numbers or infinite; a ValueError."""
    for name, low in least.items():
        if not low <= getattr(settings, name) < math.inf:
            raise ValueError(f"{name} must be at least {low}, got {getattr(settings, name)!r}")


def check_above(settings: Any, **bounds: float) -> None:
    """Refuse settings, by name, that are not above these numbers, or infinite; a ValueError."""
    for name, low in bounds.items():
        if not low < getattr(settings, name) < math.inf:
            raise ValueError(f"{name} must be above {low}, got {getattr(settings, name)!r}")


class Group:
    """Base of a group of settings: a frozen dataclass of at most twelve, which others inherit.

    `LanguageModelSettings` is the panel "Language model" of a help text, and the table
    `[language_model]` of a file; its docstring begins with what it is about.
    """

    def _check(self) -> None:
        """Refuse values that are out of range, or that contradict others of the group."""


def group_title(group: type[Group]) -> str:
    """Return the title of a group in help texts, such as `Language model`."""
    return re.sub(
        r"(?<=[a-z])([A-Z])", r" \1", group.__name__.removesuffix("Settings")
    ).capitalize()


def groups_of(config: type[Any]) -> dict[str, type[Group]]:
    """Return the groups that a class inherits, by their names in files, as its fields stand."""
    bases = [base for base in reversed(config.__mro__) if Group in base.__bases__]
    return {group_title(base).lower().replace(" ", "_"): base for base in bases}


def _fits(value: Any, hint: Any) -> bool:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return isinstance(value, str)  # the settings check the names
    if origin is tuple:
        return isinstance(value, (tuple, list)) and all(_fits(part, inner[0]) for part in value)
    if hint in (int, float):
        return isinstance(value, (int, hint)) and not isinstance(value, bool)
    return isinstance(value, origin or hint)
