"""A dataclass from settings by path: groups and parts are made from their own settings."""

import dataclasses
import difflib
import re
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from zerogym.cli.console import UsageError
from zerogym.cli.settings.fields import Parts, default_of, group_class, parts_of
from zerogym.cli.settings.fields import settings_of as table_of
from zerogym.cli.settings.values import read_value

Config = TypeVar("Config")


def build(config: type[Config], values: Mapping[str, Any], start: Config | None = None) -> Config:
    """Return a dataclass with these settings, the others as in `start`, or as by default.

    Args:
        config: The dataclass.
        values: By path, such as `optimizer.lr`; of a part, `advantage` is its name and
            `advantage.alpha` the text or value of a setting of it.
        start: An instance.

    Raises:
        UsageError: If a value is out of range, or a part has no such setting.
    """
    try:
        return _build(config, values, start, "")
    except (TypeError, ValueError) as error:
        field = rf"\b{config.__name__}\.(\w+)"  # in messages for Python
        text = re.sub(field, lambda found: f"--{found[1].replace('_', '-')}", str(error))
        raise UsageError(text) from None


def _build(
    config: type[Config], values: Mapping[str, Any], start: Config | None, prefix: str
) -> Config:
    hints = typing.get_type_hints(config)
    given: dict[str, Any] = {}
    for field in dataclasses.fields(config):  # type: ignore[arg-type]
        path = f"{prefix}{field.name}"
        inner = {name: value for name, value in values.items() if name.startswith(f"{path}.")}
        table, group = parts_of(field), group_class(hints[field.name])
        default = default_of(field, start)
        if path in values:
            given[field.name] = values[path]
        if table is not None:
            if inner or path in values:
                given[field.name] = _part(table, path, values.get(path, default), inner)
        elif group is not None and inner:
            begun = default if isinstance(default, group) else None
            given[field.name] = _build(group, inner, begun, f"{path}.")
    if start is None:
        return config(**given)
    return dataclasses.replace(start, **given)  # type: ignore[type-var]


def _part(table: Parts, path: str, chosen: Any, inner: Mapping[str, Any]) -> Any:
    """Return a part with settings of its own, or just its name if none is given."""
    if not inner:
        return chosen
    if chosen is None:
        raise UsageError(f"{next(iter(inner))} needs --{path} NAME: one of {', '.join(table)}")
    kind = table[chosen] if isinstance(chosen, str) else type(chosen)
    known = table_of(kind)
    read = {}
    for each, value in inner.items():
        name = each.removeprefix(f"{path}.")
        if name not in known:
            raise UsageError(_no_setting(path, chosen, name, list(known)))
        try:
            read[name] = read_value(known[name].hint, value)
        except ValueError as error:
            raise UsageError(f"--{each.replace('_', '-')} {error}") from None
    return _build(kind, read, None if isinstance(chosen, str) else chosen, "")


def _no_setting(path: str, chosen: Any, name: str, known: list[str]) -> str:
    part = chosen if isinstance(chosen, str) else type(chosen).__name__
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{path} {part!r} has no setting {name!r} ({hint}known: {', '.join(known) or 'none'})"
