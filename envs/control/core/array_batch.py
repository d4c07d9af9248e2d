"""The base of batched environments, whose arrays are NumPy's or torch's on any device."""

from typing import Any

import numpy as np

from zerogym.envs.control.core.arrays import Array, Library, check_batch
from zerogym.envs.control.core.tasks import Task
from zerogym.errors import require

_OF_TORCH = "a batch of torch tensors"


class ArrayBatch:
    """`n` copies of an environment with one task.

    Args:
        n: Number of copies.
        task: The task; None gives reward 0.
        horizon: Steps after which an episode is truncated.
        library: Array library of actions and results.
        device: Device of torch's tensors; None is torch's default.
    """

    def __init__(
        self,
        n: int,
        task: Task | None,
        horizon: int,
        library: Library = "numpy",
        device: str | None = None,
    ) -> None:
        check_batch(n, library, device)
        self.n, self.task, self.horizon = n, task, horizon
        self._device = {} if device is None else {"device": device}
        self._xp: Any = np
        self._torch: Any = None
        if library == "torch":
            self._torch = require("torch", "control", _OF_TORCH)
            self._xp = require("array_api_compat.torch", "control", _OF_TORCH)

    def _array(self, values: Any) -> Array:
        return self._xp.asarray(values, **self._device)

    def _rewards(self, before: Array, actions: Array, after: Array) -> Array:
        """Return the rewards (n,) of one step."""
        if self.task is None:
            return self._array(np.zeros(self.n))
        return self.task.relabel(before, actions, after)
