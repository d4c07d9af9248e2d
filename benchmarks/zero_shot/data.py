"""The data of the table: random walks, or those of an expert who knows a few goals.

An expert goes the shortest way from goal to goal and does nothing else, so that its data lack most
actions and, where ways leave them aside, states. Ours: the number of goals, and that nothing is
noisy.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.datasets.environments import make_env
from zerogym.benchmarks.studies.zero_shot.rivals import optimal
from zerogym.benchmarks.zero_shot.suite import (
    EXPERT_DATA,
    GAMMA,
    RANDOM_DATA,
    ZeroShotWorld,
    tasks_by_kind,
)
from zerogym.envs.control.core.tasks import Task

GOALS = 8  # of an expert


class ExpertWalks:
    """Optimal steps to one goal after another, all of them from a few of the world's.

    Args:
        world: A tabular environment that finds the states of observations, with goals as tasks.
        seed: Of the goals and of their order.
    """

    def __init__(self, world: Any, seed: int) -> None:
        self.world, self.rng = world, np.random.default_rng(seed)
        aims = [task for task in world.tasks.values() if task.goal is not None]
        goals = [aims[index] for index in self.rng.permutation(len(aims))[:GOALS]]
        self.states = world.state_of(np.array([task.goal for task in goals]))  # (GOALS,)
        self.steps = [optimal(world, task, GAMMA).argmax(axis=1) for task in goals]  # (S,) each

    def predict(
        self,
        observations: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[np.int64], int]:
        """Return the next step (1,) from an observation (1, k), and the number of the goal."""
        (here,) = self.world.state_of(np.asarray(observations))
        new = state is None or (episode_start is not None and episode_start[0])
        aim = None if new else int(state)
        if aim is None or self.states[aim] == here:
            aim = int(self.rng.choice(np.flatnonzero(self.states != here)))
        return self.steps[aim][[here]], aim


def data_of(world: ZeroShotWorld, seed: int) -> Dataset:
    """Return the transitions that every agent of this seed learns from.

    Raises:
        ValueError: If the data are of a sort that is unknown.
    """
    env = make_env(world.env, world.kwargs)
    try:
        if world.data == RANDOM_DATA:
            return collect(env, world.steps, seed=seed, hold=world.hold)
        if world.data != EXPERT_DATA:
            raise ValueError(f"data {world.data!r}: there are {RANDOM_DATA} and {EXPERT_DATA}")
        inner: Any = env.unwrapped
        return collect(env, world.steps, ExpertWalks(inner, seed), seed)
    finally:
        env.close()


def tasks_in(
    world: ZeroShotWorld, tasks: Mapping[str, Task], data: Dataset
) -> dict[str, list[Task]]:
    """Return the tasks of each kind whose reward is not constant on the data.

    Data of experts that miss a reward do not say where it is: no agent is scored on it.
    """
    kinds = tasks_by_kind(world, tasks)
    if world.data == RANDOM_DATA:
        return kinds
    shown = {kind: [task for task in own if _varies(task, data)] for kind, own in kinds.items()}
    return {kind: own for kind, own in shown.items() if own}


def _varies(task: Task, data: Dataset) -> bool:
    return bool(np.ptp(data.rewards(task)) > 0)
