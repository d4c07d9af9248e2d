"""What the classic control worlds share: exact small physics, any task, every constant an argument.

The equations are those of Gymnasium's classic control, over batches of states, so that the same
function plans with arrays and moves the live world, in plain numbers and to the last bit as in a
batch. Rewards, starts and time limits are not
Gymnasium's: a world here pays for its task and is never terminated (rewards say what falling
costs). Left out: Gymnasium's discrete actions, which `gymnasium.wrappers.TransformAction` makes of
ours in a line (see wrappers/__init__.py), text views, human rendering.

Contexts as in "Contextualize Me - The Case for Context in Reinforcement Learning" (2023, arXiv
2202.04500); ranges and names our choice.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, Single, columns, namespace
from zerogym.envs.control.core.canvas import Stroke, picture
from zerogym.envs.control.core.contexts import Constant, complete_context
from zerogym.envs.control.core.env import RESET_OPTIONS, ControlEnv, ControlEpisode
from zerogym.envs.control.core.tasks import Batch, Task, tolerance

Floats = NDArray[np.float64]
Columns = Sequence[Array] | NDArray[Any]  # numbers, or arrays (B,) of B rows
Numbers = Mapping[str, Any]  # constants by name: numbers, or arrays (B,) of one for each row

PROBES = 64  # made-up transitions on which a user's reward is tried
GOAL_RADIUS, GOAL_MARGIN = 0.1, 0.5  # root mean square over scaled columns; our choice


@dataclass(kw_only=True)
class Episode(ControlEpisode):
    """What changes during an episode."""

    context: dict[str, float]
    state: tuple[float, ...]
    observation: NDArray[np.float32]  # (n,) of that state

    def __deepcopy__(self, memo: dict[int, Any]) -> "Episode":
        """Tasks are data and stay themselves, so that oracles know what they have solved."""
        return replace(self, context=dict(self.context), observation=self.observation.copy())


@dataclass(frozen=True, eq=False)
class NearGoal:
    """1 near an observation (n,), less beyond; columns are measured in their scales (n,)."""

    goal: tuple[float, ...]
    scales: tuple[float, ...]
    of_single: ClassVar[bool] = True

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return tolerance(self.distance(next_obs), (0.0, GOAL_RADIUS), GOAL_MARGIN)

    def distance(self, observations: Array) -> Array:
        """Root mean square over the columns; (B,)."""
        total: Any = 0.0
        each = zip(columns(observations), self.goal, self.scales, strict=True)
        for column, wanted, scale in each:
            away = (column - wanted) / scale
            total = total + away * away
        return namespace(total).sqrt(total / len(self.goal))


class ClassicEnv(ControlEnv):
    """A state of a few numbers and one motor; subclasses say how it moves.

    Attributes:
        constants: What can be varied.
        velocities: Columns of an observation that are speeds.
        scales: What counts as far in each column of an observation.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012
    constants: ClassVar[Mapping[str, Constant]]
    velocities: ClassVar[tuple[int, ...]]
    scales: ClassVar[tuple[float, ...]]
    bounds: ClassVar[tuple[tuple[float, float], ...]]  # of the columns of an observation

    def __init__(
        self,
        task: Any,
        context: Mapping[str, float] | None,
        anywhere: bool,
        horizon: int,
        render_mode: str | None,
    ) -> None:
        self._own_context = complete_context(self.constants, context, self.name)
        self.anywhere = anywhere
        low, high = np.array(self.bounds, dtype=np.float32).T
        self.observation_space = spaces.Box(low, high, dtype=np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        super().__init__(task, horizon, render_mode)

    @staticmethod
    @abstractmethod
    def move(state: Columns, action: Array, context: Numbers) -> Columns:
        """The numbers of a state one step later, (B,) each, for actions (B,) in [-1, 1]."""

    @staticmethod
    @abstractmethod
    def observe(state: Columns) -> Columns:
        """What is observed of a state."""

    @classmethod
    def advance(cls, states: Floats, actions: Floats, context: Numbers) -> Floats:
        """States (B, S) one step later, for actions (B,) in [-1, 1]; contexts may be of rows."""
        return np.stack(list(cls.move(states.T, actions, context)), axis=1)

    @classmethod
    def observations(cls, states: Floats) -> NDArray[np.float32]:
        """Observations (B, n) of states (B, S)."""
        numbers = cls.observe(states.T)
        observations = np.empty((len(states), len(numbers)), dtype=np.float32)
        for index, column in enumerate(numbers):
            observations[:, index] = column
        return observations

    @staticmethod
    @abstractmethod
    def states(observations: NDArray[Any]) -> Floats:
        """The inverse of `observations`."""

    @staticmethod
    @abstractmethod
    def uniform_states(rng: np.random.Generator, count: int, context: Numbers) -> Floats:
        """States (count, S) drawn evenly from all the states that matter."""

    @staticmethod
    @abstractmethod
    def classic_start(rng: np.random.Generator) -> Floats:
        """A state (S,) as Gymnasium's world of this name draws it."""

    @abstractmethod
    def _strokes(self, state: tuple[float, ...], context: Numbers) -> tuple[list[Stroke], float]:
        """What there is to draw, and half the width of the picture in metres."""

    @property
    def context(self) -> dict[str, float]:
        """All constants of this episode; before the first, those of the environment."""
        return dict(self._own_context if self._episode is None else self._episode.context)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """A random start; `options` may pin `start` (an observation), `task` and `context`."""
        super().reset(seed=seed)
        options = self._reset_options(options, (*RESET_OPTIONS, "context"))
        task = self._pinned_task({"task": options["task"]} if "task" in options else {})
        assert not isinstance(task, str)  # these worlds have no `random_tasks`
        context = self._own_context
        if "context" in options:
            context = complete_context(self.constants, options["context"], self.name)
        if self.anywhere:  # drawn even if it is pinned: that does not shift later draws
            state = self.uniform_states(self.np_random, 1, context)[0]
        else:
            state = self.classic_start(self.np_random)
        if "start" in options:
            state = self.states(self._one_observation(options["start"], "start")[None])[0]
        numbers = tuple(state.tolist())
        seen = np.array(self.observe(numbers), dtype=np.float32)
        self._episode = Episode(task=task, context=dict(context), state=numbers, observation=seen)
        return seen.copy(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Let the motor act for one step.

        Raises:
            ValueError: If the action is not one finite number.
        """
        given = self._check_action(action)
        episode: Episode = self._open_episode()
        before, task = episode.observation, episode.task
        moved = tuple(self.move(episode.state, given.item(), episode.context))
        after = np.array(self.observe(moved), dtype=np.float32)
        episode.state, episode.observation = moved, after
        reward, on_goal = 0.0, False
        if task is not None:
            reward = task.reward_of(before, given, after)
            if task.goal is not None:
                away = NearGoal(tuple(map(float, task.goal)), self.scales).distance(
                    Single(after.tolist())
                )
                on_goal = bool(away <= GOAL_RADIUS)
        terminated, truncated = self._count_step(on_goal)
        return after.copy(), reward, terminated, truncated, self._info()

    def render(self) -> NDArray[np.uint8] | None:
        """The world from the side: an image (240, 240, 3)."""
        if self.render_mode is None or self._episode is None:
            return None
        return picture(*self._strokes(self._episode.state, self._episode.context))

    def _check_action(self, action: Any) -> NDArray[np.float32]:
        single = type(action) is np.ndarray and action.dtype == np.float32
        given: Any = action if single else _numbers(action)
        if given.shape == (1,):
            number = given.item()
            if -1.0 <= number <= 1.0:  # nan is not
                return given if single else given.astype(np.float32)
            if math.isfinite(number):
                return np.array([math.copysign(1.0, number)], dtype=np.float32)
        raise ValueError(
            f"{self.name}: action must be one finite number in [-1, 1], as an array (1,), "
            f"got {str(action)[:60]}"
        )

    def _one_observation(self, given: Any, what: str) -> Floats:
        values = _numbers(given)
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

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        wanted = self._one_observation(goal, "goal")
        text = f"Reach {np.array2string(wanted, precision=3)} and stay there."
        near = NearGoal(tuple(map(float, wanted)), self.scales)
        return Task("goal", text, near, wanted.astype(np.float32))

    def _transitions(self) -> Batch:
        rng = np.random.default_rng(0)
        states = self.uniform_states(rng, PROBES, self._own_context)
        actions = rng.uniform(-1.0, 1.0, (PROBES, 1)).astype(np.float32)
        moved = self.advance(states, actions[:, 0].astype(np.float64), self._own_context)
        return self.observations(states), actions, self.observations(moved)


def within(values: Array, most: Any) -> Array:
    """Values cut off at `-most` and `most`."""
    return namespace(values).clip(values, -most, most)


def _numbers(given: Any) -> Floats:
    """As an array; empty if it is no array of numbers."""
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)
