"""Intervals by a stratified bootstrap over runs, for one agent or two.

Of each task as many runs are drawn with replacement as there are, tasks independently of each other
as in "Deep Reinforcement Learning at the Edge of the Statistical Precipice" (2021, arXiv
2108.13264). Two agents that share their seeds are drawn together, since a seed's luck may be in
both (our choice). Left out: drawing tasks, which would speak of tasks that nobody has measured.
"""

from collections.abc import Callable, Mapping

import numpy as np

from zerogym.benchmarks.results.estimates import LEVEL, RESAMPLES, Estimate, interval
from zerogym.benchmarks.statistics.run_scores import (
    Aggregate,
    Floats,
    RunScores,
    probability_of_improvement,
)

_CHUNK = 2_000_000  # drawn scores in memory at once


def estimate(
    scores: RunScores,
    aggregate: Aggregate,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Estimate:
    """Return an aggregate of an agent's scores with its percentile interval over runs.

    A single run has no interval (NaN): it says nothing about the next one.
    """
    value = float(aggregate(scores.values))
    if len(scores.values) == 1:
        return Estimate(value, np.nan, np.nan)
    drawn = draws([scores.values], aggregate, rng, resamples)
    return Estimate(value, *interval(drawn, level))


def difference(
    first: RunScores,
    second: RunScores,
    aggregate: Aggregate,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Estimate:
    """Return an aggregate of the second agent minus that of the first, with its interval.

    Raises:
        ValueError: If their tasks differ.
    """
    return _of_two(first, second, lambda a, b: aggregate(b) - aggregate(a), rng, resamples, level)


def improvement(
    first: RunScores,
    second: RunScores,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Estimate:
    """Return the probability that the second agent improves on the first, with its interval.

    Raises:
        ValueError: If their tasks differ.
    """

    def improved(one: Floats, other: Floats) -> Floats:
        return probability_of_improvement(other, one)

    return _of_two(first, second, improved, rng, resamples, level)


def _of_two(
    first: RunScores,
    second: RunScores,
    statistic: Callable[[Floats, Floats], Floats],
    rng: np.random.Generator,
    resamples: int,
    level: float,
) -> Estimate:
    if first.tasks != second.tasks:
        raise ValueError(
            f"two agents are compared on the same tasks in the same order, got {first.tasks!r} "
            f"and {second.tasks!r}"
        )
    value = float(statistic(first.values, second.values))
    if min(len(first.values), len(second.values)) == 1:
        return Estimate(value, np.nan, np.nan)
    paired = bool(first.seeds) and first.seeds == second.seeds
    drawn = draws([first.values, second.values], statistic, rng, resamples, paired)
    return Estimate(value, *interval(drawn, level))


def draws(
    scores: list[Floats],
    statistic: Callable[..., Floats],
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    paired: bool = False,
) -> Floats:
    """Return a statistic of resampled runs.

    Args:
        scores: Scores (runs, tasks) of each agent.
        statistic: Function of arrays (draws, runs, tasks), one an agent, to (draws,).
        rng: The random numbers.
        resamples: Number of draws.
        paired: Whether the runs of all agents are drawn together.

    Returns:
        Draws, shape (resamples,).
    """
    chunk = max(1, _CHUNK // max(item.size for item in scores))
    parts = []
    for start in range(0, resamples, chunk):
        count, places, taken = min(chunk, resamples - start), None, []
        for item in scores:
            if places is None or not paired:
                places = rng.integers(len(item), size=(count, *item.shape))
            taken.append(item[places, np.arange(item.shape[1])])  # (count, runs, tasks)
        parts.append(statistic(*taken))
    return np.concatenate(parts)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Return p-values that are corrected for their number (Holm's step-down method).

    Rejecting those below a level keeps the chance of any false rejection below it, whatever the
    tests have to do with each other.

    Raises:
        ValueError: If one is not in [0, 1].

    Example:
        >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
        {'a': 0.03, 'c': 0.06, 'b': 0.06}
    """
    for name, value in p_values.items():
        if not 0 <= value <= 1:
            raise ValueError(f"the p-value of {name!r} must be in [0, 1], got {value!r}")
    corrected, least = {}, 0.0
    for place, name in enumerate(sorted(p_values, key=lambda each: p_values[each])):
        least = max(least, min(1.0, (len(p_values) - place) * p_values[name]))
        corrected[name] = least
    return corrected
