"""A dataset as tensors, encoded once; agents draw their batches from it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from zerogym.agents.datasets.dataset import Dataset

MOST_STATES = 4096  # of `exact`: beyond it, n x m matrices cost more than noise does


class Batch(NamedTuple):
    """n transitions, observations already encoded.

    Attributes:
        features: (n, k) of the observations.
        actions: (n,) or (n, m).
        next_features: (n, k).
        next_state: (n,) row of the next observation among the distinct ones; -1 if not `exact`.
        row: (n,) place in the data.
        first: (n,) place of the first transition of the same walk.
        last: (n,) place of the last transition that the same walk reached.
        goes_on: (n,) 0 where the step ended its episode, so that nothing follows it; else 1.
    """

    features: Tensor
    actions: Tensor
    next_features: Tensor
    next_state: Tensor
    row: Tensor
    first: Tensor
    last: Tensor
    goes_on: Tensor


class TensorDataset(NamedTuple):
    """A dataset as tensors; `states` and `frequency` are empty unless `exact`."""

    transitions: Batch
    states: Tensor  # (m, k) the distinct next observations, encoded
    frequency: Tensor  # (m,) how often each occurs in the data


def has_few_states(dataset: Dataset) -> bool:
    """Return whether `exact` can be set: at most `MOST_STATES` distinct observations."""
    return len(np.unique(dataset.next_observations, axis=0)) <= MOST_STATES


@torch.no_grad()
def to_tensors(
    dataset: Dataset,
    encode: Callable[[Tensor], Tensor],
    exact: bool,
    device: torch.device | str = "cpu",
) -> TensorDataset:
    """Encode a dataset once, as tensors on a device: the features are fixed.

    Raises:
        ValueError: If `exact` is set for more than `MOST_STATES` distinct observations.
    """
    following = torch.as_tensor(dataset.next_observations, device=device)  # (N, k)
    states, frequency = following[:0], following[:0, 0]
    index = torch.full((len(dataset),), -1, device=device)  # (N,)
    if exact:
        distinct, row, count = np.unique(
            dataset.next_observations, axis=0, return_inverse=True, return_counts=True
        )
        if len(distinct) > MOST_STATES:
            raise ValueError(
                f"exact=True needs a finite world of at most {MOST_STATES} states; the data "
                f"have {len(distinct)} distinct observations"
            )
        states = encode(torch.as_tensor(distinct, device=device))  # (m, k)
        frequency = torch.as_tensor(count / count.sum(), dtype=torch.float32, device=device)
        index = torch.as_tensor(row.reshape(-1), device=device)  # (N,)
    actions = torch.as_tensor(dataset.actions, device=device)
    here = encode(torch.as_tensor(dataset.observations, device=device))  # (N, k)
    rows = torch.arange(len(dataset), device=device)
    last = torch.as_tensor(dataset.ends(), device=device)
    first = torch.searchsorted(last, last)  # ends are those of the whole walk
    goes_on = torch.ones(len(dataset), device=device)
    if dataset.terminated is not None:
        goes_on -= torch.as_tensor(dataset.terminated, device=device).float()
    columns = Batch(here, actions, encode(following), index, rows, first, last, goes_on)
    return TensorDataset(columns, states, frequency)
