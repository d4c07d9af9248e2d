"""Mazes whose level is a vector, for unsupervised environment design.

Levels, their changes and their complexity are in `maze_levels.py`.
"""

from typing import Any

import numpy as np

from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.minigrid.base import BaseMiniGridEnv, View
from zerogym.envs.control.minigrid.episode import package
from zerogym.envs.control.minigrid.maze_levels import (
    MAX_SIZE,
    MIN_SIZE,
    MazeLevel,
    level_of,
    random_level,
)
from zerogym.errors import require


class MiniGridMazeEnv(BaseMiniGridEnv):
    """A maze with a goal, drawn anew in each episode or given as a vector.

    Description:
        An agent turns and walks in a square with walls and one goal square. Each episode draws a
        solvable maze, or plays the one in `reset(options={"level": vector})`: start, direction,
        goal, then each cell's wall. `zerogym.envs.control.minigrid.maze_levels` draws, changes and
        measures such levels, for prioritised replay, evolution, or a generative model of levels.

    Observation:
        As of `zerogym/MiniGrid-v0`: the whole state, the 7x7 view, or text.

    Action:
        As of `zerogym/MiniGrid-v0`: 0 turn left, 1 turn right, 2 go forward; 3 to 6 do nothing
        here. `view="text"`: a reply that names an action.

    Reward:
        That of the task for the transition. `mission`: 1 - 0.9 t / horizon on reaching the goal
        after t steps; `reach_goal`: 1 for each step that ends on it. `task=None`: 0.

    Episode end:
        Terminated when the mission is the task and the goal reached. Else truncated after `horizon`
        steps. `info["success"]` (named tasks): the task has been done.

    Difficulty:
        The level: `MazeLevel.path_length` and `num_walls`.

    Arguments:
        size: Cells along a side, without the outer walls.
        walls: Number of wall cells of a drawn maze.
        task: None; `mission`; `reach_goal`; a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` or `reward(features, action) -> (B,)` of whole
            states; or a cell (x, y) to stand on.

        `reset(options=...)` may pin `level` and `task` for one episode.
        `info["level"]` (at reset): the vector of the maze.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/MiniGridMaze-v0", size=3, walls=0, task="mission", view="text")
        >>> maze = [0, 1, 8, 0, 1, 0, 0, 1, 0, 0, 0, 0]
        >>> print(env.reset(options={"level": maze})[0].split(". ")[0])
        Get to the green goal square.
        You see a green goal 2 steps left and 2 steps forward

    Source:
        Levels as in "Emergent Complexity and Zero-shot Transfer via Unsupervised Environment
        Design" (2020, arXiv 2012.02096); physics and pictures by "Minigrid & Miniworld" (2023,
        arXiv 2306.13831).
    """

    library = "minigrid"

    def __init__(
        self,
        size: int = 7,
        walls: int = 14,
        task: Any = DEFAULT,
        view: View = "numeric",
        horizon: int = 150,
        render_mode: str | None = None,
    ) -> None:
        for name, value, low, high in (
            ("size", size, MIN_SIZE, MAX_SIZE), ("walls", walls, 0, MAX_SIZE**2),
        ):  # fmt: skip
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ValueError(f"{name} must be an integer from {low} to {high}, got {value!r}")
        self.size, self.walls = size, walls
        random_level(np.random.default_rng(0), size, walls)  # refuses what cannot be drawn
        pristine = package(
            "MiniGrid-Empty-5x5-v0", "zerogym/MiniGridMaze-v0", size=size + 2, max_steps=10**9
        )
        super().__init__(pristine, ("goal",), task, view, horizon, render_mode)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin in a drawn maze, or the one in the options; its vector is `info["level"]`."""
        obs, info = super().reset(seed=seed, options=options)
        return obs, info | {"level": self.level.vector()}

    @property
    def level(self) -> MazeLevel:
        """The maze of this episode, with the agent at its start."""
        level: MazeLevel = self._running().world.level
        return level

    def _draw(self, world: Any, rng: np.random.Generator, level: Any) -> None:
        drawn = random_level(rng, self.size, self.walls)  # always: pinning shifts no later draw
        if level is not None:
            drawn = level_of(level.vector() if isinstance(level, MazeLevel) else level)
            if drawn.size != self.size:
                raise ValueError(
                    f"{self.name}: level must be of size {self.size}, as the environment, "
                    f"got {drawn.size}"
                )
        world.reset(seed=0)  # draws nothing
        world.mission, world.level = "get to the green goal square", drawn
        things = require("minigrid.core.world_object", "control", self.name)
        for row in range(self.size):
            for column in range(self.size):
                wall = things.Wall() if drawn.walls[row, column] else None
                world.grid.set(1 + column, 1 + row, wall)
        row, column = divmod(drawn.goal, self.size)
        world.grid.set(1 + column, 1 + row, things.Goal())
        row, column = divmod(drawn.start, self.size)
        world.agent_pos, world.agent_dir = (1 + column, 1 + row), drawn.facing
