"""Base class of environments of a point among walls: episodes, checks, and the oracle.

Motion is in `physics.py`, shortest paths in `shortest_paths.py`, vectorised copies in `batched.py`,
the text view in `text_view.py`. Left out: velocity and inertia (the position is the whole state),
contacts with a body.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, Library
from zerogym.envs.control.core.env import ControlEnv, ControlEpisode
from zerogym.envs.control.core.tasks import Batch, Task
from zerogym.envs.control.mazes import render as maze_render
from zerogym.envs.control.mazes.batched import BatchedMaze
from zerogym.envs.control.mazes.physics import Maze, is_free, move_one, steer
from zerogym.envs.control.mazes.shortest_paths import shortest_paths
from zerogym.envs.control.mazes.tasks import draw_free, goal_task

GRID_SIDE = 49  # points per axis of the grid on which the best place of a task is searched

Place = NDArray[np.float32]  # (2,)
COORDINATES: dict[str, Callable[[Array], Array]] = {
    "x": itemgetter((..., 0)),
    "y": itemgetter((..., 1)),
}


@dataclass(kw_only=True)
class Episode(ControlEpisode):
    """The state of an episode."""

    maze: Maze
    position: Place
    best: Place | None  # the place of the highest reward; None without a task


class MazeEnv(ControlEnv):
    """A point in a maze; subclasses choose the maze and the observation.

    Action:
        float32 (2,) in [-1, 1]: the distance along x and y, in units of 0.2; larger values are
        clipped. `view="text"`: a reply with the two numbers, such as 0.5 -1, in
        `<answer>...</answer>` or as its last line; any other counts as staying and sets
        `info["void_turn"]`.

    Arguments:
        maze: The maze of all episodes, unless a subclass changes it.
        horizon: Steps in an episode.
        render_mode: None, `ansi` or `rgb_array`.
    """

    def __init__(self, maze: Maze, task: Any, horizon: int, render_mode: str | None) -> None:
        self._maze = maze
        self.observation_space: spaces.Space[Any] = spaces.Box(
            maze.low, maze.high, (2,), np.float32
        )
        self.action_space: spaces.Space[Any] = spaces.Box(-1.0, 1.0, (2,), np.float32)
        super().__init__(task, horizon, render_mode)
        if isinstance(self._task, Task):
            self._check_goal(self._task, self._maze)

    @property
    def maze(self) -> Maze:
        """The maze of the episode, or that of the next one."""
        return self._maze if self._episode is None else self._episode.maze

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Put the point on a random free place; `options` may pin `start` and `task`."""
        options, task = self._seeded(seed, options)
        maze = self._maze_of(options)
        start = self._draw_start(maze)  # always drawn: pinning does not shift later draws
        if isinstance(task, str):
            start, goal = self._draw_pair(maze)
            task = self._task_of_goal(goal)
        if "start" in options:
            start = self._free_point(options["start"], "start", maze)
        if task is not None:
            self._check_goal(task, maze)
        self._episode = self._new_episode(task, maze, start)
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Move the point.

        Raises:
            ValueError: If the action is not two finite numbers.
        """
        given = self._check_action(action)
        episode: Episode = self._open_episode()
        before, task = self._state(), episode.task
        episode.position = move_one(episode.maze, episode.position, given)
        goal, on_goal = None if task is None else task.goal, False
        if goal is not None:  # `tasks.distance`, to the last digit, in Python's numbers
            (x, y), (to_x, to_y) = episode.position.tolist(), goal.tolist()
            away = math.sqrt((x - to_x) ** 2 + (y - to_y) ** 2)
            on_goal = away <= episode.maze.goal_radius
        terminated, truncated = self._count_step(on_goal)
        self._update_episode()
        reward = 0.0
        if task is not None:
            reward = float(task.relabel(before[None], given[None], self._state()[None])[0])
        return self._observation(), reward, terminated, truncated, self._info()

    def batched(self, n: int, library: Library = "numpy", device: str | None = None) -> BatchedMaze:
        """Return `n` points in this maze, with its task and horizon, stepped together.

        Args:
            n: Number of points.
            library: Array library, `numpy` or `torch`.
            device: Device of torch's tensors.
        """
        if isinstance(self._task, str):
            raise ValueError(f"{self.name}: {self._task!r} draws a task for each episode; name one")
        return BatchedMaze(self._maze, n, self._task, self.horizon, library, device)

    def oracle_action(self) -> Place:
        """Return the action along the shortest path to the place of the highest reward.

        For rewards without a goal the place is searched on a grid and rewards on the way are
        ignored, so the optimal policy may do a little better.
        """
        episode = self._rewarded()
        return self._guide(episode.maze, episode.position, episode.best)

    def straight_line_action(self, rng: np.random.Generator) -> Place:
        """Return the action of the baseline that ignores walls: straight to the oracle's place.

        `rng` is not used; grid worlds, which share this method, break ties with it.
        """
        episode = self._rewarded("the straight line")
        return steer(episode.maze, episode.position, episode.best)

    def _picture(self, episode: Any) -> Any:
        """Return the square from above: an image (240, 240, 3) or characters."""
        return self._drawn(self.maze, None if episode.task is None else episode.task.goal)

    def _drawn(self, maze: Maze, goal: Place | None) -> Any:
        draw = maze_render.ansi if self.render_mode == "ansi" else maze_render.rgb
        return draw(maze, self._episode.position, goal)

    def _maze_of(self, options: dict[str, Any]) -> Maze:
        """Return the maze of an episode with these options of `reset`."""
        return self._maze

    def _observation(self) -> Any:
        """Return the observation of the present state."""
        return self._state().copy()

    def _state(self) -> NDArray[np.float32]:
        """Return the state that rewards are functions of."""
        position: Place = self._episode.position
        return position

    def _draw_start(self, maze: Maze) -> Place:
        return draw_free(self.np_random, maze)

    def _new_episode(self, task: Task | None, maze: Maze, start: Place) -> Episode:
        best = None if task is None else task.goal if task.goal is not None else best_of(maze, task)
        return Episode(task=task, maze=maze, position=start, best=best)

    def _update_episode(self) -> None:
        """Update further parts of the state after a step."""

    def _guide(self, maze: Maze, position: Place, goal: Place) -> Place:
        """Return the oracle's action: along the shortest path."""
        return shortest_paths(maze).action(position, goal)

    def _draw_pair(self, maze: Maze) -> tuple[Place, Place]:
        """Draw start and goal of an episode of one of `random_tasks`."""
        return draw_free(self.np_random, maze), draw_free(self.np_random, maze)

    def _check_action(self, action: Any) -> Place:
        try:
            given = np.asarray(action, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            given = np.empty(0)
        if given.shape != (2,) or not np.isfinite(given).all():
            raise ValueError(
                f"{self.name}: action must be two finite numbers in [-1, 1], got {str(action)[:60]}"
            )
        return np.clip(given, -1.0, 1.0).astype(np.float32)

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        open_square = replace(self._maze, walls=())  # walls may differ between episodes
        return goal_task(
            self._free_point(goal, "goal", open_square), radius=open_square.goal_radius
        )

    def _check_goal(self, task: Task, maze: Maze) -> None:
        if task.goal is not None:
            self._free_point(task.goal, "goal", maze)

    def _free_point(self, point: Any, what: str, maze: Maze) -> Place:
        try:
            with np.errstate(over="ignore"):  # numbers beyond float32 are not in the square
                place = np.asarray(point, dtype=np.float32)
        except (TypeError, ValueError, OverflowError):
            place = np.empty(0, dtype=np.float32)
        if place.shape != (2,) or not is_free(maze, place[None])[0]:
            square = f"[{maze.low:g}, {maze.high:g}]"
            raise ValueError(
                f"{self.name}: {what} must be a point (x, y) in {square} x {square} and in no "
                f"wall, got {str(point)[:60]}"
            )
        return place

    def _transitions(self) -> Batch:
        places = grid_points(self._maze)
        return places, np.zeros_like(places), places


@lru_cache(maxsize=64)
def grid_points(maze: Maze) -> NDArray[np.float32]:
    """Return the free points of a regular grid; (B, 2)."""
    axis = np.linspace(maze.low, maze.high, GRID_SIDE, dtype=np.float32)
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    return points[is_free(maze, points)]


def best_of(maze: Maze, task: Task) -> Place:
    """Return the grid point with the highest reward for staying; (2,)."""
    places = grid_points(maze)
    rewards = task.relabel(places, np.zeros_like(places), places)
    best: Place = places[int(rewards.argmax())]
    return best
