"""A frozen dataclass as a flat table of settings, one for each leaf: `optimizer.lr`, `steps`.

Groups are fields that are dataclasses themselves. A *part* is chosen by name from a table of frozen
dataclasses (`agents/parts.py`, or a dict), and has settings of its own. The field
`advantage: str | Part = field(default="tempo", metadata={"parts": TABLE})` gives the setting
`advantage` and, of each part, its fields: `advantage.alpha`. The help text of a field is the
comment on its line; a comment `# -- Title` between fields, or an inherited `agents.settings.Group`,
is a group of the help.
"""

import dataclasses
import functools
import inspect
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from zerogym.agents.field_comments import field_comments
from zerogym.agents.settings import group_title, groups_of
from zerogym.cli.settings.values import alternatives, choice, read_text


class Parts(Protocol):
    """A table of parts: it iterates over names, and holds a frozen dataclass for each."""

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        ...

    def __getitem__(self, name: str, /) -> Any:
        """Return the dataclass of a name; some tables also import `module:Class`."""
        ...


@dataclass(frozen=True)
class Setting:
    """One setting; those of parts have a type, a comment and a default for each part."""

    path: str  # names of fields, joined by dots
    group: str | None  # title of its group in the help
    hint: Any = str  # its type; of a part, that of the text
    comment: str = ""  # what the help says
    default: str = "none"  # as it is shown
    table: Parts | None = None  # of the parts that it chooses from
    owner: str = ""  # path of the field whose parts have this setting
    of_parts: Mapping[str, "Setting"] = field(default_factory=dict)  # it, by the part's name

    @property
    def option(self) -> str:
        """The option of the command line."""
        return f"--{self.path.replace('_', '-')}"


def settings_of(
    config: type[Any], start: Any = None, own: Iterable[tuple[str, str]] = ()
) -> dict[str, Setting]:
    """Return the settings of a dataclass by path.

    Args:
        config: The dataclass.
        start: An instance with the defaults, if they are not those of the class.
        own: Path and name of parts that are not listed in their tables.
    """
    found = {setting.path: setting for setting in _walk(config, start, "", None)}
    for path, name in own:
        table = found[path].table
        for setting in _of_parts({name: table[name]}, f"{path}.") if table else ():
            others = found[setting.path].of_parts if setting.path in found else {}
            found[setting.path] = replace(setting, of_parts={**others, **setting.of_parts})
    return found


def parts_of(field: "dataclasses.Field[Any]") -> Parts | None:
    """Return the table of parts that a field is chosen from; None if it is no such field."""
    table: Parts | None = field.metadata.get("parts")
    return table


def read_name(setting: Setting, text: Any) -> Any:
    """Return the name of a part, or None; `module:Class` is left to its table.

    Raises:
        ValueError: If there is no such part; it names the nearest.
    """
    name = read_text(setting.hint, str(text))
    if name is not None and ":" not in name:
        choice(name, {each: each for each in setting.table or ()})
    return name


def group_class(hint: Any) -> type[Any] | None:
    """Return the dataclass of a field that is a group of settings; None if it is none."""
    found = [each for each in alternatives(hint) if dataclasses.is_dataclass(each)]
    return typing.cast("type[Any]", found[0]) if found else None


def default_of(field: "dataclasses.Field[Any]", start: Any = None) -> Any:
    """Return the default of a field, or its value in an instance; `MISSING` if it has none."""
    if start is not None:
        return getattr(start, field.name)
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _walk(config: type[Any], start: Any, prefix: str, group: str | None) -> Iterator[Setting]:
    comments, titles = _comments(config)  # type: ignore[arg-type]
    hints = typing.get_type_hints(config)
    for each in dataclasses.fields(config):
        path, hint = f"{prefix}{each.name}", hints[each.name]
        title = titles.get(each.name, group)
        default, table = default_of(each, start), parts_of(each)
        comment = comments.get(each.name, "")
        inner = group_class(hint)
        if table is not None:
            text = str | None if type(None) in alternatives(hint) else str
            yield Setting(path, title, text, comment, _shown(default, table), table)
            yield from _of_parts(table, f"{path}.")
        elif inner is not None:
            about = (inspect.getdoc(inner) or each.name).partition("\n")[0].rstrip(".")
            begun = default if isinstance(default, inner) else None
            yield from _walk(inner, begun, f"{path}.", about)
        else:
            yield Setting(path, title, hint, comment, _shown(default))


def _of_parts(table: Parts, prefix: str) -> Iterator[Setting]:
    """Yield the settings of all parts of a table; parts may share one."""
    found: dict[str, dict[str, Setting]] = {}
    for name in table:
        for setting in _walk(table[name], None, prefix, None):
            found.setdefault(setting.path, {})[name] = setting
    for path, of in found.items():
        comment = "; ".join(f"{name}: {each.comment}" for name, each in of.items())
        default = ", ".join(dict.fromkeys(each.default for each in of.values()))
        owner, hint = prefix[:-1], next(iter(of.values())).hint
        group = f"Settings of --{owner.replace('_', '-')}"
        yield Setting(path, group, hint, comment, default, owner=owner, of_parts=of)


def _shown(default: Any, table: Parts | None = None) -> str:
    if default is dataclasses.MISSING or default is None or default == ():
        return "none"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, tuple):
        return ",".join(map(str, default))
    named = [name for name in table or () if table and table[name] is type(default)]
    return named[0] if named else str(default)


@functools.cache  # reading the source of a class takes milliseconds
def _comments(config: type[Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the comment of each field, and the title that it stands under, if any."""
    comments, titles = {}, {}
    groups = {base: group_title(base) for base in groups_of(config).values()}
    for kind in reversed(config.__mro__):
        source = inspect.getsource(kind) if dataclasses.is_dataclass(kind) else ""
        for name, comment, own_title in field_comments(source):
            comments[name] = comment
            title = own_title or groups.get(kind)
            if title is not None:
                titles[name] = title
    return comments, titles
