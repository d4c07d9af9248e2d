"""Environments and games with the arguments that were typed."""

import difflib
import json
import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import gymnasium as gym
import pettingzoo

from zerogym.cli.console import UsageError, usage_errors
from zerogym.envs.lookup import find_game_name, find_task, full_id
from zerogym.envs.plugins import creator_of, plugin_tasks, task_of_spec
from zerogym.envs.references import import_named, named_modules
from zerogym.envs.registry import Task
from zerogym.errors import UnknownArgument, UnknownName

typed_modules = named_modules  # files may name what is in them


def typed_id(name: str) -> str:
    """The id of a typed name, in any spelling; the module of `module:ID` is imported.

    Raises:
        CannotImport: If the module cannot be imported.
        UsageError: If it registers no such id.
        UnknownName: If there is no environment of this name.
    """
    module, colon, env_id = name.partition(":")
    if not colon:
        return full_id(name)
    import_typed(module)
    if env_id in pettingzoo.aec_registry or env_id in pettingzoo.parallel_registry:
        return name
    try:
        gym.spec(env_id)
    except gym.error.Error:
        bare = {key.rpartition("/")[2].rpartition("-v")[0]: key for key in gym.registry}
        known = {**bare, **{key: key for key in gym.registry}}
        near = difflib.get_close_matches(env_id, list(known), n=1, cutoff=0.5)
        hint = f". Did you mean {known[near[0]]!r}?" if near else ""
        raise UsageError(
            f"the module {module!r} registers no environment {env_id!r}{hint}"
        ) from None
    return name


def typed_task(name: str) -> Task:
    """The task of a typed name; the module of `module:ID` is imported."""
    _, colon, env_id = name.partition(":")
    typed_id(name)
    return task_of_spec(gym.spec(env_id)) if colon else find_task(name)


def import_typed(module: str) -> None:
    """Import a module that the user typed, installed or in the current folder.

    Raises:
        CannotImport: If it cannot be imported.
    """
    _find_own_modules()
    import_named(module)


def _find_own_modules() -> None:
    """Let modules of the current folder be found, last: no file there hides an installed one."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())


def _is_there(module: str) -> bool:
    """Return whether there is a module, or the package that would hold it."""
    _find_own_modules()
    return find_spec(module.partition(".")[0]) is not None


def import_settings(given: Mapping[str, Any]) -> None:
    """Import the modules of wrappers, rewards and opponents among typed settings."""
    from zerogym.envs.recorded import own_references

    for setting in ("wrappers", "eval_wrappers"):
        for name in own_references(given.get(setting)):
            import_typed(name.partition(":")[0])
    arguments = given.get("env_kwargs")
    own = arguments.get("opponent") if isinstance(arguments, Mapping) else None
    for opponent in (given.get("eval_opponent"), own):
        if isinstance(opponent, str | Mapping):
            import_opponents(*([opponent] if isinstance(opponent, str) else opponent))


def import_opponents(*names: str) -> None:
    """Import the modules of the opponents `module:Name` that were typed, alone or in `a+b`."""
    from zerogym.envs.games.opponents.registry import is_kind, split_names

    for name in (part for whole in names for part in split_names(whole)):
        module, colon, path = name.partition(":")
        is_reference = module.replace(".", "a").isidentifier() and not path.startswith("/")
        if colon and is_reference and not is_kind(module) and _is_there(module):
            import_typed(module)


def make_game(name: str, arguments: list[str]) -> Any:
    """The game of a typed name, with parameters `NAME=VALUE`.

    `module:Name` is an id, whose class names its rules, or the rules themselves.
    """
    from zerogym.envs.games.core import game

    parameters = parse_arguments(arguments)
    with usage_errors(TypeError, ValueError):
        if _is_ours(name):
            return game.load_game(find_game_name(name), **parameters)
        return game.make_game(_rules(name), **parameters)


def _is_ours(name: str) -> bool:
    """Return False for `module:Name` and for a game that an installed package brings."""
    if ":" in name:
        return False
    try:
        find_game_name(name)
    except UnknownName:
        return not any(name in (task.id, task.name) for task in plugin_tasks())
    return True


def _rules(name: str) -> Any:
    module, colon, reference = name.partition(":")
    if colon:
        import_typed(module)
        named = getattr(sys.modules[module], reference, None)
        if isinstance(named, type) and hasattr(named, "legal") and hasattr(named, "payoff"):
            return named
    rules = getattr(creator_of(gym.spec(typed_task(name).id)), "rules_class", None)
    if rules is None:
        raise UsageError(f"{name} is no game: its class names no rules (`rules_class`)")
    return rules


def make(task: Task, arguments: dict[str, Any]) -> gym.Env[Any, Any]:
    """Make the environment; arguments it does not take become a `UsageError`."""
    with usage_errors(TypeError, ValueError, prefix=f"{task.id}: "):
        try:
            return gym.make(task.id, **arguments)
        except UnknownArgument as error:  # Gymnasium appends where it comes from
            raise UnknownArgument(str(error).partition(" was raised from")[0]) from None


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
