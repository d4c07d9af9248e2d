"""What the control worlds share: one physics, any task, a fixed number of steps."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array
from zerogym.envs.control.core.contexts import complete_context
from zerogym.envs.control.core.expressions import task_of_expression
from zerogym.envs.control.core.features import Features, Measures
from zerogym.envs.control.core.tasks import Batch, Task, resolve_task
from zerogym.envs.core import TaskEnv
from zerogym.errors import UnknownName

RESET_OPTIONS = ("start", "task")


@dataclass(kw_only=True)
class ControlEpisode:
    """What changes during an episode, besides the place."""

    task: Task | None
    turn: int = 0
    over: bool = False
    success: bool = False


class ControlEnv(TaskEnv[Any, Any]):
    """A world with named tasks; each episode has one, or none (reward-free).

    Args:
        task: None, a name, an expression such as `"0.5 * run + upright"` (see `expressions.py`), a
            `Task`, a function `reward(obs, action, next_obs) -> (B,)` or
            `reward(features, action) -> (B,)`, a `Goal` or its place. Constants of a task
            (`Task.context`) hold in all episodes of a world that is made with it, else in those to
            which it is given.
        horizon: Steps in an episode, after which it is truncated.
        render_mode: None or one of the class's modes.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (gymnasium's type)
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 8,
    }
    has_oracle: ClassVar[bool] = True  # whether `oracle_action` knows what to do, given a task
    random_tasks: ClassVar[tuple[str, ...]] = ()  # names that stand for a draw in each episode

    def __init__(self, task: Any, horizon: int, render_mode: str | None) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UnknownName("render mode", render_mode, self.metadata["render_modes"])
        if isinstance(horizon, bool) or not isinstance(horizon, int) or horizon < 1:
            raise ValueError(f"horizon must be an integer >= 1, got {horizon!r}")
        self.horizon, self.render_mode = horizon, render_mode
        self._task = self._resolve(task)
        if isinstance(self._task, Task) and self._task.context:
            self._settle_in(self._task.context)

    @property
    @abstractmethod
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks of this world."""

    @property
    def measures(self) -> Measures:
        """What can be measured of its observations, by name; empty where it says nothing."""
        return {}

    def features(self, observations: Array) -> Features:
        """The named quantities of observations (B, ...), NumPy's or torch's."""
        return Features(self.measures, observations)

    @abstractmethod
    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        """The task of reaching a goal; ValueError if it is not in the world."""

    @abstractmethod
    def _transitions(self) -> Batch:
        """Transitions on which a user's reward is tried."""

    def task_of(self, task: Any) -> Task:
        """What the argument `task` stands for here, if it is not None.

        Raises:
            ValueError, TypeError: As at making.
        """
        found = self._resolve(task)
        if not isinstance(found, Task):
            raise TypeError(f"{self.name}: {task!r:.60} stands for no one task")
        return found

    def _resolve(self, task: Any) -> Task | str | None:
        """A task, None, or one of `random_tasks`."""
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
        """Let every episode have these constants, as if they had been given at making."""
        self._own_context: dict[str, float] = self._own_context | dict(context)

    def _reset_options(
        self, options: dict[str, Any] | None, known: tuple[str, ...]
    ) -> dict[str, Any]:
        """The options of `reset`, with the constants that a task among them brings along."""
        options = super()._reset_options(options, known)
        task = options.get("task")
        if isinstance(task, str):
            task = self.tasks.get(task)
        if "context" not in known or not isinstance(task, Task) or not task.context:
            return options
        own = options.get("context") or {}
        if not isinstance(own, Mapping):
            return options  # the world says what is wrong with it
        return options | {"context": {**task.context, **own}}

    def _pinned_task(self, options: dict[str, Any]) -> Task | str | None:
        """The task that the reset options ask for, or the environment's own."""
        options = self._reset_options(options, RESET_OPTIONS)
        return self._resolve(options["task"]) if "task" in options else self._task

    def _open_episode(self) -> Any:
        episode: ControlEpisode = self._running()
        if episode.over:
            raise RuntimeError(f"{self.name}: the episode is over, call reset()")
        return episode

    def _count_step(self, on_goal: bool, ends_at_goal: bool = False) -> tuple[bool, bool]:
        """Note that a step was made; whether it terminated or truncated the episode."""
        episode: ControlEpisode = self._episode
        episode.turn += 1
        episode.success = episode.success or on_goal
        terminated = ends_at_goal and episode.success
        truncated = not terminated and episode.turn >= self.horizon
        episode.over = terminated or truncated
        return terminated, truncated

    def _info(self) -> dict[str, Any]:
        episode: ControlEpisode = self._episode
        info: dict[str, Any] = {"turn": episode.turn}
        if episode.task is not None:
            info["category"] = episode.task.name
            if episode.task.goal is not None and episode.turn > 0:
                info["success"] = episode.success
        return info
