"""Many copies of a watched world, stepped together, in NumPy or in torch on any device.

All copies have one context and one task, and all episodes are equally long, so that one counter
serves all. A copy equals a single environment that draws the same numbers. Left out: a context for
each row, the oracle.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from zerogym.envs.control.core.array_batch import ArrayBatch
from zerogym.envs.control.core.arrays import Array


class ExogenousBatch(ArrayBatch, ABC):
    """`n` copies of an environment; made by `env.unwrapped.batched(n)`.

    Args:
        n: Number of copies.
        actions: Number of actions.
        arguments: Of `ArrayBatch`.

    Attributes:
        observations: (n, k) float32.
        turn: Steps made.
    """

    def __init__(self, n: int, actions: int, **arguments: Any) -> None:
        super().__init__(n, **arguments)
        self._actions = actions
        self.turn = self.horizon  # no episode runs before `reset`

    def reset(self, seed: int | None = None) -> Array:
        """Start all episodes; return observations (n, k).

        Args:
            seed: Of the generator; None draws one.
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
        """Take one action in each copy.

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
        rewards = self._rewards(before, made, self.observations)
        return self._copied(), rewards, self.turn >= self.horizon

    @abstractmethod
    def _begin(self) -> Array:
        """Draw the first states; return observations (n, k)."""

    @abstractmethod
    def _advance(self, actions: Array) -> Array:
        """Draw the next states; return observations (n, k)."""

    def _copied(self) -> Array:
        """Copy the observations: the next step builds on them, and callers may change theirs."""
        return self.observations.copy() if self._xp is np else self.observations.clone()

    def _uniform(self, count: int) -> Array:
        """Draw (n, count) numbers in [0, 1)."""
        if self._torch is None:
            return self._rng.random((self.n, count))
        kind = {"dtype": self._torch.float64, **self._device}
        return self._torch.rand((self.n, count), generator=self._rng, **kind)

    def _joined(self, parts: list[Array]) -> Array:
        xp = self._xp
        return xp.concatenate(parts, axis=1) if xp is np else xp.concat(parts, axis=1)

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
