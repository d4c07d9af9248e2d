"""Base class of MiniGrid environments: the package's physics, any task, text, events, an oracle.

Views are in `state.py` and `text_view.py`, rewards in `tasks.py`, events in `events.py`, the oracle
in `planner.py`.
"""

import copy
from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.discrete_actions import NumberedActions, check_view, parse_action
from zerogym.envs.control.core.tasks import Batch, Task
from zerogym.envs.control.minigrid.episode import Episode
from zerogym.envs.control.minigrid.events import Event, events_of, sentence
from zerogym.envs.control.minigrid.missions import done_in, is_hopeless, mission_of
from zerogym.envs.control.minigrid.planner import Plan
from zerogym.envs.control.minigrid.state import Column, measures_of, reading_of, size_of
from zerogym.envs.control.minigrid.tasks import (
    MISSION,
    Accomplished,
    Within,
    mission_task,
    named_tasks,
    stand_task,
)
from zerogym.envs.control.minigrid.text_view import (
    ACTION_NAMES,
    REQUEST,
    VOID,
    WAIT,
    parse_reply,
)
from zerogym.errors import NoOracle, NoRewardPossible

View = Literal["numeric", "partial", "text"]
VIEWS = ("numeric", "partial", "text")
TILE = 24  # pixels


class BaseMiniGridEnv(NumberedActions):
    """A grid with an agent that turns, goes forward, picks up, drops and opens.

    Args:
        pristine: The package's environment, before its first reset.
        has: The things of every episode, see `named_tasks`.
        task, horizon, render_mode: As in `ControlEnv`.
        view: `numeric`, `partial` or `text`.

    Arguments:
        view: `numeric`, `partial` or `text`.
        horizon: Steps in an episode.
        render_mode: None, `ansi` or `rgb_array`.
    """

    map_reveals = True

    default_task = "mission"
    views = VIEWS
    random_tasks = (MISSION,)
    reset_options = ("level", "task")
    action_names = ACTION_NAMES

    def __init__(
        self,
        pristine: Any,
        has: tuple[str, ...],
        task: Any,
        view: View,
        horizon: int,
        render_mode: str | None,
    ) -> None:
        check_view(view, VIEWS)
        self._pristine, self._has, self.view = pristine, has, view
        self._measures = measures_of(pristine.width, pristine.height)
        self._scales = np.array([column.scale for column in self._measures.values()])
        super().__init__(task, horizon, render_mode)
        full = size_of(pristine.width, pristine.height)
        self._set_spaces(full if view == "numeric" else 3 * pristine.agent_view_size**2 + 4)

    @abstractmethod
    def _draw(self, world: Any, rng: np.random.Generator, level: Any) -> None:
        """Make the world of an episode, in place; `level` is the reset option, or None."""

    @property
    def measures(self) -> Mapping[str, Column]:
        """The named features of the numeric view."""
        return self._measures

    @cached_property
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks; `mission` is one more, that of the episode."""
        return named_tasks(self.measures, self._has)

    @cached_property
    def events(self) -> Mapping[str, Event]:
        """Events by name: functions of transitions, for reward machines."""
        return events_of(self.measures)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Draw a new world; `options` may pin `level` and `task` for one episode."""
        options, task = self._seeded(seed, options)
        self._episode = self._begin(self.np_random, options.get("level"))
        mission = self._episode.world.mission
        self._episode.task = mission_task(self.measures, mission) if task == MISSION else task
        text = self._episode.task.text if task else "Explore."
        return self._observe(f"{text}\n", f"\n{REQUEST}"), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Do one action.

        Raises:
            TypeError: If the view is text and the action is no string.
            ValueError: If the view is numeric and the action is not 0 to 6.
        """
        read, reading = parse_action(self.name, action, self.action_space, parse_reply)
        episode: Episode = self._open_episode()
        move, before, task = WAIT if read is None else read, episode.state, episode.task
        episode.advance(move)
        reward, ends = 0.0, False
        if task is not None:
            reward = float(task.relabel(before[None], np.array([move]), episode.state[None])[0])
            ends = isinstance(task.reward, Accomplished)
        on_goal = task is not None and _is_named(task) and reward > 0
        terminated, truncated = self._count_step(on_goal, ends)
        if episode.on == "lava" or (ends and episode.failed):
            terminated, truncated, episode.over = True, False, True
        event = sentence(
            reading_of(before, self._scales), move, reading_of(episode.state, self._scales)
        )
        info = self._info() | reading | {"event": event}
        obs = self._observe(f"{VOID if read is None else event} ")
        return obs, reward, terminated, truncated, info

    @property
    def state(self) -> NDArray[np.float32]:
        """The whole state, as in the numeric view: for relabelling data of another view."""
        state: NDArray[np.float32] = self._running().state
        return state.copy()

    def oracle_action(self) -> Any:
        """Return the next action of a shortest plan for the task; wait when it is done.

        Raises:
            NoRewardPossible: If the object to hold is not in this world.
            NoOracle: If there is no task, or no plan is known.
        """
        episode = self._rewarded()
        if episode.plan is None:
            search = Plan(episode.world)
            mission = mission_of(episode.task, episode.world, search.things)
            if mission is not None and is_hopeless(mission):
                raise NoRewardPossible(f"{self.name}: {episode.task.text!r} has nothing to pick up")
            is_mission = isinstance(episode.task.reward, Accomplished)
            done = done_in(getattr(episode.world, "instrs", None)) if is_mission else 0
            found = None if mission is None else search.solve(mission, done)
            if found is None:
                raise NoOracle(f"{self.name}: no plan for {episode.task.text!r} in this world")
            episode.plan = found
        return self._reply(episode.plan[0] if episode.plan else WAIT)

    def _picture(self, episode: Episode) -> Any:
        """Return the grid: an image (H, W, 3) with the agent's view highlighted, or characters."""
        if self.render_mode == "ansi":
            return episode.world.pprint_grid()
        return episode.world.get_full_render(True, TILE)

    def _begin(self, rng: np.random.Generator, level: Any) -> Episode:
        world = copy.deepcopy(self._pristine)
        self._draw(world, rng, level)
        return Episode.begin(world, self.horizon)

    def _observe(self, before: str = "", after: str = "") -> Any:
        episode: Episode = self._episode
        if self.view == "numeric":
            return episode.state.copy()
        if self.view == "partial":
            return episode.partial_view()
        return f"{before}{episode.words()}{after}"

    def _info(self) -> dict[str, Any]:
        episode: Episode = self._episode
        info = super()._info() | {"mission": episode.world.mission}
        if episode.task is not None and _is_named(episode.task) and episode.turn > 0:
            info["success"] = episode.success
        return info

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        """Return the task of standing on a cell (x, y) inside the outer walls."""
        width, height = self._pristine.width, self._pristine.height
        cell = goal.tolist() if goal.shape == (2,) else [0.5, 0.5]
        inside = 0 < cell[0] < width - 1 and 0 < cell[1] < height - 1
        if not inside or any(n != int(n) for n in cell):
            raise ValueError(
                f"{self.name}: goal must be a cell (x, y) from (1, 1) to "
                f"({width - 2}, {height - 2}), got {str(goal.tolist())[:60]}"
            )
        return stand_task(self.measures, int(cell[0]), int(cell[1]))

    def _transitions(self) -> Batch:
        """Return each action once, from the start of one world."""
        start = self._begin(np.random.default_rng(0), None)
        actions = np.arange(len(ACTION_NAMES))
        episodes = [copy.deepcopy(start) for _ in actions]
        for action, episode in enumerate(episodes):
            episode.advance(action)
        after = np.stack([episode.state for episode in episodes])
        return np.stack([start.state] * len(actions)), actions, after


def _is_named(task: Task) -> bool:
    return isinstance(task.reward, (Within, Accomplished))
