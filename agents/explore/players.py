"""Who acts while data are collected: random actions, an oracle with slips, or an explorer.

The oracle's grades take the names of "D4RL: Datasets for Deep Data-Driven Reinforcement Learning"
(2020, arXiv 2004.07219), where half-trained agents made the lesser ones. Here the world's own
oracle acts, each episode for a task drawn from the named ones that it knows, and some of its
actions are random:

| grade | share of random actions |
|---|---|
| `expert` | 0 |
| `play` | 0.2 |
| `medium` | 0.5 |
| `medium_replay` | from 1 at the first transition to 0.5 at the last |

Of bodies that nobody knows how to move (`has_oracle` is False) the grades come from agents that are
trained first: see `teachers.py`.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.environments import task_names
from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.explore.learners.base import Explorer
from zerogym.agents.explore.replay_buffer import ReplayBuffer
from zerogym.errors import NoOracle, UnknownName

NO_TASK = -1
SLIPS = {"expert": (0.0, 0.0), "play": (0.2, 0.2), "medium": (0.5, 0.5), "medium_replay": (1, 0.5)}


class Player(Protocol):
    """Someone who acts in episodes."""

    skill: NDArray[np.float32]  # of the last action, (s,)
    task: int  # of the episode, a place in the world's tasks, or `NO_TASK`

    def begin(self, env: gym.Env[Any, Any], rng: np.random.Generator) -> Mapping[str, Any]:
        """An episode of this world begins; the options of its reset."""

    def knows(self) -> bool:
        """Whether it can act in the episode that was begun."""

    def act(self, seen: NDArray[Any], age: int, done: int, rng: np.random.Generator) -> Any:
        """An action, `age` steps into the episode and `done` transitions into the run."""

    def learn(self, memory: ReplayBuffer, rng: np.random.Generator) -> Mapping[str, Any]:
        """A transition was added; metrics if something was learned."""


class RandomPlayer:
    """Every action drawn evenly, and held."""

    def __init__(self, env: gym.Env[Any, Any], hold: int) -> None:
        self.space, self.hold = env.action_space, hold
        self.skill, self.task = np.zeros(0, np.float32), NO_TASK
        self._action: Any = None

    def begin(self, env: gym.Env[Any, Any], rng: np.random.Generator) -> Mapping[str, Any]:
        """Nothing to ask for."""
        return {}

    def knows(self) -> bool:
        """Always."""
        return True

    def act(self, seen: NDArray[Any], age: int, done: int, rng: np.random.Generator) -> Any:
        """An action drawn evenly every `hold` steps."""
        if age % self.hold == 0:
            self._action = even(self.space, rng)
        return self._action

    def learn(self, memory: ReplayBuffer, rng: np.random.Generator) -> Mapping[str, Any]:
        """It never does."""
        return {}


class OraclePlayer(RandomPlayer):
    """The world's oracle with a share of random actions.

    Raises:
        NoOracle: If the world has no oracle or no tasks.
        UnknownName: If a task is none of the world's.
    """

    def __init__(self, env: gym.Env[Any, Any], grade: str, config: CollectConfig) -> None:
        super().__init__(env, 1)
        self.env, self.slips, self.steps = env, SLIPS[grade], config.steps
        self.names, self.drawn_from = named_tasks(env, grade, config)
        if not env.has_wrapper_attr("oracle_action"):
            raise NoOracle(f"--policy {grade} needs an oracle, {env} has none")

    def begin(self, env: gym.Env[Any, Any], rng: np.random.Generator) -> Mapping[str, Any]:
        """A task for the episode."""
        self.env = env
        name = self.drawn_from[rng.integers(len(self.drawn_from))]
        self.task = self.names.index(name)
        return {"task": name}

    def knows(self) -> bool:
        """Whether the oracle has an answer: some know the way to places only, or no red key is."""
        try:
            self.env.get_wrapper_attr("oracle_action")()
        except NoOracle:
            return False
        return True

    def act(self, seen: NDArray[Any], age: int, done: int, rng: np.random.Generator) -> Any:
        """The oracle's action, or a slip."""
        first, last = self.slips
        if rng.random() < first + (last - first) * done / self.steps:
            return even(self.space, rng)
        return self.env.get_wrapper_attr("oracle_action")()


class ExploringPlayer(RandomPlayer):
    """An explorer; its first actions are random."""

    def __init__(self, env: gym.Env[Any, Any], explorer: Explorer) -> None:
        super().__init__(env, explorer.config.hold)
        self.explorer, self.config = explorer, explorer.config

    def begin(self, env: gym.Env[Any, Any], rng: np.random.Generator) -> Mapping[str, Any]:
        """Nothing to ask for."""
        return {}

    def act(self, seen: NDArray[Any], age: int, done: int, rng: np.random.Generator) -> Any:
        """Its action for the skill of these steps, random during the warm-up."""
        intrinsic = self.explorer.intrinsic
        if age % intrinsic.skill_steps == 0:
            self.skill = intrinsic.draw_skill(self.explorer.generator).numpy()
        random = super().act(seen, age, done, rng) if done < self.config.warmup else None
        return random if random is not None else self.explorer.act(seen, self.skill, rng)

    def learn(self, memory: ReplayBuffer, rng: np.random.Generator) -> Mapping[str, Any]:
        """A gradient step every `update_every` steps, after the warm-up."""
        if len(memory) <= self.config.warmup or len(memory) % self.config.update_every:
            return {}
        return self.explorer.update(memory, rng)


def named_tasks(
    env: gym.Env[Any, Any], grade: str, config: CollectConfig
) -> tuple[list[str], tuple[str, ...]]:
    """All named tasks of a world, and those that are drawn from.

    Raises:
        NoOracle: If it has none.
        UnknownName: If one that is asked for is not among them.
    """
    names = task_names(env)
    if not names:
        raise NoOracle(f"--policy {grade} needs named tasks, {env} has none")
    for name in config.tasks:
        if name not in names:
            raise UnknownName("task", name, names)
    return names, config.tasks or tuple(names)


def even(space: gym.Space[Any], rng: np.random.Generator) -> Any:
    """An action drawn evenly."""
    # Not space.sample(): the space's own generator would make the data depend on earlier users.
    if isinstance(space, gym.spaces.Discrete):
        return rng.integers(space.n)
    assert isinstance(space, gym.spaces.Box)
    return rng.uniform(space.low, space.high).astype(np.float32)
