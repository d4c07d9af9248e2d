"""Environments of a task, which are made once and lent out.

Making an environment costs more than an episode of most tasks.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import pettingzoo
from gymnasium.envs.registration import load_env_creator

from zerogym.agents.llm.rollout.prompt import TaskSpec
from zerogym.agents.llm.rollout.rollout_env import AECEnv, GymEnv, RolloutEnv
from zerogym.agents.llm.rollout.wrapping import TEXT_WRAPPERS, turns_inside
from zerogym.envs.lookup import find_spec
from zerogym.envs.plugins import ensure_registered
from zerogym.envs.references import parameters_of
from zerogym.envs.registry import game_of
from zerogym.wrappers.by_name import wrap

_TURN_LIMITS = ("max_turns", "max_attempts", "horizon")  # arguments that bound an episode's turns


class Environments:
    """Environments of one task, made when first needed and used again; `of` has those of others.

    Args:
        env_id: A Gymnasium id, or the PettingZoo id of a game (all its seats are then played).
        kwargs: Its arguments.
        wrappers: Arguments by name of the wrappers around it (`wrapping.py`), the innermost first.

    Example:
        >>> with Environments("zerogym/RandomCalculation-v0", {"difficulty": 0}) as envs:
        ...     env = envs.take()
        ...     env.reset(seed=2)
        ...     print(env.observation())
        ...     envs.give_back(env)
        Calculate 8 - 3.
        Give the final answer as <answer>...</answer>.
    """

    def __init__(
        self,
        env_id: str,
        kwargs: Mapping[str, Any] | None = None,
        wrappers: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.env_id, self.kwargs = env_id, dict(kwargs or {})
        self.wrappers = dict(wrappers or {})
        self.task = TaskSpec(env_id, self.kwargs, self.wrappers)
        self._all: list[RolloutEnv] = []
        self._idle: list[RolloutEnv] = []
        self._others: dict[str, Environments] = {}  # by the name of their task

    def of(self, task: TaskSpec) -> "Environments":
        """Return the environments of a task, which are closed with these."""
        if task is self.task or task.name == self.task.name:
            return self
        if task.name not in self._others:
            self._others[task.name] = Environments(task.env, task.kwargs, task.wrappers)
        return self._others[task.name]

    def take(self) -> RolloutEnv:
        """Return an environment that is not in use."""
        if self._idle:
            return self._idle.pop()
        self._all.append(make_env(self.env_id, self.kwargs, self.wrappers))
        return self._all[-1]

    def give_back(self, env: RolloutEnv) -> None:
        """Return an environment for another episode."""
        self._idle.append(env)

    @property
    def seats(self) -> tuple[str, ...]:
        """All seats that act in one."""
        env = self.take()
        self.give_back(env)
        return env.seats

    def record(self) -> dict[str, Any]:
        """Return what they are, for the record of a run."""
        return {"env": self.env_id, "kwargs": self.kwargs, "wrappers": self.wrappers}

    def close(self) -> None:
        """Close all of them; taking one again makes a new one."""
        for env in self._all:
            env.close()
        for others in self._others.values():
            others.close()
        self._all, self._idle, self._others = [], [], {}

    def __enter__(self) -> "Environments":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def make_env(
    env_id: str, kwargs: Mapping[str, Any], wrappers: Mapping[str, Mapping[str, Any]]
) -> RolloutEnv:
    """Make a new environment of an id; those of all seats have no wrappers."""
    if game_of(env_id) is not None:
        return AECEnv(pettingzoo.make("aec", env_id, **({"view": "text"} | dict(kwargs))))
    env = gym.make(ensure_registered(env_id), disable_env_checker=True, **kwargs)
    return GymEnv(wrap(env, wrappers, TEXT_WRAPPERS, env_id))


def arguments_of(env_id: str) -> dict[str, Any]:
    """Return the arguments of a Gymnasium id with their defaults."""
    spec = find_spec(env_id)
    given = spec.entry_point
    creator = load_env_creator(given) if isinstance(given, str) else given
    known = parameters_of(creator) if creator is not None else {}
    arguments = {name: argument.default for name, argument in known.items()}
    if arguments.get("max_turns", 0) is None:  # a class of tools has a default of its own
        arguments["max_turns"] = getattr(creator, "default_turns", None)
    return arguments | spec.kwargs


def most_turns(
    env_id: str,
    kwargs: Mapping[str, Any],
    wrappers: Mapping[str, Mapping[str, Any]] | None = None,
) -> int | None:
    """Return the most turns of an episode, where an argument or a time limit bounds them.

    Example:
        >>> most_turns("zerogym/RandomCalculation-v0", {}), most_turns("zerogym/SQL-v0", {})
        (1, 6)
    """
    if game_of(env_id) is not None:
        return None
    try:
        given = arguments_of(env_id) | dict(kwargs)
    except gym.error.UnregisteredEnv:  # recorded elsewhere
        return None
    limits = [find_spec(env_id).max_episode_steps, *(given.get(name) for name in _TURN_LIMITS)]
    turns = min((limit for limit in limits if isinstance(limit, int)), default=None)
    return turns_inside(wrappers or {}, turns)
