"""What the vehicle worlds share: one physics over arrays, of which a world is a batch of one.

Rules in `dynamics.py`, many worlds at once in `batched.py`. Left out: text views.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Library
from zerogym.envs.control.core.contexts import Constant, complete_context
from zerogym.envs.control.core.env import ControlEnv, ControlEpisode
from zerogym.envs.control.core.tasks import Batch
from zerogym.envs.control.vehicles.batched import BatchedVehicles
from zerogym.envs.control.vehicles.dynamics import VehicleRules
from zerogym.errors import NoOracle

Floats = NDArray[np.float64]
Seen = NDArray[np.float32]

PROBES = 32  # made-up transitions on which a user's reward is tried
MAX_SEEN = 1e5  # no number of an observation is greater: episodes end long before


@dataclass(kw_only=True)
class Episode(ControlEpisode):
    """What changes during an episode."""

    context: dict[str, float]
    state: Floats  # (S,)
    observation: Seen  # (n,) of that state

    def __deepcopy__(self, memo: dict[int, Any]) -> "Episode":
        """Tasks are data and stay themselves, so that oracles know what they have solved."""
        context, state, seen = dict(self.context), self.state.copy(), self.observation.copy()
        return replace(self, context=context, state=state, observation=seen)


class VehicleEnv(ControlEnv):
    """A vehicle, or several, that can be broken; subclasses say what its tasks are.

    Args:
        rules: The physics.
        task: As of every control world.
        context: Values for some of the constants.
        horizon: Steps in an episode.
        render_mode: None or one of the class's modes.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"]}  # noqa: RUF012
    reset_options: ClassVar[tuple[str, ...]] = ("task", "context")

    def __init__(
        self,
        rules: VehicleRules,
        task: Any,
        context: Mapping[str, float] | None,
        horizon: int,
        render_mode: str | None,
    ) -> None:
        self.rules = rules
        # A film of every step takes as long as what it shows.
        self.metadata = type(self).metadata | {"render_fps": round(1 / rules.dt)}
        self._own_context = complete_context(rules.constants, context, self.name)
        states = rules.draw(np.random.default_rng(0), 1, self._own_context)
        size = rules.observe(states, self._own_context).shape[1]
        self.observation_space = spaces.Box(-MAX_SEEN, MAX_SEEN, (size,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (rules.actions,), np.float32)
        super().__init__(task, horizon, render_mode)

    @property
    def constants(self) -> Mapping[str, Constant]:
        """What can be varied."""
        return self.rules.constants

    @property
    def context(self) -> dict[str, float]:
        """All constants of this episode; before the first, those of the environment."""
        return dict(self._own_context if self._episode is None else self._episode.context)

    @abstractmethod
    def _at_goal(self, episode: Any, goal: NDArray[Any]) -> bool:
        """Whether a goal is reached now."""

    @abstractmethod
    def _best(self, episode: Any) -> Floats | None:
        """The oracle's action (k,); None if it does not know the task."""

    @abstractmethod
    def _picture(self, episode: Any) -> NDArray[np.uint8]:
        """The world as an image."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """A random start; `options` may pin `task`, `context` and what the world says."""
        super().reset(seed=seed)
        options = self._reset_options(options, self.reset_options)
        task = self._pinned_task({"task": options["task"]} if "task" in options else {})
        assert not isinstance(task, str)  # these worlds have no `random_tasks`
        context = self._own_context
        if "context" in options:
            context = complete_context(self.constants, options["context"], self.name)
        drawn = self.rules.draw(self.np_random, 1, context)  # always: later draws stay the same
        state = self._start(options, drawn, context)
        seen = self._see(state, context)
        self._episode = Episode(task=task, context=dict(context), state=state[0], observation=seen)
        return seen.copy(), self._info()

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Move for one step.

        Raises:
            ValueError: If the action is not so many finite numbers.
        """
        given = self._check_action(action)
        episode: Episode = self._open_episode()
        before, task, context = episode.observation, episode.task, episode.context
        moved = self.rules.advance(episode.state[None], given[None].astype(np.float64), context)
        after = self._see(moved, context)
        episode.state, episode.observation = moved[0], after
        reward, on_goal = 0.0, False
        if task is not None:
            reward = float(task.relabel(before[None], given[None], after[None])[0])
            on_goal = task.goal is not None and self._at_goal(episode, task.goal)
        costs, ended = self.rules.harm(moved, context)
        terminated, truncated = self._count_step(on_goal)
        if bool(ended[0]):
            terminated, truncated, episode.over = True, False, True
        info = self._info() | {"cost": float(costs[0])}
        return after.copy(), reward, terminated, truncated, info

    def batched(
        self,
        n: int,
        library: Library = "numpy",
        device: str | None = None,
        contexts: Mapping[str, Any] | None = None,
    ) -> BatchedVehicles:
        """Many such worlds with this one's task and horizon, stepped together.

        Args:
            n: How many.
            library: Whose arrays: `numpy` or `torch`.
            device: Where torch's tensors are.
            contexts: Constants that differ from this world's: numbers, or arrays (n,).
        """
        assert not isinstance(self._task, str)
        found = self._own_context | dict(contexts or {})
        return BatchedVehicles(self.rules, n, self._task, self.horizon, found, library, device)

    def oracle_action(self) -> Seen:
        """The script's action; it knows the constants and the whole state.

        Raises:
            NoOracle: If the world is reward-free, or the task is none of its own and no goal.
        """
        episode: Episode = self._running()
        if episode.task is None:
            raise NoOracle(f"{self.name} is reward-free: an oracle needs a task")
        found = self._best(episode)
        if found is None:
            raise NoOracle(f"{self.name}: no script for task {episode.task.name!r}")
        return np.clip(found, -1.0, 1.0).astype(np.float32)

    def render(self) -> NDArray[np.uint8] | None:
        """An image (240, 240, 3)."""
        if self.render_mode is None or self._episode is None:
            return None
        return self._picture(self._episode)

    def _start(
        self, options: Mapping[str, Any], drawn: Floats, context: Mapping[str, float]
    ) -> Floats:
        """The first state (1, S): that drawn, where the world has no options that pin one."""
        return drawn

    def _see(self, states: Floats, context: Mapping[str, float]) -> Seen:
        seen: Seen = self.rules.observe(states, context)[0].astype(np.float32)
        return seen

    def _check_action(self, action: Any) -> Seen:
        given, size = numbers(action), self.rules.actions
        if given.shape != (size,) or not all(map(math.isfinite, given.tolist())):
            raise ValueError(
                f"{self.name}: action must be {size} finite numbers in [-1, 1], as an array "
                f"({size},), got {str(action)[:60]}"
            )
        return np.minimum(np.maximum(given, -1.0), 1.0).astype(np.float32)

    def _transitions(self) -> Batch:
        rng = np.random.default_rng(0)
        states = self.rules.draw(rng, PROBES, self._own_context)
        actions = rng.uniform(-1.0, 1.0, (PROBES, self.rules.actions)).astype(np.float32)
        moved = self.rules.advance(states, actions.astype(np.float64), self._own_context)
        seen = [self.rules.observe(each, self._own_context) for each in (states, moved)]
        return seen[0].astype(np.float32), actions, seen[1].astype(np.float32)


def numbers(given: Any) -> Floats:
    """As an array; empty if it is no array of numbers."""
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)
