"""max@k and pass@k: advantages whose objective is the best of k episodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt

import numpy as np

from zerogym.agents.llm.algorithms.advantage_tables import Advantage, advantage
from zerogym.agents.llm.algorithms.advantages.group_relative import GroupRelative
from zerogym.agents.llm.algorithms.batch import Batch, Floats, Weights, all_equal


@advantage("max_at_k")
@dataclass(frozen=True)
class MaxAtK(GroupRelative):
    """Maximise the expected best of k: `k (mean max of k with it - mean max of k without it)`.

    The first mean is over all sets of k episodes of the group that contain the episode, the second,
    a baseline that leaves the gradient unbiased, over those that do not; both in closed form by
    sorting. With k = 1 it is RLOO. Left out: the weights of the off-policy form.
    """

    source = (
        "The Best of N Worlds: Aligning Reinforcement Learning with Best-of-N Sampling via max@k "
        "Optimisation (2025, arXiv 2510.23393)"
    )

    k: int = 4  # episodes of which the best counts, below the group size

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k < 1:
            raise ValueError(f"k must be at least 1, got {self.k}")

    @property
    def minimum_group(self) -> int:  # type: ignore[override]
        """One more than k: the sets without an episode have k others."""
        return self.k + 1

    def of_group(self, returns: Sequence[float]) -> Floats:
        """Return the advantages (G,) of a group's returns (G,)."""
        values = np.asarray(returns, dtype=np.float64)  # (G,)
        if all_equal(values):
            return np.zeros_like(values)
        size, k = len(values), self.k
        order = np.argsort(values, kind="stable")
        ranked = values[order]  # ascending
        ranks = range(size)  # of each, the number of episodes below it
        # shares of the sets with an episode: it is the best, or one above it is
        best = np.array([comb(n, k - 1) / comb(size - 1, k - 1) for n in ranks])
        other = [comb(n - 1, k - 2) / comb(size - 1, k - 1) if n and k > 1 else 0 for n in ranks]
        # shares of the sets without an episode: one below it is the best, or one above it
        under = np.array([comb(n, k - 1) / comb(size - 1, k) for n in ranks])
        above = [comb(n - 1, k - 1) / comb(size - 1, k) if n else 0 for n in ranks]
        best_with = ranked * best + _sums_above(ranked * other)
        best_without = np.cumsum(ranked * under) - ranked * under + _sums_above(ranked * above)
        advantages = np.empty(size)
        advantages[order] = k * (best_with - best_without)
        return advantages


def _sums_above(numbers: Floats) -> Floats:
    """Return the sum of the numbers after each (N,)."""
    sums: Floats = numbers[::-1].cumsum()[::-1] - numbers
    return sums


@advantage("pass_at_k")
@dataclass(frozen=True)
class PassAtK(Advantage):
    """Maximise pass@k: the mean of GRPO's advantages of all sets of k episodes that contain it.

    A set of k is right if one of its episodes is; its advantage is relative to all sets. In closed
    form, with R the share of right sets: `(1 - R) / s` for a right episode, `(1 - R - f) / s` for a
    wrong one, where `s = sqrt(R (1 - R))` and f is the share of wrong sets among those with it.
    """

    source = (
        "Pass@k Training for Adaptively Balancing Exploration and Exploitation of Large Reasoning "
        "Models (2025, arXiv 2508.10751)"
    )

    k: int = 4  # episodes of a set, at most the group size

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k < 1:
            raise ValueError(f"k must be at least 1, got {self.k}")

    @property
    def minimum_group(self) -> int:  # type: ignore[override]
        """At least k episodes, and two."""
        return max(2, self.k)

    def __call__(self, batch: Batch) -> Weights:
        """Return the advantages of right and wrong episodes."""
        return [self._of_group([sample.correct for sample in group]) for group in batch.groups]

    def _of_group(self, correct: Sequence[bool]) -> list[float]:
        size, wrong = len(correct), len(correct) - sum(correct)
        passed = 1 - comb(wrong, self.k) / comb(size, self.k)
        if passed in (0.0, 1.0):
            return [0.0] * size
        fails = comb(wrong - 1, self.k - 1) / comb(size - 1, self.k - 1)
        deviation = sqrt(passed * (1 - passed))
        return [(1 - passed - (0 if right else fails)) / deviation for right in correct]
