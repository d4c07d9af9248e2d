"""Policies (S, A) of a data set and of the world's model, without any network."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.dataset import Dataset
from zerogym.benchmarks.studies.zero_shot.coverage import actions_in_data
from zerogym.benchmarks.studies.zero_shot.rivals import best_of_data, optimal, planned_on_counts
from zerogym.benchmarks.zero_shot.suite import GAMMA, ORACLE
from zerogym.envs.control.core.tasks import Task

Floats = NDArray[np.float64]

RANDOM, FREQUENCIES, FREQUENT = "random", "policy of the data", "most frequent action"
COUNTS, INSIDE = "plan on counts", "best in the data"
RIVALS = (RANDOM, FREQUENCIES, FREQUENT, COUNTS, INSIDE, ORACLE)


def policies_of(world: Any, task: Task, data: Dataset) -> dict[str, Floats]:
    """Return the policy (S, A) of each of `RIVALS`.

    Args:
        world: A tabular environment.
        task: One of its tasks.
        data: Its transitions.
    """
    counts = action_counts(world, data)
    visits = counts.sum(axis=1, keepdims=True)
    likeliest = counts == counts.max(axis=1, keepdims=True)  # all of them where there are no data
    shown = actions_in_data(world, data)
    return {
        RANDOM: np.full(counts.shape, 1 / counts.shape[1]),
        FREQUENCIES: np.where(visits > 0, counts / np.maximum(visits, 1), 1 / counts.shape[1]),
        FREQUENT: likeliest / likeliest.sum(axis=1, keepdims=True),
        COUNTS: planned_on_counts(world, task, data, GAMMA),
        INSIDE: best_of_data(world, task, shown, GAMMA),
        ORACLE: optimal(world, task, GAMMA),
    }


def action_counts(world: Any, data: Dataset) -> Floats:
    """Return how often the data have each action in each state, (S, A)."""
    counts = np.zeros(world.mdp.outcomes.shape[:2])
    np.add.at(counts, (world.state_of(data.observations), data.actions), 1.0)
    return counts
