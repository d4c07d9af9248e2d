"""Cheap draws from a NumPy generator: uniform numbers are taken in blocks.

A scalar draw of a NumPy generator costs about as much as a tool call of this world, and an episode
needs some hundreds.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")

_BLOCK = 256


class Draws:
    """Uniform choices, determined by the generator's state at construction.

    Args:
        rng: The generator; blocks of uniform numbers are drawn from it when they are needed.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._left: list[float] = []

    def chance(self) -> float:
        """Return a uniform number in [0, 1)."""
        if not self._left:
            self._left = self._rng.random(_BLOCK).tolist()
        return self._left.pop()

    def column(self, items: Sequence[T], count: int) -> list[T]:
        """Return `count` independent choices among the items."""
        size = len(items)
        return [items[int(u * size)] for u in self._rng.random(count).tolist()]

    def between(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`, both included."""
        return low + int(self.chance() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[int(self.chance() * len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """Return `count` different items in random order, or all if there are fewer."""
        left = list(items)
        chosen = []
        for _ in range(min(count, len(left))):
            place = int(self.chance() * len(left))
            chosen.append(left[place])
            left[place] = left[-1]
            left.pop()
        return chosen
