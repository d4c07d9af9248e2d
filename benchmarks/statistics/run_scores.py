"""Scores of runs on tasks, and numbers that sum them up.

"Deep Reinforcement Learning at the Edge of the Statistical Precipice" (2021, arXiv 2108.13264).
Each aggregate takes arrays (..., runs, tasks), so that draws of a bootstrap are one call, and
equals that of the authors' package (rliable 1.2.0).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerogym.benchmarks.results import estimates

Floats = NDArray[np.float64]
Aggregate = Callable[[Floats], Floats]  # (..., runs, tasks) -> (...)
OPTIMUM = 1.0  # the score of the oracle


@dataclass(frozen=True)
class RunScores:
    """The scores of an agent: one row for each training run, one column for each task.

    Attributes:
        values: Normalised scores (runs, tasks): 0 is the random policy, 1 the oracle.
        tasks: Names of the columns.
        seeds: Seeds of the rows; empty: rows of two agents have nothing in common.

    Raises:
        ValueError: If shapes do not agree, a score is not finite, or a name or seed comes twice.
    """

    values: Floats
    tasks: tuple[str, ...]
    seeds: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        values = np.asarray(self.values, np.float64)
        object.__setattr__(self, "values", values)
        if values.ndim != 2 or 0 in values.shape or values.shape[1] != len(self.tasks):
            raise ValueError(
                f"scores of runs on {len(self.tasks)} tasks must have the shape (runs, "
                f"{len(self.tasks)}), got {values.shape}"
            )
        if not np.isfinite(values).all():
            run, task = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(f"the score of run {run} on {self.tasks[task]!r} is not finite")
        if self.seeds and len(self.seeds) != len(values):
            raise ValueError(f"{len(values)} runs have {len(self.seeds)} seeds")
        for what, names in (("task", self.tasks), ("seed", self.seeds)):
            if len(set(names)) < len(names):
                raise ValueError(f"a {what} comes twice in {names!r}")

    @classmethod
    def of(cls, scores: Mapping[str, Sequence[float]], seeds: Sequence[int] = ()) -> "RunScores":
        """Return the matrix of scores by task, each with one number a run.

        Raises:
            ValueError: If tasks have different numbers of runs.
        """
        if len({len(column) for column in scores.values()}) > 1:
            counts = {name: len(column) for name, column in scores.items()}
            raise ValueError(f"tasks must have the same number of runs, got {counts}")
        return cls(np.array(list(scores.values())).T, tuple(scores), tuple(seeds))


def mean(values: Floats) -> Floats:
    """Return the mean over runs and tasks."""
    return np.asarray(values.mean(axis=(-2, -1)))


def median(values: Floats) -> Floats:
    """Return the median over tasks of the mean over runs."""
    return np.asarray(np.median(values.mean(axis=-2), axis=-1))


def interquartile_mean(values: Floats) -> Floats:
    """Return the mean of the middle half of all scores: floor(n / 4) are cut at each end."""
    return estimates.interquartile_mean(values.reshape(*values.shape[:-2], -1))


def optimality_gap(values: Floats) -> Floats:
    """Return by how much scores fall short of the optimum, 0 where they are above it."""
    return np.asarray(OPTIMUM - np.minimum(values, OPTIMUM).mean(axis=(-2, -1)))


def performance_profile(values: Floats, thresholds: ArrayLike) -> Floats:
    """Return the share of scores above each threshold (..., thresholds)."""
    flat = values.reshape(*values.shape[:-2], 1, -1)  # (..., 1, runs * tasks)
    levels = np.asarray(thresholds, np.float64)[:, None]  # (thresholds, 1)
    return np.asarray((flat > levels).mean(axis=-1))


def probability_of_improvement(first: Floats, second: Floats) -> Floats:
    """Return the mean over tasks of P(a run of the first > a run of the second), ties as 1/2.

    Args:
        first: Scores (..., runs, tasks).
        second: Scores (..., other runs, tasks).
    """
    one, other = first[..., :, None, :], second[..., None, :, :]  # (..., runs, other runs, tasks)
    better = (one > other).mean(axis=(-3, -2)) + 0.5 * (one == other).mean(axis=(-3, -2))
    return np.asarray(better.mean(axis=-1))


AGGREGATES: Mapping[str, Aggregate] = {
    "iqm": interquartile_mean,
    "mean": mean,
    "median": median,
    "optimality_gap": optimality_gap,
}
