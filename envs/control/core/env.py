"""The bases of control environments: one physics, any task, a fixed number of steps."""

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array
from zerogym.envs.control.core.contexts import Constant, complete_context
from zerogym.envs.control.core.expressions import task_of_expression
from zerogym.envs.control.core.features import Features, Measures
from zerogym.envs.control.core.tasks import Batch, Task, resolve_task
from zerogym.envs.core import TaskEnv
from zerogym.errors import NoOracle, UnknownName

RESET_OPTIONS = ("start", "task")
DEFAULT = "default"  # stands for the environment's own default task


@dataclass(kw_only=True)
class ControlEpisode:
    """All that changes during an episode, besides the place."""

    task: Task | None
    turn: int = 0
    over: bool = False
    success: bool = False


class ControlEnv(TaskEnv[Any, Any]):
    """An environment with named tasks; each episode has one, or none (reward-free).

    Args:
        task: `"default"` (the environment's `default_task`), None (reward-free), a name, an
            expression such as `"0.5 * run + upright"` (see `expressions.py`), a
            `Task`, a function `reward(obs, action, next_obs) -> (B,)` or
            `reward(features, action) -> (B,)`, a `Goal` or its place. Constants of a task
            (`Task.context`) hold in all episodes of an environment made with it, else in those
            to which it is given.
        horizon: Steps in an episode, after which it is truncated.
        render_mode: None or one of the class's modes.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (gymnasium's type)
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 8,
    }
    has_oracle: ClassVar[bool] = True  # whether tasks have an `oracle_action`
    map_reveals: ClassVar[bool] = False  # whether drawings show what observations leave out
    random_tasks: ClassVar[tuple[str, ...]] = ()  # names of tasks that are drawn in each episode
    reset_options: ClassVar[tuple[str, ...]] = RESET_OPTIONS

    def __init__(self, task: Any, horizon: int, render_mode: str | None) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UnknownName("render mode", render_mode, self.metadata["render_modes"])
        if isinstance(horizon, bool) or not isinstance(horizon, int) or horizon < 1:
            raise ValueError(f"horizon must be an integer >= 1, got {horizon!r}")
        self.horizon, self.render_mode = horizon, render_mode
        self._task = self._resolve(task)
        self._unrewarded = isinstance(task, str) and self._task is None  # by no one's choice
        if isinstance(self._task, Task) and self._task.context:
            self._settle_in(self._task.context)

    @property
    @abstractmethod
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks."""

    @property
    def default_task(self) -> str | None:
        """Name of the task of an environment that is made without one; None for none."""
        return None

    @property
    def measures(self) -> Measures:
        """The features of observations, by name."""
        return {}

    def features(self, observations: Array) -> Features:
        """Return the features of observations (B, ...), NumPy's or torch's."""
        return Features(self.measures, observations)

    @abstractmethod
    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        """Make the task of reaching a goal; ValueError if it is not in the world."""

    @abstractmethod
    def _transitions(self) -> Batch:
        """Make transitions on which a user's reward is tried."""

    def task_of(self, task: Any) -> Task:
        """Return the task that an argument `task` other than None means here.

        Raises:
            ValueError, TypeError: As the constructor.
        """
        found = self._resolve(task)
        if not isinstance(found, Task):
            raise TypeError(f"{self.name}: {task!r:.60} stands for no one task")
        return found

    def _resolve(self, task: Any) -> Task | str | None:
        """Return a task, None, or one of `random_tasks`."""
        if isinstance(task, str) and task == DEFAULT:
            task = self.default_task
        if task is None:
            return None  # in some worlds the tasks themselves need a package
        if isinstance(task, str):
            if task in self.random_tasks:
                return task
            if task not in self.tasks and (not task.isidentifier() or task in self.measures):
                task = task_of_expression(task, self.measures, self.tasks)
        found = resolve_task(
            task, self.tasks, self._task_of_goal, self._transitions(), self.measures
        )
        if found is not None and found.context is not None:
            complete_context(getattr(self, "constants", {}), found.context, self.name)
        return found

    def _settle_in(self, context: Mapping[str, float]) -> None:
        """Give every episode these constants, as the constructor's argument does."""
        self._own_context: dict[str, float] = self._own_context | dict(context)

    def _reset_options(
        self, options: dict[str, Any] | None, known: tuple[str, ...]
    ) -> dict[str, Any]:
        """Return the options of `reset`, with the constants of a task among them."""
        options = super()._reset_options(options, known)
        task = options.get("task")
        if isinstance(task, str):
            task = self.tasks.get(task)
        if "context" not in known or not isinstance(task, Task) or not task.context:
            return options
        own = options.get("context") or {}
        if not isinstance(own, Mapping):
            return options  # refused by `complete_context`
        return options | {"context": {**task.context, **own}}

    def _seeded(
        self, seed: int | None, options: dict[str, Any] | None
    ) -> tuple[dict[str, Any], Task | str | None]:
        """Seed an episode; return the checked options, and their task or the environment's own."""
        super().reset(seed=seed)
        options = self._reset_options(options, self.reset_options)
        return options, self._resolve(options["task"]) if "task" in options else self._task

    def render(self) -> Any:
        """Draw the present state; None before the first episode and without a render mode."""
        if self.render_mode is None or self._episode is None:
            return None
        return self._picture(self._episode)

    @abstractmethod
    def _picture(self, episode: Any) -> Any:
        """Draw a state in the render mode."""

    def _rewarded(self, who: str = "an oracle") -> Any:
        """Return the running episode, which must have a task."""
        episode = self._running()
        if episode.task is None:
            raise NoOracle(f"{self.name} is reward-free: {who} needs a task")
        return episode

    def _open_episode(self) -> Any:
        episode: ControlEpisode = self._running()
        if episode.over:
            raise RuntimeError(f"{self.name}: the episode is over, call reset()")
        return episode

    def _count_step(self, on_goal: bool, ends_at_goal: bool = False) -> tuple[bool, bool]:
        """Count a step; return whether it terminated or truncated the episode."""
        episode: ControlEpisode = self._episode
        if self._unrewarded and episode.task is None:
            self._unrewarded = False
            warnings.warn(
                f"{self.name} has no default task, so every reward is 0: choose one of its tasks "
                "(`env.unwrapped.tasks`), or task=None if that is what you want",
                stacklevel=2,
            )
        episode.turn += 1
        episode.success = episode.success or on_goal
        terminated = ends_at_goal and episode.success
        truncated = not terminated and episode.turn >= self.horizon
        episode.over = terminated or truncated
        return terminated, truncated

    def _info(self) -> dict[str, Any]:
        episode: ControlEpisode = self._episode
        info: dict[str, Any] = {"turn": episode.turn}
        if getattr(self, "view", None) == "text":
            info["void_turn"] = False  # a step says whether its reply was
        if episode.task is not None:
            info["category"] = episode.task.name
            if episode.task.goal is not None and episode.turn > 0:
                info["success"] = episode.success
        return info


@dataclass(kw_only=True)
class ContextEpisode(ControlEpisode):
    """An episode with constants of its own; arrays are replaced, never written into."""

    context: dict[str, float]
    observation: NDArray[np.float32]  # the last one, (n,)

    def __deepcopy__(self, memo: dict[int, Any]) -> "ContextEpisode":
        """Copy the record alone: tasks stay themselves, so that oracles find what they solved."""
        return replace(self)


class ContextEnv(ControlEnv):
    """An environment whose constants of the physics are arguments.

    Args:
        task: As of `ControlEnv`.
        context: Values for some of the constants.
        horizon: Steps in an episode.
        render_mode: None or one of the class's modes.
    """

    reset_options: ClassVar[tuple[str, ...]] = (*RESET_OPTIONS, "context")

    def __init__(
        self, task: Any, context: Mapping[str, float] | None, horizon: int, render_mode: str | None
    ) -> None:
        self._own_context = complete_context(self.constants, context, self.name)
        super().__init__(task, horizon, render_mode)

    @property
    @abstractmethod
    def constants(self) -> Mapping[str, Constant]:
        """The constants that can be varied."""

    @property
    def context(self) -> dict[str, float]:
        """All constants of this episode; before the first, those of the environment."""
        return dict(self._own_context if self._episode is None else self._episode.context)

    def _begin(
        self, seed: int | None, options: dict[str, Any] | None
    ) -> tuple[dict[str, Any], Task | None, dict[str, float]]:
        """Seed an episode; return the checked options, its task and all its constants."""
        options, task = self._seeded(seed, options)
        assert not isinstance(task, str)  # these environments have no `random_tasks`
        context = self._own_context
        if "context" in options:
            context = complete_context(self.constants, options["context"], self.name)
        return options, task, dict(context)
