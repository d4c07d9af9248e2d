"""Environments in the middle of an episode, as the rollout uses them.

`GymEnv` has one seat, `AECEnv` one for each agent of a PettingZoo game. `Environments` makes them
once and lends them out, because making an environment costs more than an episode of most tasks.
Left out: simultaneous moves (PettingZoo's parallel API).
"""

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo
from gymnasium.envs.registration import load_env_creator

from zerogym.agents.llm.rollout.prompt import TaskSpec
from zerogym.agents.llm.rollout.wrapping import TEXT_WRAPPERS, turns_inside
from zerogym.envs.games.talk.core.surveys import Survey
from zerogym.envs.games.views.aec import GameAEC
from zerogym.envs.lookup import find_spec
from zerogym.envs.plugins import ensure_registered
from zerogym.envs.registry import game_of
from zerogym.errors import NoOracle, ZerogymError
from zerogym.wrappers.by_name import wrap
from zerogym.wrappers.snapshots import get_state, set_state

ONLY_SEAT = "player_0"
_TURN_LIMITS = ("max_turns", "max_attempts", "horizon")  # arguments that bound an episode's turns


class NoText(ZerogymError, TypeError):
    """A language model cannot play an environment, because it observes no text."""


class RolloutEnv(ABC):
    """An environment in the middle of an episode.

    Attributes:
        seats: All seats that act in it.
        terminated: The episode has come to its own end.
        truncated: It was cut by a limit of the environment.
        waits: Its steps wait for something outside this process: they are worth a thread.
    """

    def __init__(self, env: Any, seats: tuple[str, ...], waits: bool) -> None:
        self._env, self.seats, self.waits = env, seats, waits
        self.terminated = self.truncated = False

    @abstractmethod
    def reset(self, seed: int, options: Mapping[str, Any] | None = None) -> None:
        """Start an episode; the options are those of the environment's `reset`."""

    @abstractmethod
    def to_move(self) -> str | None:
        """Return the seat that acts next; None when the episode is over."""

    @abstractmethod
    def observation(self) -> str:
        """Return the text that is new to the seat that acts next."""

    @abstractmethod
    def act(self, text: str) -> dict[str, float]:
        """Take a step with the reply of the seat that acts next; the reward of each seat."""

    @abstractmethod
    def info(self, seat: str) -> dict[str, Any]:
        """Return the last `info` of a seat, its JSON values only."""

    @abstractmethod
    def role(self, seat: str) -> str | None:
        """Return the role in which a seat acts, where its last `info` names one."""

    def survey(self, seat: str) -> tuple[Survey, str] | None:
        """Return a question about what is hidden from a seat, and its observation; None: none."""
        return None

    def get_state(self) -> dict[str, Any]:
        """Return a snapshot, independent of what happens next."""
        own = {name: value for name, value in vars(self).items() if name != "_env"}
        return {"env": get_state(self._env), "own": copy.deepcopy(own)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot of an equal environment; it can be used any number of times."""
        set_state(self._env, state["env"])
        vars(self).update(copy.deepcopy(state["own"]))

    def close(self) -> None:
        """Close the environment."""
        self._env.close()

    def oracle_action(self) -> str:
        """Return the reply of the oracle for the seat that acts next.

        Raises:
            NoOracle: If the environment has none.
        """
        own = self._env.unwrapped
        if not hasattr(own, "oracle_action"):
            raise NoOracle(f"{type(own).__name__} has no oracle that could guide a policy")
        reply: str = own.oracle_action()
        return reply

    def _text(self, observation: object) -> str:
        if isinstance(observation, str):
            return observation
        spec = getattr(self._env, "spec", None)
        raise NoText(
            f"{self._env if spec is None else spec.id} observes {type(observation).__name__}, a "
            "language model needs text: make it with view='text' if it has two views"
        )


class GymEnv(RolloutEnv):
    """A text environment of Gymnasium."""

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        waits = env.has_wrapper_attr("waits") and bool(env.get_wrapper_attr("waits"))
        super().__init__(env, (ONLY_SEAT,), waits)
        self._observation: object = None
        self._info: dict[str, Any] = {}

    def reset(self, seed: int, options: Mapping[str, Any] | None = None) -> None:
        given = {"options": dict(options)} if options else {}
        self._observation, self._info = self._env.reset(seed=seed, **given)
        self.terminated = self.truncated = False

    def to_move(self) -> str | None:
        return None if self.terminated or self.truncated else ONLY_SEAT

    def observation(self) -> str:
        return self._text(self._observation)

    def act(self, text: str) -> dict[str, float]:
        self._observation, reward, self.terminated, self.truncated, self._info = self._env.step(
            text
        )
        return {ONLY_SEAT: float(reward)}

    def info(self, seat: str) -> dict[str, Any]:
        return _json_values(self._info)

    def role(self, seat: str) -> str | None:
        return _role(self._info)


class AECEnv(RolloutEnv):
    """A turn-based game of PettingZoo in its text view."""

    def __init__(self, env: Any) -> None:
        super().__init__(env, tuple(env.possible_agents), bool(getattr(env, "waits", False)))
        self._infos: dict[str, Any] = {}

    def reset(self, seed: int, options: Mapping[str, Any] | None = None) -> None:
        self._env.reset(seed=seed, **({"options": dict(options)} if options else {}))
        self.terminated = self.truncated = False
        self._infos = dict(self._env.infos)

    def to_move(self) -> str | None:
        env = self._env
        while env.agents:
            seat: str = env.agent_selection
            if not (env.terminations[seat] or env.truncations[seat]):
                return seat
            env.step(None)  # PettingZoo's way to take an agent out
        return None

    def observation(self) -> str:
        return self._observed(self._env.agent_selection)

    def _observed(self, seat: str) -> str:
        observed = self._env.observe(seat)
        return self._text(observed.get("text") if isinstance(observed, Mapping) else observed)

    def survey(self, seat: str) -> tuple[Survey, str] | None:
        own = self._env.unwrapped
        if self.terminated or self.truncated or not isinstance(own, GameAEC):
            return None  # what was hidden may be shown at the end
        found = own.survey(seat)
        return None if found is None else (found, self._observed(seat))

    def act(self, text: str) -> dict[str, float]:
        env = self._env
        env.step(text)
        self._infos |= env.infos
        self.terminated = self.terminated or any(env.terminations.values())
        self.truncated = self.truncated or any(env.truncations.values())
        return {seat: float(reward) for seat, reward in env.rewards.items()}

    def info(self, seat: str) -> dict[str, Any]:
        return _json_values(self._infos.get(seat, {}))

    def role(self, seat: str) -> str | None:
        return _role(self._infos.get(seat, {}))


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
    known = inspect.signature(creator).parameters if creator is not None else {}
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


def _role(info: Mapping[str, Any]) -> str | None:
    role = info.get("role")
    return role if isinstance(role, str) else None


def _json_values(info: Mapping[str, Any]) -> dict[str, Any]:
    """Return scalars and texts of an info, without arrays and objects."""
    plain = {k: v.item() if isinstance(v, np.generic) else v for k, v in info.items()}
    return {k: v for k, v in plain.items() if v is None or isinstance(v, str | bool | int | float)}
