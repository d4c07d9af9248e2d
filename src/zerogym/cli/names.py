"""From what a person types to an environment: forgiving about case, namespace and version."""

import json
from typing import Any

import gymnasium as gym

from zerogym.cli.console import UsageError
from zerogym.envs.registry import GAMES, TASKS, Task
from zerogym.errors import UnknownName


def find_task(name: str) -> Task:
    """The task meant by `KuhnPoker`, `kuhn_poker` or `zerogym/KuhnPoker-v0`.

    Raises:
        UnknownName: If there is none; names the nearest.
    """
    wanted = _bare(name)
    for task in TASKS:
        if _bare(task.name) == wanted:
            return task
    raise UnknownName("environment", name, [task.name for task in TASKS])


def find_game_name(name: str) -> str:
    """The game meant by `KuhnPoker`, `kuhn_poker` or `zerogym/KuhnPoker-v0`.

    Raises:
        UnknownName: If there is none; names the nearest.
    """
    by_bare_name = {_bare(game.name): game.name for game in GAMES}
    if _bare(name) not in by_bare_name:
        raise UnknownName("game", name, list(by_bare_name.values()))
    return by_bare_name[_bare(name)]


def make(task: Task, arguments: dict[str, Any]) -> gym.Env[Any, Any]:
    """Make the environment; arguments it does not take become a `UsageError`."""
    try:
        return gym.make(task.id, **arguments)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{task.id}: {error}") from None


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
