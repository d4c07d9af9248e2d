"""Players of data collection: random actions, an oracle with random slips, or an explorer.

The oracle's grades take the names of "D4RL: Datasets for Deep Data-Driven Reinforcement Learning"
(2020, arXiv 2004.07219), where half-trained agents made the lesser ones. Here the environment's own
oracle acts, in each episode for a task drawn from the named ones that it solves, with a share of
random actions:

| grade | share of random actions |
|---|---|
| `expert` | 0 |
| `play` | 0.2 |
| `medium` | 0.5 |
| `medium_replay` | from 1 at the first transition to 0.5 at the last |

For environments without an oracle (`has_oracle` is False) the grades come from trained agents: see
`teachers.py`.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.dataset import uniform_action
from zerogym.agents.datasets.environments import task_names
from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.explore.learners.base import Explorer
from zerogym.agents.explore.replay_buffer import ReplayBuffer
from zerogym.errors import NoOracle, UnknownName

NO_TASK = -1
SLIPS = {"expert": (0.0, 0.0), "play": (0.2, 0.2), "medium": (0.5, 0.5), "medium_replay": (1, 0.5)}


class Player(Protocol):
    """The interface of players."""

    skill: NDArray[np.float32]  # of the last action, (s,)
    task: int  # of the episode, an index of the environment's tasks, or `NO_TASK`

    def begin(self, env: gym.Env[Any, Any], rng: np.random.Generator) -> Mapping[str, Any]:
        """Begin an episode in this environment; return the options of its reset."""

    def can_act(self) -> bool:
        """Return True if it can act in the present episode."""

    def act(self, obs: NDArray[Any], age: int, done: int, rng: np.random.Generator) -> Any:
        """Return an action, `age` steps into the episode and `done` transitions into the run."""

    def learn(self, buffer: ReplayBuffer, rng: np.random.Generator) -> Mapping[str, Any]:
        """Learn after a transition was added; return metrics, empty without an update."""


class RandomPlayer:
    """Uniformly random actions, each repeated `hold` times."""

    def __init__(self, env: gym.Env[Any, Any], hold: int) -> None:
        self.space, self.hold = env.action_space, hold
        self.skill, self.task = np.zeros(0, np.float32), NO_TASK
        self._action: Any = None

    def begin(self, env: gym.Env[Any, Any], rng: np.random.Generator) -> Mapping[str, Any]:
        """Return no options."""
        return {}

    def can_act(self) -> bool:
        """Return True."""
        return True

    def act(self, obs: NDArray[Any], age: int, done: int, rng: np.random.Generator) -> Any:
        """Return a random action, drawn every `hold` steps."""
        if age % self.hold == 0:
            self._action = uniform_action(self.space, rng)
        return self._action

    def learn(self, buffer: ReplayBuffer, rng: np.random.Generator) -> Mapping[str, Any]:
        """Do nothing."""
        return {}


class TaskPlayer(RandomPlayer):
    """A player that solves a drawn task in each episode, with a share of random actions.

    Args:
        env: The environment.
        grade: The policy's name, for errors.
        config: Settings.
        slips: Share of random actions at the first and the last transition.

    Raises:
        NoOracle: If the environment has no named tasks.
        UnknownName: If a requested task is not among them.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        grade: str,
        config: CollectConfig,
        slips: tuple[float, float],
    ) -> None:
        super().__init__(env, 1)
        self.config, self.slips, self.names = config, slips, task_names(env)
        if not self.names:
            raise NoOracle(f"--policy {grade} needs named tasks, {env} has none")
        for name in config.tasks:
            if name not in self.names:
                raise UnknownName("task", name, self.names)
        self.drawn_from = config.tasks or tuple(self.names)

    def begin(self, env: gym.Env[Any, Any], rng: np.random.Generator) -> Mapping[str, Any]:
        """Draw the task of the episode."""
        name = self.drawn_from[rng.integers(len(self.drawn_from))]
        self.task = self.names.index(name)
        return {"task": name}

    def act(self, obs: NDArray[Any], age: int, done: int, rng: np.random.Generator) -> Any:
        """Return the best known action, or a random one."""
        first, last = self.slips
        if rng.random() < first + (last - first) * done / self.config.steps:
            return uniform_action(self.space, rng)
        return self.best_action(obs)

    @abstractmethod
    def best_action(self, obs: NDArray[Any]) -> Any:
        """Return the best known action for the episode's task."""


class OraclePlayer(TaskPlayer):
    """The environment's oracle; NoOracle if there is none."""

    def __init__(self, env: gym.Env[Any, Any], grade: str, config: CollectConfig) -> None:
        super().__init__(env, grade, config, SLIPS[grade])
        self.env = env
        if not env.has_wrapper_attr("oracle_action"):
            raise NoOracle(f"--policy {grade} needs an oracle, {env} has none")

    def begin(self, env: gym.Env[Any, Any], rng: np.random.Generator) -> Mapping[str, Any]:
        """Draw the task of the episode."""
        self.env = env
        return super().begin(env, rng)

    def can_act(self) -> bool:
        """Return True if the oracle solves this episode, which some tasks do not allow."""
        try:
            self.env.get_wrapper_attr("oracle_action")()
        except NoOracle:
            return False
        return True

    def best_action(self, obs: NDArray[Any]) -> Any:
        """Return the oracle's action."""
        return self.env.get_wrapper_attr("oracle_action")()


class ExploringPlayer(RandomPlayer):
    """An explorer; its first actions are random."""

    def __init__(self, env: gym.Env[Any, Any], explorer: Explorer) -> None:
        super().__init__(env, explorer.config.hold)
        self.explorer, self.config = explorer, explorer.config

    def act(self, obs: NDArray[Any], age: int, done: int, rng: np.random.Generator) -> Any:
        """Return the explorer's action for the present skill; random during the warm-up."""
        intrinsic = self.explorer.intrinsic
        if age % intrinsic.skill_steps == 0:
            self.skill = intrinsic.draw_skill(self.explorer.generator).numpy()
        random = super().act(obs, age, done, rng) if done < self.config.warmup else None
        return random if random is not None else self.explorer.act(obs, self.skill, rng)

    def learn(self, buffer: ReplayBuffer, rng: np.random.Generator) -> Mapping[str, Any]:
        """Do a gradient step every `update_every` steps, after the warm-up."""
        if len(buffer) <= self.config.warmup or len(buffer) % self.config.update_every:
            return {}
        return self.explorer.update(buffer, rng)
