"""Cheap draws from a numpy generator: a scalar `Generator.integers` costs ten times as much."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def draw_int(rng: np.random.Generator, low: int, high: int) -> int:
    """A uniform integer from `low` to `high`, both included; the range is below 2**40."""
    return low + int(rng.random() * (high - low + 1))


def draw_ints(rng: np.random.Generator, low: int, high: int, count: int) -> list[int]:
    """Return the same as `count` calls of `draw_int`, at a fraction of the cost from three on.

    Example:
        >>> draw_ints(np.random.default_rng(0), 1, 6, 5)
        [4, 2, 1, 1, 5]
    """
    width = high - low + 1
    return [low + int(part * width) for part in rng.random(count).tolist()]


def pick(rng: np.random.Generator, items: Sequence[T]) -> T:
    """A uniform item of a sequence that is not empty."""
    return items[int(rng.random() * len(items))]


def picks(rng: np.random.Generator, items: Sequence[T], count: int) -> list[T]:
    """Return the same as `count` calls of `pick`, at a fraction of the cost from three on."""
    size = len(items)
    return [items[int(part * size)] for part in rng.random(count).tolist()]


def shuffled(rng: np.random.Generator, items: Sequence[T]) -> list[T]:
    """The items in random order."""
    found = list(items)
    rest = len(found)
    for part in rng.random(max(0, rest - 1)).tolist():
        other = int(part * rest)
        rest -= 1
        found[rest], found[other] = found[other], found[rest]
    return found


def sample_of(rng: np.random.Generator, items: Sequence[T], count: int) -> list[T]:
    """`count` different places of a sequence, in random order."""
    return shuffled(rng, items)[:count]


def round_randomly(rng: np.random.Generator, value: float) -> int:
    """`value` rounded down, or up with the chance of its fractional part: its mean is `value`.

    Takes one draw whatever the value is, so that difficulty does not shift later draws.
    """
    return int(value) + int(rng.random() < value % 1)
