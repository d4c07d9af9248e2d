"""The replay buffer: all transitions collected so far, sampled by learners, cut into shards."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from zerogym.agents.datasets.shards import Columns


class ReplayBuffer:
    """Columns with room for every transition of a run.

    Args:
        capacity: Transitions.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity, self.size = capacity, 0
        self.columns: Columns = {}

    def __len__(self) -> int:
        return self.size

    def append(self, **row: Any) -> None:
        """Add a transition; every row has the same columns."""
        if not self.columns:
            self._make(row)
        for name, value in row.items():
            self.columns[name][self.size] = value
        self.size += 1

    def extend(self, rows: Columns) -> None:
        """Add many transitions, as read from a shard."""
        count = len(rows["starts"])
        if not self.columns:
            self._make({name: column[0] for name, column in rows.items()})
        for name, column in rows.items():
            self.columns[name][self.size : self.size + count] = column
        self.size += count

    def since(self, first: int) -> Columns:
        """Return the transitions from number `first` on."""
        return {name: column[first : self.size] for name, column in self.columns.items()}

    def sample(self, names: tuple[str, ...], count: int, rng: np.random.Generator) -> list[Tensor]:
        """Sample `count` transitions with replacement: one tensor for each name."""
        rows: NDArray[np.int64] = rng.integers(self.size, size=count)
        return [torch.from_numpy(self.columns[name][rows]) for name in names]

    def _make(self, row: dict[str, Any]) -> None:
        for name, value in row.items():
            one = np.asarray(value)
            self.columns[name] = np.zeros((self.capacity, *one.shape), one.dtype)
