"""Environments by a typed name, in any case, with or without namespace and version."""

import json
from typing import Any

import gymnasium as gym

from zerogym.cli.console import UsageError, usage_errors
from zerogym.envs.registry import GAMES, TASKS, Task
from zerogym.errors import UnknownName


def find_task(name: str) -> Task:
    """The task meant by `KuhnPoker`, `kuhn_poker` or `zerogym/KuhnPoker-v0`.

    Raises:
        UnknownName: If there is none.
    """
    found = next((task for task in TASKS if _bare(task.name) == _bare(name)), None)
    if found is None:
        raise UnknownName("environment", name, [task.name for task in TASKS])
    return found


def full_id(name: str) -> str:
    """The id of one of our tasks, by any spelling; a foreign id stays as it is."""
    return find_task(name).id if "/" not in name or name.startswith("zerogym/") else name


def find_game_name(name: str) -> str:
    """The game meant by `KuhnPoker`, `kuhn_poker` or `zerogym/KuhnPoker-v0`.

    Raises:
        UnknownName: If there is none.
    """
    found = next((game.name for game in GAMES if _bare(game.name) == _bare(name)), None)
    if found is None:
        raise UnknownName("game", name, [game.name for game in GAMES])
    return found


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


def _bare(name: str) -> str:
    last = name.rpartition("/")[2].lower()
    stem, dash, version = last.rpartition("-v")
    plain = stem if dash and version.isdigit() else last
    return "".join(c for c in plain if c.isalnum())
