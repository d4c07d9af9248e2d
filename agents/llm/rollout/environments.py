"""Running episodes as the rollout sees them: whose turn it is, what it reads, who was paid.

`GymEnv` has one seat, `AECEnv` one for each agent of a PettingZoo game. `Environments` makes them
once and lends them out, because making an environment costs more than an episode of most tasks.
Left out: simultaneous moves (PettingZoo's parallel API).
"""

import copy
from collections.abc import Mapping
from typing import Any, Protocol

import gymnasium as gym
import numpy as np
import pettingzoo

from zerogym.envs.registry import game_of
from zerogym.wrappers.snapshots import get_state, set_state

ONLY_SEAT = "player_0"


class RolloutEnv(Protocol):
    """An environment in the middle of an episode.

    Attributes:
        seats: Everyone who acts in it.
        terminated: The episode has come to its own end.
        truncated: It was cut by a limit of the environment.
        waits: Its steps wait for something outside this process: they are worth a thread.
    """

    seats: tuple[str, ...]
    terminated: bool
    truncated: bool
    waits: bool

    def reset(self, seed: int) -> None:
        """Start an episode."""
        ...

    def to_move(self) -> str | None:
        """The seat that acts next; None when the episode is over."""
        ...

    def observation(self) -> str:
        """The text that is new to the seat that acts next."""
        ...

    def act(self, text: str) -> dict[str, float]:
        """The reply of the seat that acts next; returns what each seat was paid."""
        ...

    def info(self, seat: str) -> dict[str, Any]:
        """The last `info` of a seat, its JSON values only."""
        ...

    def get_state(self) -> dict[str, Any]:
        """A snapshot, independent of what happens next."""
        ...

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot of an equal world; it can be used any number of times."""
        ...

    def close(self) -> None:
        """Free the environment."""
        ...


class GymEnv:
    """A text environment of Gymnasium."""

    seats: tuple[str, ...] = (ONLY_SEAT,)

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        self._env = env
        self._text: object = None
        self._info: dict[str, Any] = {}
        self.terminated = self.truncated = False
        self.waits = env.has_wrapper_attr("waits") and bool(env.get_wrapper_attr("waits"))

    def reset(self, seed: int) -> None:
        """Start an episode."""
        self._text, self._info = self._env.reset(seed=seed)
        self.terminated = self.truncated = False

    def to_move(self) -> str | None:
        """The one seat, until the episode is over."""
        return None if self.terminated or self.truncated else ONLY_SEAT

    def observation(self) -> str:
        """The last observation."""
        return _check_text(self._text, self._env)

    def act(self, text: str) -> dict[str, float]:
        """A step."""
        self._text, reward, self.terminated, self.truncated, self._info = self._env.step(text)
        return {ONLY_SEAT: float(reward)}

    def info(self, seat: str) -> dict[str, Any]:
        """The last `info`, its JSON values only."""
        return _json_values(self._info)

    def get_state(self) -> dict[str, Any]:
        """A snapshot of the environment and of what it said last."""
        return {"env": get_state(self._env), "own": _kept(self, "_env")}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot."""
        set_state(self._env, state["env"])
        vars(self).update(copy.deepcopy(state["own"]))

    def close(self) -> None:
        """Close the environment."""
        self._env.close()


class AECEnv:
    """A turn-based game of PettingZoo in its text view."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self.seats = tuple(env.possible_agents)
        self._infos: dict[str, Any] = {}
        self.terminated = self.truncated = False
        self.waits = bool(getattr(env, "waits", False))

    def reset(self, seed: int) -> None:
        """Start a game."""
        self._env.reset(seed=seed)
        self.terminated = self.truncated = False
        self._infos = dict(self._env.infos)

    def to_move(self) -> str | None:
        """The agent selected next that is still in the game."""
        env = self._env
        while env.agents:
            seat: str = env.agent_selection
            if not (env.terminations[seat] or env.truncations[seat]):
                return seat
            env.step(None)  # PettingZoo's way to take an agent out
        return None

    def observation(self) -> str:
        """What the selected agent sees: a str, or the `text` of a dict."""
        seen = self._env.observe(self._env.agent_selection)
        return _check_text(seen.get("text") if isinstance(seen, Mapping) else seen, self._env)

    def act(self, text: str) -> dict[str, float]:
        """A move of the selected agent."""
        env = self._env
        env.step(text)
        self._infos |= env.infos
        self.terminated = self.terminated or any(env.terminations.values())
        self.truncated = self.truncated or any(env.truncations.values())
        return {seat: float(reward) for seat, reward in env.rewards.items()}

    def info(self, seat: str) -> dict[str, Any]:
        """The last `info` of a seat, its JSON values only."""
        return _json_values(self._infos.get(seat, {}))

    def get_state(self) -> dict[str, Any]:
        """A snapshot of the game and of what it said last."""
        return {"env": self._env.get_state(), "own": _kept(self, "_env")}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot."""
        self._env.set_state(state["env"])
        vars(self).update(copy.deepcopy(state["own"]))

    def close(self) -> None:
        """Close the game."""
        self._env.close()


class Environments:
    """Environments of one id, made when first needed and used again.

    Args:
        env: A Gymnasium id, or the PettingZoo id of a game (all its seats are then played).
        kwargs: Its arguments.

    Example:
        >>> with Environments("zerogym/RandomCalculation-v0", {"difficulty": 0}) as worlds:
        ...     world = worlds.take()
        ...     world.reset(seed=2)
        ...     print(world.observation())
        ...     worlds.give_back(world)
        Calculate 8 - 3.
        Give the final answer as <answer>...</answer>.
    """

    def __init__(self, env: str, kwargs: Mapping[str, Any] | None = None) -> None:
        self.env, self.kwargs = env, dict(kwargs or {})
        self._all: list[RolloutEnv] = []
        self._idle: list[RolloutEnv] = []

    def take(self) -> RolloutEnv:
        """A world that nobody else uses."""
        if self._idle:
            return self._idle.pop()
        self._all.append(make_env(self.env, self.kwargs))
        return self._all[-1]

    @property
    def seats(self) -> tuple[str, ...]:
        """Everyone who acts in one."""
        world = self.take()
        self.give_back(world)
        return world.seats

    def give_back(self, world: RolloutEnv) -> None:
        """Return a world for another episode."""
        self._idle.append(world)

    def close(self) -> None:
        """Close all of them; taking one again makes a new one."""
        for world in self._all:
            world.close()
        self._all, self._idle = [], []

    def __enter__(self) -> "Environments":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def make_env(env: str, kwargs: Mapping[str, Any]) -> RolloutEnv:
    """A new world of this id."""
    if game_of(env) is not None:
        return AECEnv(pettingzoo.make("aec", env, **({"view": "text"} | dict(kwargs))))
    return GymEnv(gym.make(env, disable_env_checker=True, **kwargs))


def _kept(world: RolloutEnv, *besides: str) -> dict[str, Any]:
    """A copy of what a world remembers itself."""
    return copy.deepcopy({k: v for k, v in vars(world).items() if k not in besides})


def _check_text(text: object, env: Any) -> str:
    if not isinstance(text, str):
        spec = getattr(env, "spec", None)
        name = env if spec is None else spec.id
        raise TypeError(
            f"{name} observes {type(text).__name__}, a language model needs text: make it with "
            "view='text' if it has two views"
        )
    return text


def _json_values(info: Mapping[str, Any]) -> dict[str, Any]:
    """Scalars and texts of an info; arrays and objects are left out."""
    plain = {k: v.item() if isinstance(v, np.generic) else v for k, v in info.items()}
    return {k: v for k, v in plain.items() if v is None or isinstance(v, str | bool | int | float)}
