"""Tasks and games by name, in any spelling: find, list and make them."""

from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from zerogym.envs.registry import FAMILIES, GAMES, TASKS, Task
from zerogym.errors import UnknownName


def make(name: str, **kwargs: Any) -> gym.Env[Any, Any]:
    """Make an environment by its name or id.

    Args:
        name: One of our tasks in any spelling (`KuhnPoker`, `kuhn_poker`, `zerogym/KuhnPoker-v0`),
            or the id of another package (`ALE/Pong-v5`; `my_module:My/Env-v0` imports `my_module`).
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
    """Return the registered tasks, in the order of the registry.

    Args:
        family: Only one family: reasoning, tools, games or control.
        search: Only tasks with these words in their id, folder, tags or summary, in any case.

    Raises:
        UnknownName: If there is no such family.

    Example:
        >>> import zerogym
        >>> [task.id for task in zerogym.tasks("control", search="pole cart")]
        ['zerogym/CartPole-v0']
    """
    if family is not None and family not in FAMILIES:
        raise UnknownName("family", family, list(FAMILIES))
    words = (search or "").lower().split()
    return [
        task
        for task in TASKS
        if family in (None, task.family) and all(word in _searched(task) for word in words)
    ]


def _searched(task: Task) -> str:
    return " ".join((task.id, task.target, *task.tags, task.summary)).lower()


def find_task(name: str) -> Task:
    """Return the task meant by `KuhnPoker`, `kuhn_poker` or `zerogym/KuhnPoker-v0`.

    Raises:
        UnknownName: If there is none.
    """
    found = next((task for task in TASKS if _bare(task.name) == _bare(name)), None)
    if found is None:
        raise UnknownName("environment", name, [task.name for task in TASKS])
    return found


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
    return find_task(name).id if is_ours and ":" not in name else name


def find_spec(env_id: str) -> EnvSpec:
    """Return the specification of a registered id; that of `module:Id` is `Id`'s, not imported.

    Raises:
        gymnasium.error.UnregisteredEnv: If there is none, or its module was not imported.
    """
    return gym.spec(env_id.partition(":")[2] or env_id)


def reward_free(name: str) -> dict[str, Any]:
    """Return the arguments with which an environment has no reward, where it can have none.

    Args:
        name: The id of an environment, of ours or of another package, perhaps with `module:`.

    Example:
        >>> reward_free("zerogym/CartPole-v0"), reward_free("CartPole-v1")
        ({'task': None}, {})
    """
    own = name.rpartition(":")[2]
    is_control = any(task.id == own and task.family == "control" for task in TASKS)
    return {"task": None} if is_control else {}


def _bare(name: str) -> str:
    plain = name.rpartition("/")[2].lower().removesuffix("-v0")
    return "".join(c for c in plain if c.isalnum())
