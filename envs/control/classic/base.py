"""The base of classic control: exact small physics, any task, every constant an argument.

The equations are those of Gymnasium's classic control, over batches of states: the same function
plans with arrays and moves the live environment in plain numbers, bit for bit as in a batch.
Rewards, starts and time limits are not Gymnasium's: an environment here has the reward of its task
and is never terminated. Left out: Gymnasium's discrete actions, which
`gymnasium.wrappers.TransformAction` makes of ours in a line (see wrappers/__init__.py), text views,
human rendering.

Contexts as in "Contextualize Me - The Case for Context in Reinforcement Learning" (2023, arXiv
2202.04500); ranges and names our choice.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import (
    Array,
    Floats,
    Single,
    as_floats,
    box_action,
    namespace,
)
from zerogym.envs.control.core.canvas import Stroke, picture
from zerogym.envs.control.core.env import DEFAULT, ContextEnv, ContextEpisode
from zerogym.envs.control.core.interval_rewards import GOAL_RADIUS, NearGoal, is_same_task
from zerogym.envs.control.core.tasks import Batch, Task
from zerogym.errors import NoOracle

Columns = Sequence[Array] | NDArray[Any]  # numbers, or arrays (B,) of B rows
Numbers = Mapping[str, Any]  # constants by name: numbers, or arrays (B,) of one for each row

PROBES = 64  # made-up transitions on which a user's reward is tried


@dataclass(kw_only=True)
class Episode(ContextEpisode):
    """All that changes during an episode."""

    state: tuple[float, ...]


class ClassicEnv(ContextEnv):
    """A state of a few numbers and one motor; subclasses define how it moves.

    Episode end:
        Truncated after `horizon` steps, never terminated. `info["success"]` (goals): the goal has
        been reached.

    Attributes:
        velocities: Columns of an observation that are speeds.
        scales: A large distance in each column of an observation.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012
    velocities: ClassVar[tuple[int, ...]]
    scales: ClassVar[tuple[float, ...]]
    bounds: ClassVar[tuple[tuple[float, float], ...]]  # of the columns of an observation

    def __init__(
        self,
        task: Any = DEFAULT,
        context: Mapping[str, float] | None = None,
        anywhere: bool = False,
        horizon: int = 200,
        render_mode: str | None = None,
    ) -> None:
        self.anywhere = anywhere
        low, high = np.array(self.bounds, dtype=np.float32).T
        self.observation_space = spaces.Box(low, high, dtype=np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        super().__init__(task, context, horizon, render_mode)

    @staticmethod
    @abstractmethod
    def move(state: Columns, action: Array, context: Numbers) -> Columns:
        """Return the numbers of a state one step later, (B,) each, for actions (B,)."""

    @staticmethod
    @abstractmethod
    def observe(state: Columns) -> Columns:
        """Return the numbers of the observation of a state."""

    @classmethod
    def advance(cls, states: Floats, actions: Floats, context: Numbers) -> Floats:
        """Return states (B, S) one step later, for actions (B,); constants may be (B,)."""
        return np.stack(list(cls.move(states.T, actions, context)), axis=1)

    @classmethod
    def observations(cls, states: Floats) -> NDArray[np.float32]:
        """Return the observations (B, n) of states (B, S)."""
        numbers = cls.observe(states.T)
        observations = np.empty((len(states), len(numbers)), dtype=np.float32)
        for index, column in enumerate(numbers):
            observations[:, index] = column
        return observations

    @staticmethod
    @abstractmethod
    def states(observations: NDArray[Any]) -> Floats:
        """Invert `observations`."""

    @staticmethod
    @abstractmethod
    def uniform_states(rng: np.random.Generator, count: int, context: Numbers) -> Floats:
        """Draw states (count, S) evenly from a box of typical states."""

    @staticmethod
    @abstractmethod
    def classic_start(rng: np.random.Generator) -> Floats:
        """Draw a state (S,) as Gymnasium's environment of this name does."""

    @abstractmethod
    def _strokes(self, state: tuple[float, ...], context: Numbers) -> tuple[list[Stroke], float]:
        """Return the lines to draw, and half the width of the picture in metres."""

    @abstractmethod
    def _oracle_push(self, task: Task, state: Floats, context: Mapping[str, float]) -> float:
        """Return the oracle's action in a state (S,).

        Raises:
            NoOracle: If it does not know the task.
        """

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Draw a start; `options` may pin `start` (an observation), `task` and `context`."""
        options, task, context = self._begin(seed, options)
        if self.anywhere:  # drawn even if it is pinned: that does not shift later draws
            state = self.uniform_states(self.np_random, 1, context)[0]
        else:
            state = self.classic_start(self.np_random)
        if "start" in options:
            state = self.states(self._one_observation(options["start"], "start")[None])[0]
        numbers = tuple(state.tolist())
        observation = np.array(self.observe(numbers), dtype=np.float32)
        self._episode = Episode(task=task, context=context, state=numbers, observation=observation)
        return observation.copy(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Apply the motor for one step.

        Raises:
            ValueError: If the action is not one finite number.
        """
        given = box_action(self.name, action, 1)
        episode: Episode = self._open_episode()
        before, task = episode.observation, episode.task
        moved = tuple(self.move(episode.state, given.item(), episode.context))
        after = np.array(self.observe(moved), dtype=np.float32)
        episode.state, episode.observation = moved, after
        reward, on_goal = 0.0, False
        if task is not None:
            reward = task.reward_of(before, given, after)
            if task.goal is not None:
                on_goal = bool(self._at_goal(Single(after.tolist()), task.goal))
        terminated, truncated = self._count_step(on_goal)
        return after.copy(), reward, terminated, truncated, self._info()

    def _picture(self, episode: Episode) -> NDArray[np.uint8]:
        """Draw a side view, (240, 240, 3)."""
        return picture(*self._strokes(episode.state, episode.context))

    def oracle_action(self) -> NDArray[np.float32]:
        """Return the action of the controller or of value iteration; none is claimed optimal.

        Raises:
            NoOracle: If the environment is reward-free, or the oracle does not know the task.
        """
        episode = self._rewarded()
        push = self._oracle_push(episode.task, np.array(episode.state), episode.context)
        return np.array([push], dtype=np.float32)

    def _name_of(self, task: Task) -> str:
        """Return the name of a task of this class, for oracles that know no other."""
        if not is_same_task(task, self.tasks.get(task.name)):
            raise NoOracle(f"{self.name}: the oracle knows the named tasks {list(self.tasks)} only")
        return task.name

    def _one_observation(self, given: Any, what: str) -> Floats:
        values = as_floats(given)
        space = self.observation_space
        assert isinstance(space, spaces.Box)
        if values.shape == space.shape and np.isfinite(values).all():
            back = self.observations(self.states(values[None]))[0]
            inside = space.contains(values.astype(np.float32))
            if inside and np.allclose(back, values, atol=1e-3):
                return values
        raise ValueError(
            f"{self.name}: {what} must be an observation of {len(self.bounds)} numbers within "
            f"{[(round(low, 3), round(high, 3)) for low, high in self.bounds]}, "
            f"angles as cosine and sine, got {str(given)[:60]}"
        )

    def _at_goal(self, observations: Array, goal: NDArray[Any]) -> Any:
        """Return which observations (B, n) count as the goal; (B,)."""
        near = NearGoal(tuple(goal.tolist()), self.scales)
        return near.distance(observations) <= GOAL_RADIUS

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        target = self._one_observation(goal, "goal")
        text = f"Reach {np.array2string(target, precision=3)} and stay there."
        near = NearGoal(tuple(target.tolist()), self.scales)
        return Task("goal", text, near, target.astype(np.float32))

    def _transitions(self) -> Batch:
        rng = np.random.default_rng(0)
        states = self.uniform_states(rng, PROBES, self._own_context)
        actions = rng.uniform(-1.0, 1.0, (PROBES, 1)).astype(np.float32)
        moved = self.advance(states, actions[:, 0].astype(np.float64), self._own_context)
        return self.observations(states), actions, self.observations(moved)


def within(values: Array, most: Any) -> Array:
    """Clip values to [-most, most]."""
    return namespace(values).clip(values, -most, most)
