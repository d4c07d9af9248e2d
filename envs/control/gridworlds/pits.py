"""A grid with pits: who enters one has lost the rest of the episode.

Left out: costs or penalties of a fall. A fall grants what the task's reward grants there, once, and
ends the episode, so that a task of rewards above 0 makes staying out of pits worth its while.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.gridworlds.grid import GridEnv
from zerogym.envs.control.gridworlds.tasks import FAMILY_SIZE, goal_task, smooth_task
from zerogym.envs.control.tabular.base import View
from zerogym.envs.control.tabular.layouts import ACTION_NAMES, STAY, Layout, cell_text
from zerogym.envs.control.tabular.mdp import TabularMDP
from zerogym.envs.control.tabular.render import Scene
from zerogym.envs.control.tabular.slippery import grid_world
from zerogym.errors import UnknownName

_SEED = 20_201
# `#` is a wall, `o` a pit.
_DRAWINGS = {
    "pits": """
###########
#         #
# oo   oo #
#      o  #
#   oo    #
#   oo    #
#  o      #
# oo   oo #
#         #
###########
""",
    "cliff": """
##############
#            #
#            #
#            #
# oooooooooo #
##############
""",
}
PIT_LAYOUTS = tuple(_DRAWINGS)


class PitsEnv(GridEnv):
    """A grid with pits that end an episode, and a slippery floor.

    Description:
        The mover goes one cell a step and cannot pass walls; a step goes to one of the two sides of
        its direction with chance `slip`, so that a path beside pits is short and dangerous. An
        episode begins on any cell that is no pit. Layouts: `pits` (9x8, 72 cells, 14 of them pits)
        and `cliff` (12x4, a row of ten pits between two corners). The model is exact: `P` (S, A,
        S) and `R` (S, A); pits are absorbing, with reward 0.

    Observation:
        `view="numeric"`: the cell as a one-hot float32 vector (S,), pits included. `view="text"`:
        at the start the task and the place in words, later only the place; pits beside the mover
        are named.

    Reward:
        That of the task for the transition; a goal task gives 1 for each step that ends on the goal
        and 0 else. `task=None` is reward-free: 0. `smooth_0` to `smooth_19`: a smooth field in [0,
        1]. Features, for a task such as `"row + column"`: `row`, `column`, `walls` (of four sides).

    Episode end:
        Terminated by entering a pit. Truncated after `horizon` steps. With `ends_at_goal`,
        terminated when a goal task has reached its goal, too. `info["success"]` (goal tasks): the
        goal was reached.

    Difficulty:
        `slip`, and the layout.

    Arguments:
        layout: `pits` or `cliff`.
        task: None; the name of a task; `random_goal` (each episode draws a goal); a
            `zerogym.envs.control.core.tasks.Task`; an expression of features and tasks; a function
            `reward(obs, action, next_obs) -> (B,)` of batches of one-hot observations (B, S) and
            actions (B,), or `reward(features, action) -> (B,)`; or a goal, as (row, column) or as
            an observation.
        slip: Probability that a step goes sideways, from 0 to 1, both sides alike.

        `reset(options=...)` may pin `start` (row, column) and `task` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Pits-v0", layout="cliff", slip=0.0, view="text")
        >>> print(env.reset(options={"start": (4, 1)})[0].splitlines()[1])
        You are at row 4, column 1. Open: up. Pits: right.
        >>> env.step("right")[1:4]
        (0.0, True, False)

    Source:
        `cliff` has the shape of the cliff in "Reinforcement Learning: An Introduction" (1998, 2018,
        example 6.6), whose fall costs 100 and leads back to the start; here it ends the episode.
        Slips to the sides as in "Artificial Intelligence: A Modern Approach" (1995). The other map,
        tasks and texts are ours.
    """

    def __init__(
        self,
        layout: str = "pits",
        task: Any = DEFAULT,
        view: View = "numeric",
        ends_at_goal: bool = False,
        horizon: int = 50,
        render_mode: str | None = None,
        slip: float = 0.2,
    ) -> None:
        if layout not in PIT_LAYOUTS:
            raise UnknownName("layout", layout, list(PIT_LAYOUTS))
        grid, self.pits = _layout(layout)
        mdp = _mdp(layout, grid_world(grid, slip))
        super().__init__(grid, mdp, slip, task, view, ends_at_goal, horizon, render_mode)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks: a goal for each cell that is no pit, and smooth fields."""
        return _tasks(self.layout.name)

    def _scene(self) -> Scene:
        """Pits are shown as penalties."""
        episode = self._episode
        shown = np.where(self._is_pit, -1.0, episode.rewards[:, STAY, 0])
        return self.layout.cells[episode.state], shown

    @property
    def _is_pit(self) -> NDArray[np.bool_]:
        return np.isin(np.arange(self.num_states), list(self.pits))

    def _where(self, state: int) -> str:
        place = cell_text(self.layout.cells[state])
        if state in self.pits:
            return f"You have fallen into the pit at {place}."
        ways = list(zip(ACTION_NAMES, self.layout.next_state[state].tolist(), strict=True))
        free = [name for name, to in ways if to != state and to not in self.pits]
        falls = [name for name, to in ways if to in self.pits]
        text = f"You are at {place}. Open: {', '.join(free) or 'nothing'}."
        return text + (f" Pits: {', '.join(falls)}." if falls else "")

    def _sentence(self, task: Task | None) -> str:
        slips = f" The floor is slippery: {100 * self.slip:g}% of steps go to one side."
        return f"{super()._sentence(task)} A pit ends the episode.{slips if self.slip else ''}"


@cache
def _layout(name: str) -> tuple[Layout, frozenset[int]]:
    """Return a layout with pits as free cells, and the states of its pits."""
    rows = tuple(_DRAWINGS[name].strip("\n").split("\n"))
    layout = Layout(name, tuple(row.replace("o", " ") for row in rows))
    pits = (state for state, (row, column) in enumerate(layout.cells) if rows[row][column] == "o")
    return layout, frozenset(pits)


def _mdp(name: str, floor: TabularMDP) -> TabularMDP:
    """Return the model of a floor whose pits are absorbing."""
    pits = sorted(_layout(name)[1])
    outcomes, chances = floor.outcomes.copy(), floor.chances.copy()
    outcomes[pits] = np.array(pits)[:, None, None]
    chances[pits] = np.eye(1, outcomes.shape[2])
    starts = tuple(state for state in floor.starts if state not in pits)
    return TabularMDP(outcomes, chances, floor.observations, starts, frozenset(pits))


@cache
def _tasks(name: str) -> Mapping[str, Task]:
    layout, pits = _layout(name)
    free = [state for state in range(len(layout.cells)) if state not in pits]
    rng = np.random.default_rng(_SEED)
    tasks = [goal_task(layout, state) for state in free]
    tasks += [smooth_task(layout, number, rng) for number in range(FAMILY_SIZE)]
    return MappingProxyType({task.name: task for task in tasks})
