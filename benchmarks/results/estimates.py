"""Scores between the random policy and the oracle, with intervals.

Aggregates follow Agarwal et al., "Deep Reinforcement Learning at the Edge of the Statistical
Precipice" (2021, arXiv 2108.13264): the interquartile mean (IQM) with a percentile interval from a
stratified bootstrap. A stratum is one task; its episodes are resampled together with those of the
random policy and of the oracle, because both ends of the scale are measured too.

Our choices: episodes that share their seeds are resampled as pairs; where every return is 0 or 1
(right or wrong answers) the draws come from the Jeffreys posterior Beta(k + 1/2, n - k + 1/2)
instead, because resampling 0 of 64 says "certainly 0". Left out: performance profiles, probability
of improvement, and the variance between training seeds (one training run an agent).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

LEVEL = 0.95  # share of the draws inside an interval
RESAMPLES = 2000
MIN_GAP = 1e-9  # oracle and random closer than this: the scale has no length
MAX_UNDEFINED = 0.05  # share of draws without a scale above which there is no interval


@dataclass(frozen=True)
class Estimate:
    """A value and its interval; the bounds are NaN where the data do not fix one."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Returns:
    """Episode returns of one policy on one task, in the order of their seeds.

    Attributes:
        values: Returns, shape (n,).
        seeds: Seeds of the episodes; equal tuples make equal episodes comparable as pairs.
        exact: The single value was computed, not sampled.
    """

    values: tuple[float, ...]
    seeds: tuple[int, ...] = ()
    exact: bool = False

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    @property
    def binary(self) -> bool:
        """True if each return is a plain right (1) or wrong (0)."""
        return not self.exact and set(self.values) <= {0.0, 1.0}


def normalise(value: ArrayLike, random: ArrayLike, oracle: ArrayLike) -> Floats:
    """(value - random) / (oracle - random), elementwise: 0 is the random policy, 1 the oracle.

    Where the oracle is not above random by more than `MIN_GAP` the scale has no length and the
    result is NaN: such a task cannot tell policies apart.
    """
    value, random, oracle = (np.asarray(item, np.float64) for item in (value, random, oracle))
    gap = oracle - random
    scale = np.where(gap > MIN_GAP, gap, np.nan)
    return (value - random) / scale


def interquartile_mean(values: ArrayLike, axis: int = -1) -> Floats:
    """Mean of the middle half: floor(n / 4) values are cut at each end (n along `axis`)."""
    ordered = np.sort(np.asarray(values, np.float64), axis=axis)
    count = ordered.shape[axis]
    if count == 0:
        raise ValueError("the interquartile mean of nothing is undefined")
    cut = count // 4
    middle = np.take(ordered, np.arange(cut, count - cut), axis=axis)
    return np.asarray(middle.mean(axis=axis))


def mean_draws(
    returns: Sequence[Returns], resamples: int, rng: np.random.Generator
) -> list[Floats]:
    """Plausible means, (resamples,) for each of several policies on one task.

    Policies with the same seeds are resampled as pairs, so that a lucky deal cancels.
    """
    shared: dict[tuple[int, ...], NDArray[np.int64]] = {}
    draws = []
    for item in returns:
        values = np.asarray(item.values, np.float64)  # (n,)
        count = len(values)
        if item.exact or count == 1:
            draws.append(np.full(resamples, values.mean()))
        elif item.binary:
            right = values.sum()
            draws.append(rng.beta(right + 0.5, count - right + 0.5, size=resamples))
        else:
            key = item.seeds or (-1, id(item))
            if key not in shared:
                shared[key] = rng.integers(count, size=(resamples, count))
            draws.append(values[shared[key]].mean(axis=1))  # (resamples,)
    return draws


def score_draws(
    agent: Returns,
    random: Returns,
    oracle: Returns,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
) -> tuple[float, Floats]:
    """Normalised score of one policy on one task, and draws (resamples,) of it."""
    value = float(normalise(agent.mean, random.mean, oracle.mean))
    if agent is oracle or agent is random:  # the ends of the scale, by definition
        return value, np.full(resamples, value)
    a, r, t = mean_draws((agent, random, oracle), resamples, rng)
    return value, normalise(a, r, t)


def aggregate(values: Sequence[float], draws: Sequence[Floats]) -> Estimate:
    """IQM over tasks with its bootstrap interval.

    Args:
        values: Normalised scores, one a task; tasks whose score is NaN are left out.
        draws: For each task (resamples,) draws of its score.

    Raises:
        ValueError: If there is no task.
    """
    kept = [i for i, value in enumerate(values) if np.isfinite(value)]
    if not values:
        raise ValueError("an aggregate needs at least one task")
    if not kept:
        return Estimate(np.nan, np.nan, np.nan)
    value = float(interquartile_mean([values[i] for i in kept]))
    table = np.stack([draws[i] for i in kept])  # (tasks, resamples)
    return Estimate(value, *interval(interquartile_mean(table, axis=0)))


def interval(draws: Floats, level: float = LEVEL) -> tuple[float, float]:
    """Percentile interval; NaN bounds if too many draws are undefined."""
    if np.mean(~np.isfinite(draws)) > MAX_UNDEFINED:
        return np.nan, np.nan
    tail = 50 * (1 - level)
    low, high = np.nanpercentile(draws, [tail, 100 - tail])
    return float(low), float(high)
