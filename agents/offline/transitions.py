"""Stored transitions with the rewards of a task, as tensors."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from zerogym.agents.datasets.dataset import Dataset
from zerogym.envs.control.core.tasks import Task

Ends = Callable[[Any, Any, Any], Any]


class Transitions(NamedTuple):
    """n transitions.

    Attributes:
        observations: (n, k) float32.
        actions: (n,) int64 for discrete actions, (n, m) float32 in [-1, 1] for continuous ones.
        rewards: (n,) float32.
        next_observations: (n, k) float32.
        goes_on: (n,) float32, 0 where nothing follows the step, else 1.
        ends: (n,) int64, the row of the last step of the trajectory, whose steps stand in order;
            None if trajectories are unknown.
        costs: (n,) float32, of the step beside its reward; None if there are none.
    """

    observations: Tensor
    actions: Tensor
    rewards: Tensor
    next_observations: Tensor
    goes_on: Tensor
    ends: Tensor | None = None
    costs: Tensor | None = None

    @property
    def discrete(self) -> bool:
        """True if actions are numbered."""
        return not self.actions.is_floating_point()

    def rows(self, index: Tensor) -> "Transitions":
        """Return the transitions at these places, which are no trajectories any more."""
        return Transitions(*(column[index] for column in self[:5]))


def relabelled(
    dataset: Dataset, task: Task | Any, ends: Ends | None = None, costs: Ends | None = None
) -> Transitions:
    """Return a dataset with the rewards of a task, and where its episodes end.

    Args:
        dataset: Transitions without rewards, vectors or whole numbers as observations.
        task: A task of the environment, or a function `reward(obs, action, next_obs) -> (N,)` of
            the environment's own observations.
        ends: A function of the same that is True where the task is over, beside the steps at which
            the episode ended in the data.
        costs: A function of the same that gives what each step costs; None: the costs of the
            dataset, which are `info["cost"]`, if it has any.

    Raises:
        TypeError: If `task` is neither.
        ValueError: If observations are pictures, or a reward or cost is not a finite number for
            each transition, or an end not a bool for each.
    """
    if dataset.observations.ndim != 2:
        raise ValueError(
            "offline agents observe vectors (N, k), the data have observations of shape "
            f"{dataset.observations.shape}"
        )
    if not isinstance(task, Task):
        if not callable(task):
            raise TypeError(f"task must be a Task or a reward function, got {task!r:.80}")
        task = Task("given", "", task)
    rewards = dataset.rewards(task)  # (N,)
    spent = dataset.costs if costs is None else dataset.rewards(Task("costs", "", costs))
    over = np.zeros(len(dataset), dtype=bool)
    if dataset.terminated is not None:
        over |= dataset.terminated
    if ends is not None:
        own = dataset.own_observations
        found = np.asarray(
            ends(dataset.observations if own is None else own, dataset.actions, dataset.entered)
        )
        if found.shape != over.shape or found.dtype != bool:
            raise ValueError(
                f"ends must be {len(over)} bools, got {found.dtype} of shape {found.shape}"
            )
        over |= found
    # What comes after the end of a task is a trajectory of its own.
    stops = np.flatnonzero((dataset.ends() == np.arange(len(over))) | over)
    last = stops[np.searchsorted(stops, np.arange(len(over)))]
    kind = torch.int64 if dataset.actions.dtype.kind in "iu" else torch.float32
    return Transitions(
        torch.as_tensor(dataset.observations, dtype=torch.float32),
        torch.as_tensor(dataset.actions, dtype=kind),
        torch.as_tensor(rewards, dtype=torch.float32),
        torch.as_tensor(dataset.next_observations, dtype=torch.float32),
        torch.as_tensor(~over, dtype=torch.float32),
        torch.as_tensor(last, dtype=torch.int64),
        None if spent is None else torch.as_tensor(spent, dtype=torch.float32),
    )
