"""A point in a maze: continuous control where the straight line fails.

What it shares with other worlds of a point among walls is in `base.py`, the layouts are in
`layouts.py`, rewards in `tasks.py`.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.discrete_actions import check_view
from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.mazes.base import COORDINATES, Place
from zerogym.envs.control.mazes.layouts import LAYOUTS
from zerogym.envs.control.mazes.physics import Floats, Maze, steer
from zerogym.envs.control.mazes.shortest_paths import CLEARANCE
from zerogym.envs.control.mazes.tasks import maze_tasks
from zerogym.envs.control.mazes.text_view import TextMazeEnv
from zerogym.errors import UnknownName

View = Literal["numeric", "text"]


class PointMazeEnv(TextMazeEnv):
    """A point in a maze, any reward.

    Description:
        The point moves in a square with walls. It slides along walls and never passes them.
        Layouts: `s` (side 3; two walls open at opposite ends make one S-shaped path), `u` (4.5; one
        wall), `spiral` (4.5), `medium` (4.5) and `large` (6.5), which has loops. Physics and reward
        are apart: `env.unwrapped.tasks` holds the named rewards, any other can be given.
        `env.unwrapped.batched(n)` steps n points at once.

    Observation:
        `view="numeric"`: the position (x, y), float32 (2,), in [0, side]. `view="text"`: at the
        start the task, the place, the distances to the next wall or border in four directions, and
        the unit of a step; later place and distances only. The map is not shown.

    Reward:
        That of the task, in [0, 1] for goals: 1 within 0.2 of the goal, 0.1 at 0.4, nearly 0
        farther on. `peak_*` tasks give -0.5 to 1. `task=None` is reward-free: 0.
        Features for rewards of `(features, action)`: `x`, `y`, and `wall_distance` to the nearest
        wall or border.

    Episode end:
        Truncated after `horizon` steps, never terminated: rewards go on at the goal.
        `info["success"]` (goal tasks): the point has been within 0.2 of the goal.

    Difficulty:
        The layout. From at least 40% of pairs of start and goal the straight line fails, in `large`
        from three of four. The shortest path takes up to 40 steps in `s`, 100 in `large`.

    Arguments:
        layout: Name of the maze.
        task: None; the name of a task; a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` of batches (B, 2), or
            `reward(features, action) -> (B,)`; or a goal (x, y).
        horizon: Steps in an episode; None is the default of the layout: 80 for `s`, 100 for `u`,
            120 for `medium`, 200 for `spiral` and `large`.
        view: `numeric` or `text`, in which `info["position"]` has the numbers.

        `reset(options=...)` may pin `start` (x, y) and `task` for one episode; else the start is
        drawn uniformly from the free part of the square.

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

    def __init__(
        self,
        task: Any = DEFAULT,
        horizon: int | None = None,
        render_mode: str | None = None,
        layout: str = "s",
        view: View = "numeric",
    ) -> None:
        check_view(view, get_args(View))
        if layout not in tuple(LAYOUTS):
            raise UnknownName("layout", layout, list(LAYOUTS))
        self.layout = layout
        steps = LAYOUTS[layout].horizon if horizon is None else horizon
        super().__init__(view, LAYOUTS[layout].maze, task, steps, render_mode)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks of this layout."""
        return maze_tasks(self.layout)

    @property
    def default_task(self) -> str | None:
        """The last named goal of the layout."""
        return list(LAYOUTS[self.layout].goals)[-1]

    @property
    def measures(self) -> Measures:
        """`x`, `y` and `wall_distance` of positions (B, 2)."""
        return COORDINATES | {"wall_distance": partial(wall_distance, self._maze)}

    def _guide(self, maze: Maze, position: Place, goal: Place) -> Place:
        """Return the action along the shortest path; in `s` by a script, as published numbers are.

        The script takes at most five steps more than the shortest path, which takes up to 36.
        """
        if self.layout == "s":
            return steer(maze, position, s_waypoint(maze, position, goal))
        return super()._guide(maze, position, goal)


def wall_distance(maze: Maze, positions: Array) -> Array:
    """Return distances of free positions (B, 2) from the nearest wall or border; (B,)."""
    xp = namespace(positions)
    x, y = positions[:, 0], positions[:, 1]
    nearest = xp.minimum(
        xp.minimum(x - maze.low, maze.high - x), xp.minimum(y - maze.low, maze.high - y)
    )
    for x0, x1, y0, y1 in maze.walls:
        beside = xp.clip(xp.maximum(x0 - x, x - x1), 0.0, None)
        beyond = xp.clip(xp.maximum(y0 - y, y - y1), 0.0, None)
        nearest = xp.minimum(nearest, xp.sqrt(beside**2 + beyond**2))
    return nearest


def s_waypoint(maze: Maze, position: NDArray[Any], goal: NDArray[Any]) -> Floats:
    """Return the next waypoint round the walls of `s` to `goal`; all (2,).

    It is at the end of the next wall, and along x at the goal: a wall in between stops the point,
    which slides along it to its end.
    """
    x, y = float(position[0]), float(position[1])
    rightwards = float(goal[0]) > x
    for x0, x1, y0, y1 in maze.walls if rightwards else maze.walls[::-1]:
        near, far = (x0, x1) if rightwards else (x1, x0)
        passed = x >= far if rightwards else x <= far
        short = goal[0] <= near if rightwards else goal[0] >= near
        if passed or short:
            continue
        opens_above = y0 < 0
        beside = y >= y1 if opens_above else y <= y0
        if not (beside and x0 < goal[0] < x1):
            return np.array([goal[0], y1 + CLEARANCE if opens_above else y0 - CLEARANCE])
    return np.array(goal, dtype=np.float64)
