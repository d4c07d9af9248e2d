"""Two vector environments, stepped side by side: equal to the last bit."""

from typing import Any

import numpy as np


def same(one: Any, other: Any) -> None:
    """Values and types, to the last bit."""
    if isinstance(one, dict):
        assert set(one) == set(other)
        one, other = [one[key] for key in sorted(one)], [other[key] for key in sorted(one)]
    if isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            same(mine, theirs)
        return
    assert one.dtype == other.dtype
    np.testing.assert_array_equal(one, other)


def walk(ours: Any, theirs: Any, steps: int, seed: int = 0) -> list[Any]:
    """The same actions in both, some beyond the limits; what each step returned."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(steps):
        actions = rng.uniform(-1.3, 1.3, ours.action_space.shape).astype(np.float32)
        found.append(ours.step(actions))
        same(found[-1], theirs.step(actions))
    return found
