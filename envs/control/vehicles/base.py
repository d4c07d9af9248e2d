"""The base of vehicle environments: one state, one physics, any task, costs that end episodes.

Equations in `dynamics.py`, many environments at once in `batched.py`. Left out: text views.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Floats, Library, box_action
from zerogym.envs.control.core.contexts import Constant
from zerogym.envs.control.core.env import ContextEnv, ContextEpisode
from zerogym.envs.control.core.tasks import Batch
from zerogym.envs.control.vehicles.batched import BatchedVehicles
from zerogym.envs.control.vehicles.dynamics import VehicleRules
from zerogym.errors import NoOracle

Observation = NDArray[np.float32]

PROBES = 32  # made-up transitions on which a user's reward is tried
MAX_OBSERVED = 1e5  # no number of an observation is greater: episodes end long before


@dataclass(kw_only=True)
class Episode(ContextEpisode):
    """All that changes during an episode."""

    state: Floats  # (S,)


class VehicleEnv(ContextEnv):
    """A vehicle, or several, that can crash; subclasses define the tasks.

    Args:
        rules: The physics.
        task: As of `ControlEnv`.
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
        # A video with a frame a step runs in real time.
        self.metadata = type(self).metadata | {"render_fps": round(1 / rules.dt)}
        defaults = {name: constant.default for name, constant in rules.constants.items()}
        states = rules.draw(np.random.default_rng(0), 1, defaults)
        size = rules.observe(states, defaults).shape[1]
        self.observation_space = spaces.Box(-MAX_OBSERVED, MAX_OBSERVED, (size,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (rules.actions,), np.float32)
        super().__init__(task, context, horizon, render_mode)

    @property
    def constants(self) -> Mapping[str, Constant]:
        """The constants that can be varied."""
        return self.rules.constants

    @abstractmethod
    def _at_goal(self, episode: Any, goal: NDArray[Any]) -> bool:
        """Return whether a goal is reached now."""

    @abstractmethod
    def _best(self, episode: Any) -> Floats | None:
        """Return the oracle's action (k,); None if it does not know the task."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Draw a start; `options` may pin those of `reset_options`."""
        options, task, context = self._begin(seed, options)
        drawn = self.rules.draw(self.np_random, 1, context)  # always: later draws stay the same
        state = self._start(options, drawn, context)
        after = self._observe(state, context)
        self._episode = Episode(task=task, context=context, state=state[0], observation=after)
        return after.copy(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Move for one step.

        Raises:
            ValueError: If the action is not so many finite numbers.
        """
        given = box_action(self.name, action, self.rules.actions)
        episode: Episode = self._open_episode()
        before, task, context = episode.observation, episode.task, episode.context
        moved = self.rules.advance(episode.state[None], given[None].astype(np.float64), context)
        after = self._observe(moved, context)
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
        """Make a batch of such environments with this one's task and horizon.

        Args:
            n: Number of environments.
            library: Array library, `numpy` or `torch`.
            device: Device of torch's tensors.
            contexts: Constants that differ from this environment's: numbers, or arrays (n,).
        """
        assert not isinstance(self._task, str)
        found = self._own_context | dict(contexts or {})
        return BatchedVehicles(self.rules, found, n, self._task, self.horizon, library, device)

    def oracle_action(self) -> Observation:
        """Return the controller's action; it has the constants and the whole state.

        Raises:
            NoOracle: If the world is reward-free, or the task is no named one and no goal.
        """
        episode = self._rewarded()
        found = self._best(episode)
        if found is None:
            raise NoOracle(f"{self.name}: no controller for task {episode.task.name!r}")
        return np.clip(found, -1.0, 1.0).astype(np.float32)

    def _start(
        self, options: Mapping[str, Any], drawn: Floats, context: Mapping[str, float]
    ) -> Floats:
        """Return the first state (1, S): the drawn one, unless `options` pin one."""
        return drawn

    def _observe(self, states: Floats, context: Mapping[str, float]) -> Observation:
        observed: Observation = self.rules.observe(states, context)[0].astype(np.float32)
        return observed

    def _transitions(self) -> Batch:
        rng = np.random.default_rng(0)
        states = self.rules.draw(rng, PROBES, self._own_context)
        actions = rng.uniform(-1.0, 1.0, (PROBES, self.rules.actions)).astype(np.float32)
        moved = self.rules.advance(states, actions.astype(np.float64), self._own_context)
        before, after = (
            self.rules.observe(each, self._own_context).astype(np.float32)
            for each in (states, moved)
        )
        return before, actions, after
