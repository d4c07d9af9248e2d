"""Environments and games with the arguments that were typed."""

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from zerogym.cli.console import UsageError, usage_errors
from zerogym.envs.lookup import find_game_name, full_id
from zerogym.envs.references import import_named
from zerogym.envs.registry import Task

typed_modules: set[str] = set()  # those that the user named; files may name what is in them


def typed_id(name: str) -> str:
    """The id of a typed name, in any spelling; the module of `module:ID` is imported."""
    module, colon, _ = name.partition(":")
    if colon:
        import_typed(module)
    return full_id(name)


def import_typed(module: str) -> None:
    """Import a module that the user typed, installed or in the current folder.

    Raises:
        CannotImport: If it cannot be imported.
    """
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # last, so that no file there hides an installed module
    import_named(module)
    typed_modules.add(module)


def import_wrappers(given: Mapping[str, Any]) -> None:
    """Import the modules of the wrappers `module:Class` that were typed."""
    for setting in ("wrappers", "eval_wrappers"):
        named = given.get(setting)
        for name in named if isinstance(named, Mapping) else ():
            module, colon, _ = name.partition(":")
            if colon:
                import_typed(module)


def make_game(name: str, arguments: list[str]) -> Any:
    """The game of a typed name, with parameters `NAME=VALUE`."""
    from zerogym.envs.games.core.game import load_game

    with usage_errors(TypeError, ValueError):
        return load_game(find_game_name(name), **parse_arguments(arguments))


def make(task: Task, arguments: dict[str, Any]) -> gym.Env[Any, Any]:
    """Make the environment; arguments it does not take become a `UsageError`."""
    with usage_errors(TypeError, ValueError, prefix=f"{task.id}: "):
        return gym.make(task.id, **arguments)


def parse_arguments(items: list[str]) -> dict[str, Any]:
    """`["difficulty=2", "task=goal_7_7"]` to keyword arguments: JSON values, else texts."""
    found: dict[str, Any] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"--arg takes NAME=VALUE, got {item!r}")
        try:
            found[name] = json.loads(value)
        except json.JSONDecodeError:
            found[name] = value
    return found
