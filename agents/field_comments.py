"""Comments of the fields of a settings class: the help of the command line, and that of `help()`.

A field's comment stands on its line, so that a class of settings reads as a table. `help()` and
`__doc__` do not show comments; `describe_fields` adds them to the docstring.
"""

import inspect
import re
from collections.abc import Iterator
from typing import TypeVar

from zerogym.agents.settings import group_title, groups_of

Config = TypeVar("Config", bound=type)
# A title, or a field whose lines after the first are indented or close its bracket.
_LINE = re.compile(
    r"^    # -- (.+)$|^    (\w+): (?:[^#\n]|\n     |\n    \))*#\s*(.+)$", re.MULTILINE
)


def field_comments(source: str) -> Iterator[tuple[str, str, str | None]]:
    """Yield name, comment and title of the fields in the source of a class.

    A comment `# -- Title` between fields begins a group; the title is None before the first.

    Example:
        >>> list(field_comments("    # -- Rates\\n    lr: float = 1.0  # of Adam"))
        [('lr', 'of Adam', 'Rates')]
    """
    title = None
    for begun, name, comment in _LINE.findall(source):
        title = begun or title
        if name:
            yield name, comment, title


def attributes_section(source: str) -> str:
    """Return the fields in the source of a class as a section of its docstring."""
    return _section("Attributes", source)


def _section(title: str, source: str) -> str:
    lines = [f"    {name}: {comment}" for name, comment, _ in field_comments(source)]
    return "\n".join([f"{title}:", *lines]) if lines else ""


def describe_fields(config: Config) -> Config:
    """Add the comments of its fields to the docstring of a dataclass; a class decorator.

    Those of the groups that it inherits are sections of their own.
    """
    titled = {group_title(group): group for group in groups_of(config).values()}
    try:
        sections = [_section(title, inspect.getsource(group)) for title, group in titled.items()]
        own = attributes_section(inspect.getsource(config))
    except (OSError, TypeError):  # no source, such as in an archive
        return config
    texts = [inspect.cleandoc(config.__doc__ or ""), *sections, own]
    config.__doc__ = "\n\n".join(text for text in texts if text) + "\n"
    return config
