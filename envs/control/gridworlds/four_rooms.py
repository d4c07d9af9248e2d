"""Small grid worlds with walls, any reward, and exact solutions. The walls are MiniGrid's `Grid`.

Maps are in `tabular/layouts.py`, slips in `tabular/slippery.py`, rewards in `tasks.py`, episodes in
`tabular/base.py`, solutions in `tabular/dynamic_programming.py`. Left out: MiniGrid's agent-centred
view, keys and doors.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.gridworlds.grid import GridEnv
from zerogym.envs.control.gridworlds.tasks import grid_tasks
from zerogym.envs.control.tabular.base import TabularEpisode, View
from zerogym.envs.control.tabular.layouts import (
    ACTION_NAMES,
    STAY,
    find_layout,
    greedy_policy,
    state_text,
)
from zerogym.envs.control.tabular.render import Scene
from zerogym.envs.control.tabular.slippery import grid_world
from zerogym.errors import NoOracle


class FourRoomsEnv(GridEnv):
    """A grid of rooms, one mover, any reward.

    Description:
        The mover goes one cell a step and cannot pass walls. Layouts: `four_rooms` (9x9, 40 free
        cells), `u_map` (10x9, 45 free cells; going straight for the goal fails about half the
        time), `four_rooms_13` (13x13, 104 free cells) and `open_2` to `open_32` (that many cells
        a side, no inner walls). Where the floor is slippery, a step goes to one of the two sides
        of its direction with chance `slip`; staying never slips. Physics and reward are apart:
        `env.unwrapped.tasks` holds a hundred rewards by name, and any other can be given. The
        model is exact: `P` (S, A, S), `R` (S, A), and `next_state` (S, A) if nothing slips.

    Observation:
        `view="numeric"`: the cell as a one-hot float32 vector (S,). `view="text"`: at the start
        the task and the place in words, later only the place. Neither shows the map.

    Reward:
        That of the task for the transition; a goal task gives 1 for each step that ends on the goal
        and 0 else. `task=None` is reward-free: 0.
        Features, for a task such as `"row + column"`: `row`, `column`, `walls` (of four sides).

    Episode end:
        Truncated after `horizon` steps. Terminated only with `ends_at_goal`, when a goal task has
        reached its goal; else reaching it does not end the episode, so that returns of both views
        and of all tasks compare. `info["success"]` (goal tasks): the goal was reached.

    Difficulty:
        The layout, and `slip`.

    Arguments:
        layout: Name of the map.
        task: None; the name of a task; `random_goal` (each episode draws a goal); a
            `zerogym.envs.control.core.tasks.Task`; an expression of features and tasks; a function
            `reward(obs, action, next_obs) -> (B,)` of batches of one-hot observations (B, S) and
            actions (B,), or `reward(features, action) -> (B,)`; or a goal, as (row, column) or as
            an observation.
        slip: Probability that a step goes sideways, from 0 to 1, both sides alike.

        `reset(options=...)` may pin `start` (row, column) and `task` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/FourRooms-v0", task="goal_7_7", view="text")
        >>> print(env.reset(options={"start": (1, 1)})[0])
        Go to row 7, column 7 and stay there.
        You are at row 1, column 1. Open: right, down.
        Answer with one move: stay, up, right, down or left.
        >>> env.step("I go <answer>down</answer>")[0]
        'You are at row 2, column 1. Open: up, right, down.'

    Source:
        The four rooms of "Between MDPs and semi-MDPs" (1999, Artificial Intelligence 112), walls
        and pictures by "Minigrid & Miniworld" (2023, arXiv 2306.13831). Slips to the sides as in
        "Artificial Intelligence: A Modern Approach" (1995), which has 0.2. Maps, tasks and texts
        are ours.
    """

    def __init__(
        self,
        layout: str = "four_rooms",
        task: Any = DEFAULT,
        view: View = "numeric",
        ends_at_goal: bool = False,
        horizon: int = 50,
        render_mode: str | None = None,
        slip: float = 0.0,
    ) -> None:
        grid = find_layout(layout)
        mdp = grid_world(grid, slip)
        super().__init__(grid, mdp, slip, task, view, ends_at_goal, horizon, render_mode)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks of this map."""
        return grid_tasks(self.layout.name)

    def straight_line_action(self, rng: np.random.Generator) -> Any:
        """Return an action of `greedy_policy`, which ignores walls; needs a goal task."""
        episode: TabularEpisode = self._running()
        if episode.task is None or episode.task.goal is None:
            raise NoOracle(f"{self.name}: the straight line needs a goal task")
        policy = greedy_policy(self.layout, int(self.state_of(episode.task.goal)))
        return self._reply(int(rng.choice(len(ACTION_NAMES), p=policy[episode.state])))

    def _scene(self) -> Scene:
        episode: TabularEpisode = self._episode
        return self.layout.cells[episode.state], episode.rewards[:, STAY, 0]

    def _where(self, state: int) -> str:
        return state_text(self.layout, state)

    def _sentence(self, task: Task | None) -> str:
        slips = f"\nThe floor is slippery: {100 * self.slip:g}% of steps go to one side."
        return super()._sentence(task) + (slips if self.slip else "")
