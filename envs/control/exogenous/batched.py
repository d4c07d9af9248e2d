"""Many copies of a watched world, stepped together, in NumPy or in torch on any device.

All copies have one context and one task, and all episodes are equally long, so that one counter
serves all. A copy does what a single world does that draws the same numbers. Left out: a context
for each row, the oracle.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from zerogym.envs.control.core.arrays import Array, Library, check_batch
from zerogym.envs.control.core.tasks import Task
from zerogym.errors import require

_OF_TORCH = "a batched world of torch tensors"


class ExogenousBatch(ABC):
    """`n` copies of a world; made by `env.unwrapped.batched(n)`.

    Args:
        n: How many.
        actions: How many there are to choose from.
        task: What pays; None pays 0.
        horizon: Steps after which the episodes of all rows are over.
        library: Whose arrays are returned and taken.
        device: Where torch's tensors are; None is torch's default.

    Attributes:
        observations: (n, k) float32.
        turn: Steps made.
    """

    def __init__(
        self,
        n: int,
        actions: int,
        task: Task | None,
        horizon: int,
        library: Library = "numpy",
        device: str | None = None,
    ) -> None:
        check_batch(n, library, device)
        self.n, self.task, self.horizon, self._actions = n, task, horizon, actions
        self._xp: Any = np
        self._torch: Any = None
        self._device = {} if device is None else {"device": device}
        if library == "torch":
            self._torch = require("torch", "control", _OF_TORCH)
            self._xp = require("array_api_compat.torch", "control", _OF_TORCH)
        self.turn = horizon  # no episode runs before `reset`

    def reset(self, seed: int | None = None) -> Array:
        """Start all episodes anew; observations (n, k).

        Args:
            seed: Of all chance from here on; None draws one.
        """
        if self._torch is None:
            self._rng: Any = np.random.default_rng(seed)
        else:
            self._rng = self._torch.Generator(**self._device)
            self._rng.seed() if seed is None else self._rng.manual_seed(seed)
        self.turn = 0
        self.observations = self._begin()
        return self._copied()

    def step(self, actions: Array) -> tuple[Array, Array, bool]:
        """One action in each world.

        Args:
            actions: Integers (n,), of this batch's library.

        Returns:
            Observations (n, k), rewards (n,), and whether the episodes are over; new arrays.

        Raises:
            ValueError: If there are not n actions.
            RuntimeError: If the episodes are over, or none has begun.
        """
        if self.turn >= self.horizon:
            raise RuntimeError("the episodes are over: call reset()")
        made = self._checked(actions)
        before = self.observations
        self.observations = self._advance(made)
        self.turn += 1
        if self.task is None:
            paid = self._array(np.zeros(self.n))
        else:
            paid = self.task.relabel(before, made, self.observations)
        return self._copied(), paid, self.turn >= self.horizon

    @abstractmethod
    def _begin(self) -> Array:
        """Draw the first states; observations (n, k)."""

    @abstractmethod
    def _advance(self, actions: Array) -> Array:
        """Draw what comes; observations (n, k)."""

    def _copied(self) -> Array:
        """What is seen, to be kept and changed by whoever asked: the next step builds on it."""
        return self.observations.copy() if self._xp is np else self.observations.clone()

    def _uniform(self, count: int) -> Array:
        """(n, count) numbers in [0, 1)."""
        if self._torch is None:
            return self._rng.random((self.n, count))
        kind = {"dtype": self._torch.float64, **self._device}
        return self._torch.rand((self.n, count), generator=self._rng, **kind)

    def _array(self, values: Any) -> Array:
        return self._xp.asarray(values, **self._device)

    def _float32(self, values: Array) -> Array:
        return self._xp.asarray(values, dtype=self._xp.float32)

    def _checked(self, given: Array) -> Array:
        found = self._array(given)
        whole = "int" in str(found.dtype)
        fits = tuple(found.shape) == (self.n,) and whole
        if not fits or bool(((found < 0) | (found >= self._actions)).any()):
            raise ValueError(
                f"actions must be {self.n} integers from 0 to {self._actions - 1}, "
                f"got {str(given)[:60]}"
            )
        return found
