"""The base of all grids with one mover: the layout, its measures, goals as places."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.gridworlds.tasks import goal_task
from zerogym.envs.control.tabular.base import RANDOM_GOAL, TabularEnv, View
from zerogym.envs.control.tabular.features import grid_measures
from zerogym.envs.control.tabular.layouts import Layout
from zerogym.envs.control.tabular.mdp import TabularMDP


class GridEnv(TabularEnv):
    """A world whose states are the free cells of a layout.

    Args:
        layout: Walls and free cells.
        mdp: The model; state i is cell i of the layout.
        slip: Probability that a step goes sideways, from 0 to 1.
        task: As for the world.
        view: `numeric` or `text`.
        ends_at_goal: Whether a goal task ends when its goal is reached.
        horizon: Most steps of an episode.
        render_mode: None or a mode of the metadata.
    """

    random_tasks = (RANDOM_GOAL,)

    def __init__(
        self,
        layout: Layout,
        mdp: TabularMDP,
        slip: float,
        task: Any,
        view: View,
        ends_at_goal: bool,
        horizon: int,
        render_mode: str | None,
    ) -> None:
        self.layout, self.slip = layout, slip
        super().__init__(mdp, task, view, ends_at_goal, horizon, render_mode)

    @property
    def default_task(self) -> str | None:
        """The last goal of the map, far down and to the right."""
        return [name for name, task in self.tasks.items() if task.goal is not None][-1]

    @property
    def measures(self) -> Measures:
        """Row and column of the mover, and the number of walls beside it."""
        return grid_measures(self.layout)

    def state_of(self, obs: NDArray[Any]) -> NDArray[Any]:
        """Return states of one-hot observations: (S,) to a number, (B, S) to (B,)."""
        return np.asarray(obs).argmax(axis=-1)

    def _map(self) -> Layout:
        return self.layout

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        """Return the task of a goal given as (row, column) or as a one-hot observation."""
        return goal_task(self.layout, self._goal_place(goal, self.num_states))
