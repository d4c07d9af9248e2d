"""Tasks and games by name, in any spelling: find, list and make them."""

import importlib
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from zerogym.envs.plugins import (
    OTHER,
    creator_of,
    ensure_registered,
    family_of,
    plugin_tasks,
    task_of_spec,
)
from zerogym.envs.references import parameters_of
from zerogym.envs.registry import FAMILIES, GAMES, TASKS, UNLISTED, Task
from zerogym.errors import UnknownName


def make(name: str, **kwargs: Any) -> gym.Env[Any, Any]:
    """Make an environment by its name or id.

    Args:
        name: One of our tasks in any spelling (`KuhnPoker`, `kuhn_poker`, `zerogym/KuhnPoker-v0`),
            a body and one of its rewards (`WalkerRun` is `Walker` with `task="run"`), one of an
            installed package that brings some (`plugins.py`), or any other id
            (`ALE/Pong-v5`; `my_module:My/Env-v0` imports `my_module`).
        kwargs: Arguments of the environment, and those of `gymnasium.make`.

    Raises:
        UnknownName: If no task of ours has this name; the message suggests the nearest.
        TypeError: If the environment does not take an argument.
        MissingExtra: If the task needs an optional dependency that is not installed.

    Example:
        >>> import zerogym
        >>> env = zerogym.make("ChainSum", difficulty=0)
        >>> prompt, info = env.reset(seed=0)
        >>> env.step(env.unwrapped.oracle_action())[1]
        1.0
    """
    return gym.make(full_id(name), **kwargs)


def tasks(family: str | None = None, search: str | None = None) -> list[Task]:
    """Return the registered tasks, in the order of the registry; then those of other packages.

    Args:
        family: Only one family: reasoning, tools, games or control; other packages also have tasks
            of the family `other`.
        search: Only tasks with these words in their id, folder, tags or summary, in any case.

    Raises:
        UnknownName: If there is no such family.

    Example:
        >>> import zerogym
        >>> [task.id for task in zerogym.tasks("control", search="pole cart")]
        ['zerogym/CartPole-v0']
    """
    if family is not None and family not in (*FAMILIES, OTHER):
        raise UnknownName("family", family, [*FAMILIES, OTHER])
    words = (search or "").lower().split()
    return [
        task
        for task in (*TASKS, *plugin_tasks())
        if family in (None, task.family) and all(word in _searched(task) for word in words)
    ]


def _searched(task: Task) -> str:
    return " ".join((task.id, task.target, *task.tags, task.summary)).lower()


def find_task(name: str) -> Task:
    """Return the task meant by `KuhnPoker`, `kuhn_poker` or `zerogym/KuhnPoker-v0`.

    Other names are ids that are registered, or tasks that installed packages bring.

    Raises:
        UnknownName: If there is none.
    """
    if name.rpartition("/")[0] in ("", "zerogym"):
        ours = (*TASKS, *UNLISTED)
        found = next((task for task in ours if _bare(task.name) == _bare(name)), None)
        if found is not None:
            return found
    elif ensure_registered(name) in gym.registry:
        return task_of_spec(gym.registry[name])
    brought = plugin_tasks()
    for task in brought:
        if name == task.id or ("/" not in name and _bare(name) == _bare(task.name)):
            return task
    known = [task.name for task in TASKS] + [task.id for task in brought]
    raise UnknownName("environment", name, known)


def find_game_name(name: str) -> str:
    """Return the game meant by `KuhnPoker`, `kuhn_poker` or `zerogym/KuhnPoker-v0`.

    Raises:
        UnknownName: If there is none.
    """
    found = next((game.name for game in GAMES if _bare(game.name) == _bare(name)), None)
    if found is None:
        raise UnknownName("game", name, [game.name for game in GAMES])
    return found


def full_id(name: str) -> str:
    """Return the id of one of our tasks, by any spelling; a foreign id stays as it is."""
    is_ours = "/" not in name or name.startswith("zerogym/")
    return find_task(name).id if is_ours and ":" not in name else ensure_registered(name)


def find_spec(env_id: str) -> EnvSpec:
    """Return the specification of a registered id; that of `module:Id` is `Id`'s, not imported.

    Raises:
        gymnasium.error.UnregisteredEnv: If there is none, or its module was not imported.
    """
    return gym.spec(ensure_registered(env_id.partition(":")[2] or env_id))


def reward_free(name: str) -> dict[str, Any]:
    """Return the arguments with which an environment has no reward, where it can have none.

    Args:
        name: The id of an environment, of ours or of another package; the module of `module:Id` is
            imported, as by `gymnasium.make`.

    Raises:
        ModuleNotFoundError: If there is no such module.

    Example:
        >>> reward_free("zerogym/CartPole-v0"), reward_free("CartPole-v1")
        ({'task': None}, {})
    """
    module, colon, own = name.rpartition(":")
    if colon:
        importlib.import_module(module)
    known = next((task for task in (*TASKS, *UNLISTED) if task.id == own), None)
    if known is None and own in gym.registry:
        creator = creator_of(gym.registry[own])
        takes = parameters_of(creator).values()
        has_tasks = any(each.name == "task" or each.kind == each.VAR_KEYWORD for each in takes)
        return {"task": None} if has_tasks and family_of(creator) == "control" else {}
    return {"task": None} if known is not None and known.family == "control" else {}


def _bare(name: str) -> str:
    plain = name.rpartition("/")[2].lower().removesuffix("-v0")
    return "".join(c for c in plain if c.isalnum())
