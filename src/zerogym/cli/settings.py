"""Command-line options from a frozen dataclass: one field, one option, one line of help.

The help text of a field is the comment on its line, so the settings are documented once.
"""

import argparse
import dataclasses
import inspect
import json
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from rich.markup import escape

from zerogym.cli.console import out, usage_errors
from zerogym.cli.names import typed_modules

Config = TypeVar("Config")
_UNIONS = (types.UnionType, typing.Union)
_FIELD = re.compile(r"^    (\w+): [^#]*#\s*(.+)$", re.MULTILINE)


def make_parser(config: type[Any], command: str) -> argparse.ArgumentParser:
    """A parser with an option for each field of `config`, and `--resume`."""
    about = (inspect.getdoc(config) or "").partition("\n\n")[0]
    parser = argparse.ArgumentParser(
        prog=command, description=about, allow_abbrev=False, argument_default=argparse.SUPPRESS
    )
    names = {field.name for field in dataclasses.fields(config)}
    if "out" not in names:
        parser.add_argument("--out", type=Path, metavar="DIR", help="the run directory")
    parser.add_argument(
        "--resume", type=Path, metavar="DIR", help="continue the run in this directory"
    )
    comments = dict(_FIELD.findall(inspect.getsource(config)))
    hints = typing.get_type_hints(config)
    for field in dataclasses.fields(config):
        help_text = comments.get(field.name, "").replace("%", "%%")
        parser.add_argument(
            f"--{field.name.replace('_', '-')}",
            dest=field.name,
            type=_reader(hints[field.name]),
            metavar=_shown_type(hints[field.name]),
            help=f"{help_text} (default: {_default(field)})",
        )
    return parser


def build(config: Callable[..., Config], values: Mapping[str, Any]) -> Config:
    """A config with these values; a value out of range becomes a `UsageError`."""
    with usage_errors(TypeError, ValueError):
        return config(**values)


def parse(config: type[Any], command: str, arguments: Sequence[str]) -> dict[str, Any]:
    """Values by field name, only those that were given; `out` and `resume` beside them."""
    return vars(make_parser(config, command).parse_args(list(arguments)))


def resumed(saved: Mapping[str, Any], given: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """The settings of a run that goes on: those of its file, and over them what was typed.

    What the file names is not imported, and its servers get no key (`envs/recorded.py`).

    Raises:
        ImportRefused: If the environment or a wrapper is of a module that nobody typed.
    """
    from zerogym.envs.recorded import recorded_id, recorded_wrappers, without_keys

    kept = {name: value for name, value in saved.items() if name not in given}
    if "env" in kept:
        recorded_id(kept["env"], file)
    for setting in ("wrappers", "eval_wrappers"):
        recorded_wrappers(kept.get(setting), file, typed_modules)
    safe: dict[str, Any] = without_keys(kept)
    changed = [f"--{name.replace('_', '-')}" for name in kept if safe[name] != kept[name]]
    if changed:
        out.print(
            f"[yellow]no key is sent to servers that only {escape(str(file))} names:[/] type "
            f"{', '.join(changed)} again to send one"
        )
    return {**safe, **given}


def _default(field: "dataclasses.Field[Any]") -> str:
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    else:
        default = "none" if field.default is dataclasses.MISSING else field.default
    return str(default).replace("%", "%%")


def _reader(hint: Any) -> Any:
    """Return the function that converts the text of an option to its type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in _UNIONS:
        inner = _reader(_without_none(hint))
        return lambda text: None if text == "none" else inner(text)
    if hint is bool:
        names = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        return lambda text: _choice(text.lower(), names, f"true or false, got {text!r}")
    if origin is tuple:
        inner = _reader(arguments[0])
        return lambda text: tuple(inner(part) for part in text.split(",") if part)
    if origin is typing.Literal:
        named = {str(choice): choice for choice in arguments}
        return lambda text: _choice(text, named, f"one of {', '.join(named)}")
    if hint in (int, float, str, Path):
        return hint
    return _read_json


def _choice(text: str, choices: Mapping[str, Any], required: str) -> Any:
    if text not in choices:
        raise argparse.ArgumentTypeError(f"must be {required}")
    return choices[text]


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise argparse.ArgumentTypeError(f"must be JSON: {error}") from None


def _without_none(union: Any) -> Any:
    return next(a for a in typing.get_args(union) if a is not type(None))


def _shown_type(hint: Any) -> str:
    if typing.get_origin(hint) in _UNIONS:
        return _shown_type(_without_none(hint))
    if typing.get_origin(hint) is typing.Literal:
        return "{" + ",".join(map(str, typing.get_args(hint))) + "}"
    return {int: "N", float: "X", str: "TEXT", bool: "BOOL"}.get(hint, "VALUE")
