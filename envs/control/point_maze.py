"""A point in a square with two walls: continuous control where the straight line fails.

Motion in `maze_physics.py`, rewards in `maze_tasks.py`. Left out: velocity and inertia (the
position is the whole state), contacts with a body, a text view.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control import maze_render
from zerogym.envs.control.core import ControlEnv, ControlEpisode
from zerogym.envs.control.maze_physics import SIZE, is_free, move, steer, waypoint
from zerogym.envs.control.maze_tasks import GOAL_RADIUS, distance, draw_free, goal_task, maze_tasks
from zerogym.envs.control.tasks import Batch, Task
from zerogym.errors import NoTruth

_LOOKOUTS = 49  # per axis, of the grid on which the best-paid place of a task is sought


@dataclass(kw_only=True)
class Episode(ControlEpisode):
    """What changes during an episode."""

    position: NDArray[np.float32]  # (2,)
    best: NDArray[np.float32] | None  # (2,) the place to be; None without a task


class PointMazeEnv(ControlEnv):
    """A point in a maze, any reward.

    Description:
        The point moves in a square of side 3 with two walls, open at opposite ends, so that three
        corridors make one S-shaped way. It slides along walls and never passes them. Physics and
        reward are apart: `env.unwrapped.tasks` holds the named rewards, any other can be given.

    Observation:
        The position (x, y), float32 (2,), in [0, 3].

    Action:
        float32 (2,) in [-1, 1]: how far to go along x and y, in units of 0.2; larger values are
        clipped.

    Reward:
        That of the task, in [0, 1] for goals: 1 within 0.2 of the goal, 0.1 at 0.4, nearly 0
        farther on. `peak_*` tasks pay between -0.5 and 1. `task=None` is reward-free: 0.

    Episode end:
        Truncated after `horizon` steps, never terminated: reaching a goal goes on paying.
        `info["success"]` (goal tasks): the point has been within 0.2 of the goal.

    Difficulty:
        One maze. The straight line reaches the goal from less than half of all starts.

    Arguments:
        task: None; the name of a task; a `zerogym.envs.control.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` of batches (B, 2); or a goal (x, y).
        horizon: Steps in an episode.
        render_mode: None, `ansi` or `rgb_array`.

        `reset(options=...)` may pin `start` (x, y) and `task` for one episode; else the start is
        drawn evenly from the free part of the square.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/PointMaze-v0", task="goal_right_top")
        >>> obs, info = env.reset(seed=0, options={"start": (0.5, 0.5)})
        >>> obs, reward, terminated, truncated, info = env.step([1.0, 0.5])
        >>> print(obs, round(reward, 3), info["success"])
        [0.7 0.6] 0.0 False

    Source:
        Ours; the mazes of "D4RL" (2020, arXiv 2004.07219) gave the idea.
    """

    def __init__(self, task: Any = None, horizon: int = 80, render_mode: str | None = None) -> None:
        super().__init__(task, horizon, render_mode)
        self.observation_space = spaces.Box(0.0, SIZE, (2,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks."""
        return maze_tasks()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Put the point on a random free place; `options` may pin `start` and `task`."""
        super().reset(seed=seed)
        options = options or {}
        task = self._pinned_task(options)
        assert not isinstance(task, str)  # this world has no `random_tasks`
        start = draw_free(self.np_random)  # always drawn: pinning does not shift later draws
        if "start" in options:
            start = self._free_point(options["start"], "start")
        best = None if task is None else task.goal if task.goal is not None else _best_place(task)
        self._episode = Episode(task=task, position=start, best=best)
        return start.copy(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Move the point.

        Raises:
            ValueError: If the action is not two finite numbers.
        """
        given = self._check_action(action)
        episode: Episode = self._open_episode()
        before, task = episode.position, episode.task
        after = move(before[None], given[None])[0]
        episode.position = after
        reward = 0.0
        if task is not None:
            reward = float(task.relabel(before[None], given[None], after[None])[0])
        goal = None if task is None else task.goal
        on_goal = goal is not None and bool(distance(after, goal) <= GOAL_RADIUS)
        terminated, truncated = self._count_step(on_goal)
        return after.copy(), reward, terminated, truncated, self._info()

    def oracle_action(self) -> NDArray[np.float32]:
        """Round the walls to the place that pays most, and stay: a script.

        For goals it takes at most five steps more than the shortest way, which takes up to 36.
        For other rewards the place is sought on a grid and the way there is not weighed, so a
        clever agent may do a little better.
        """
        episode = self._tasked("an oracle")
        return steer(episode.position, waypoint(episode.position, episode.best))

    def straight_line_action(self, rng: np.random.Generator) -> NDArray[np.float32]:
        """The baseline that ignores walls: straight to where the oracle goes.

        `rng` is not used; grid worlds, which share this method, break ties with it.
        """
        episode = self._tasked("the straight line")
        return steer(episode.position, episode.best)

    def render(self) -> Any:
        """The square from above: an image (240, 240, 3) or characters."""
        if self.render_mode is None or self._episode is None:
            return None
        draw = maze_render.ansi if self.render_mode == "ansi" else maze_render.rgb
        task = self._episode.task
        return draw(self._episode.position, None if task is None else task.goal)

    def _tasked(self, who: str) -> Any:
        episode: Episode = self._running()
        if episode.best is None:
            raise NoTruth(f"{self.name} is reward-free: {who} needs a task")
        return episode

    def _check_action(self, action: Any) -> NDArray[np.float32]:
        try:
            given = np.asarray(action, dtype=np.float32)
        except (TypeError, ValueError):
            given = np.full(0, np.nan, dtype=np.float32)
        if given.shape != (2,) or not np.isfinite(given).all():
            raise ValueError(
                f"{self.name}: action must be two finite numbers in [-1, 1], got {str(action)[:60]}"
            )
        return np.clip(given, -1.0, 1.0)

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        return goal_task(self._free_point(goal, "goal"))

    def _free_point(self, point: Any, what: str) -> NDArray[np.float32]:
        try:
            place = np.asarray(point, dtype=np.float32)
        except (TypeError, ValueError):
            place = np.empty(0, dtype=np.float32)
        if place.shape != (2,) or not is_free(place[None])[0]:
            raise ValueError(
                f"{self.name}: {what} must be a point (x, y) in [0, {SIZE:g}] x [0, {SIZE:g}] and "
                f"in no wall, got {str(point)[:60]}"
            )
        return place

    def _transitions(self) -> Batch:
        places = _lookouts()
        return places, np.zeros_like(places), places


@cache
def _lookouts() -> NDArray[np.float32]:
    """Free points of a regular grid; (B, 2)."""
    axis = np.linspace(0.0, SIZE, _LOOKOUTS, dtype=np.float32)
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    return points[is_free(points)]


def _best_place(task: Task) -> NDArray[np.float32]:
    """The grid point where staying pays most; (2,)."""
    places = _lookouts()
    pays = task.relabel(places, np.zeros_like(places), places)
    best: NDArray[np.float32] = places[int(pays.argmax())]
    return best
