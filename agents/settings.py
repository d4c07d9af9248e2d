"""Type checks of frozen dataclasses of settings.

Ranges are checked by each class; a value of another type would fail late and far away.
"""

import math
import types
from dataclasses import fields
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
    kind = type(settings)
    hints = get_type_hints(kind)
    for field in fields(settings):
        name, hint = field.name, hints[field.name]
        value = getattr(settings, name)
        if not _fits(value, hint):
            type_name = getattr(hint, "__name__", str(hint))
            raise TypeError(f"{kind.__name__}.{name} must be {type_name}, got {value!r:.60}")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{kind.__name__}.{name} must be a finite number, got {value}")


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
