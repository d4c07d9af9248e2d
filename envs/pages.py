"""The page of an environment: its class docstring, completed by those of its base classes.

A section that a class leaves out (Observation, Action, ...) is that of its nearest base class which
has it, so that a family writes down once what holds for all its tasks. The arguments add up: an
entry `name: ...` of a base class holds for every class that takes the argument and has no entry of
its own.
"""

import ast
import inspect
import re
import textwrap
from functools import cache
from pathlib import Path

from zerogym.envs.references import parameters_of

HEADINGS = (
    "Description", "Observation", "Action", "Answer", "Reward", "Episode end", "Difficulty",
    "Arguments", "Example", "Source",
)  # fmt: skip
_HEADING = re.compile(r"^([A-Z][a-z]+(?: [a-z]+)*):$", re.MULTILINE)
_ARGUMENT = re.compile(r"^(\w+): ", re.MULTILINE)


def sections(cls: type) -> dict[str, str]:
    """Return the text under each heading, in the order of `HEADINGS`; the summary is under ""."""
    merged: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        merged |= _own_sections(base)
    merged["Arguments"] = _arguments(cls)
    if default := _default_task(cls):
        merged["Reward"] = f"{merged.get('Reward', '')}\n\n{default}".strip()
    return {heading: merged[heading] for heading in ("", *HEADINGS) if merged.get(heading)}


def page(cls: type) -> str:
    """Return the whole page, laid out as a docstring."""
    found = sections(cls)
    parts = [found.pop("", "")]
    parts += [f"{heading}:\n{textwrap.indent(text, '    ')}" for heading, text in found.items()]
    return "\n\n".join(parts)


@cache
def summary(target: str) -> str:
    """Return the first line of the docstring of a class, `module:Class` below `zerogym.envs`.

    It is read from the source file, so that a list of all tasks imports none of them.
    """
    module, _, name = target.partition(":")
    file = Path(__file__).parent / (module.replace(".", "/") + ".py")
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return (ast.get_docstring(node) or "").partition("\n")[0]
    return ""


def _own_sections(cls: type) -> dict[str, str]:
    summary, *parts = _HEADING.split(inspect.cleandoc(cls.__doc__ or ""))
    texts = [textwrap.dedent(text.strip("\n")).strip() for text in parts[1::2]]
    return {"": summary.strip(), **dict(zip(parts[::2], texts, strict=True))}


def _default_task(cls: type) -> str:
    """The task that an environment has where none is given, if the class is one of tasks."""
    found = getattr(cls, "default_task", "")
    if isinstance(found, property):  # it depends on the arguments
        return f"Default task: {inspect.getdoc(found)}"
    return f"Default task: `{found}`." if found else ""


def _arguments(cls: type) -> str:
    """The entries of the base classes, then those of the class."""
    own = _own_sections(cls).get("Arguments", "")
    if own and not _ARGUMENT.match(own):  # prose that names them all
        return own
    inherited: dict[str, str] = {}
    for base in reversed(cls.__mro__[1:]):
        _, *parts = _ARGUMENT.split(_own_sections(base).get("Arguments", ""))
        inherited |= zip(parts[::2], (text.strip() for text in parts[1::2]), strict=True)
    for name in _ARGUMENT.findall(own):
        inherited.pop(name, None)
    if "category" in inherited:
        named = ", ".join(f"`{name}`" for name in getattr(cls, "categories", ()))
        inherited["category"] += f" One of {named}." if named else " This task has none."
    taken = [name for name in parameters_of(cls) if name in inherited]
    return "\n".join([*(f"{name}: {inherited[name]}" for name in taken), own]).strip()
