"""An environment in the middle of an episode: of one seat, or a game in which several act.

`GymEnv` has one seat, `AECEnv` one for each agent of a PettingZoo game, some of which opponents may
have. Left out: simultaneous moves (PettingZoo's parallel API).
"""

import copy
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np

from zerogym.envs.games.core.game import Game
from zerogym.envs.games.opponents.mixture import Mixture
from zerogym.envs.games.opponents.registry import make_opponent
from zerogym.envs.games.talk.core.surveys import Survey
from zerogym.envs.games.views.aec import GameAEC
from zerogym.errors import NoOracle, ZerogymError
from zerogym.wrappers.snapshots import get_state, set_state

ONLY_SEAT = "player_0"
_OPPONENTS = 0x6F  # stream of opponents' random numbers, beside that of the environment


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

    _kept: ClassVar[tuple[str, ...]] = ("_env",)  # attributes that are not in a snapshot

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

    def seat_opponents(self, others: Mapping[str, Any], seed: int) -> dict[str, float]:
        """Let opponents play seats of this episode; the rewards of their first moves, by seat.

        Args:
            others: Records of parts (`agents/self_play/opponents`) by seat.
            seed: Of their random numbers, which are not those of the environment.

        Raises:
            ValueError: If the environment has one seat.
        """
        if others:
            raise ValueError(f"{self._env} is no game of several seats: it has no opponents")
        return {}

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
        own = {name: value for name, value in vars(self).items() if name not in self._kept}
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

    def random_action(self, rng: np.random.Generator) -> str:
        """Return a random reply, a legal one in a game, for the seat that acts next.

        Raises:
            ValueError: If the environment has none.
        """
        own = self._env.unwrapped
        if not hasattr(own, "random_action"):
            raise ValueError(f"{type(own).__name__} has no random replies")
        reply: str = own.random_action(rng)
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

    _kept = ("_env", "_opponents", "_made")

    def __init__(self, env: Any) -> None:
        super().__init__(env, tuple(env.possible_agents), bool(getattr(env, "waits", False)))
        self._infos: dict[str, Any] = {}
        self._made: dict[str, Any] = {}  # opponents by record: some take seconds to make
        self._opponents: dict[str, Any] = {}  # those of the episode by seat
        self._memories: dict[str, Any] = {}  # of those that have moved
        self._rng = np.random.default_rng()  # theirs; seeded with them

    def reset(self, seed: int, options: Mapping[str, Any] | None = None) -> None:
        self._env.reset(seed=seed, **({"options": dict(options)} if options else {}))
        self.terminated = self.truncated = False
        self._infos = dict(self._env.infos)
        self._opponents = {}

    @property
    def rules(self) -> Game[Any]:
        """The rules of the game."""
        game: Game[Any] = self._env.unwrapped.game
        return game

    def seat_opponents(self, others: Mapping[str, Any], seed: int) -> dict[str, float]:
        self._rng, self._memories = np.random.default_rng((seed, _OPPONENTS)), {}
        for seat, record in others.items():
            name = json.dumps(record)
            if name not in self._made:
                self._made[name] = make_opponent(self.rules, record)
            player = self._made[name]
            drawn = isinstance(player, Mixture)
            self._opponents[seat] = player.members[player.draw(self._rng)] if drawn else player
        return self._let_opponents_move() if others else {}

    def _let_opponents_move(self) -> dict[str, float]:
        """Let opponents move until a seat of the policy is to; the rewards of each seat."""
        rewards = dict.fromkeys(self.seats, 0.0)
        while (seat := self.to_move()) in self._opponents:
            player, opening = self._opponents[seat], seat not in self._memories
            self._memories[seat] = self._env.unwrapped.let_move(
                player, self._memories.get(seat), opening, self._rng
            )
            self._take_outcome(rewards)
        return rewards

    def _take_outcome(self, rewards: dict[str, float]) -> None:
        """Add the rewards of the last move, and see whether it was the last of the game."""
        env = self._env
        self._infos |= env.infos
        self.terminated = self.terminated or any(env.terminations.values())
        self.truncated = self.truncated or any(env.truncations.values())
        for seat, reward in env.rewards.items():
            rewards[seat] += float(reward)

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

    def survey(self, seat: str) -> tuple[Survey, str] | None:
        own = self._env.unwrapped
        if self.terminated or self.truncated or not isinstance(own, GameAEC):
            return None  # what was hidden may be shown at the end
        found = own.survey(seat)
        return None if found is None else (found, self._observed(seat))

    def _observed(self, seat: str) -> str:
        observed = self._env.observe(seat)
        return self._text(observed.get("text") if isinstance(observed, Mapping) else observed)

    def act(self, text: str) -> dict[str, float]:
        self._env.step(text)
        rewards = dict.fromkeys(self.seats, 0.0)
        self._take_outcome(rewards)
        if self._opponents:
            for seat, reward in self._let_opponents_move().items():
                rewards[seat] += reward
        return rewards

    def info(self, seat: str) -> dict[str, Any]:
        return _json_values(self._infos.get(seat, {}))

    def role(self, seat: str) -> str | None:
        return _role(self._infos.get(seat, {}))


def _role(info: Mapping[str, Any]) -> str | None:
    role = info.get("role")
    return role if isinstance(role, str) else None


def _json_values(info: Mapping[str, Any]) -> dict[str, Any]:
    """Return scalars and texts of an info, without arrays and objects."""
    plain = {k: v.item() if isinstance(v, np.generic) else v for k, v in info.items()}
    return {k: v for k, v in plain.items() if v is None or isinstance(v, str | bool | int | float)}
