"""Stratified bootstraps of the interquartile mean: 26 tasks, 10 runs, 2,000 resamples.

    python -m zerogym.benchmarks.speed.bootstraps [--repeats 5]

Unit: CPU seconds of an interval, median over the repeats, in turns. The peer is rliable, if it can
be imported (1.2.0 needs pandas below 3, so it has an environment of its own); the floor is one
call of SciPy's trimmed mean for each resample, which is what rliable does.
"""

import importlib
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import trim_mean

from zerogym.benchmarks.results.estimates import RESAMPLES, interval
from zerogym.benchmarks.speed.loops import in_turn, options, show
from zerogym.benchmarks.statistics.bootstrap import estimate
from zerogym.benchmarks.statistics.run_scores import RunScores, interquartile_mean

RUNS, TASKS = 10, 26


def one_call_each(values: Any) -> tuple[float, float]:
    """Return the interval by a call for each resample."""
    rng = np.random.default_rng(0)
    columns = np.arange(TASKS)
    drawn = [
        trim_mean(values[rng.integers(RUNS, size=values.shape), columns], 0.25, axis=None)
        for _ in range(RESAMPLES)
    ]
    return interval(np.array(drawn))


def rliable(values: Any) -> Callable[[], Any] | None:
    """Return rliable's interval of the same scores; None if it cannot be imported."""
    try:
        library = importlib.import_module("rliable.library")
        metrics = importlib.import_module("rliable.metrics")
    except ImportError:
        return None

    def aggregate(scores: Any) -> Any:
        return np.array([metrics.aggregate_iqm(scores)])

    return partial(library.get_interval_estimates, {"one": values}, aggregate, reps=RESAMPLES)


def spent(call: Callable[[], Any]) -> float:
    """Return the CPU seconds of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def main() -> None:
    """Measure and print the table."""
    repeats = options(__doc__, repeats=(5, "intervals of each kind")).repeats
    values = np.random.default_rng(0).random((RUNS, TASKS))
    scores = RunScores(values, tuple(map(str, range(TASKS))))
    calls: dict[str, Callable[[], Any] | None] = {
        "zerogym": partial(estimate, scores, interquartile_mean, np.random.default_rng(0)),
        "(floor: a call for each resample)": partial(one_call_each, values),
        "rliable": rliable(values),
    }
    measures = {name: partial(spent, call) for name, call in calls.items() if call is not None}
    for measure in measures.values():
        measure()  # imports and caches
    taken = {name: statistics.median(each) for name, each in in_turn(measures, repeats).items()}
    rows = [
        (name, f"{taken[name]:.3f}", f"{taken[name] / taken['zerogym']:.1f}")
        if name in taken
        else (name, "not installed", "")
        for name in calls
    ]
    show(("interval", "CPU seconds", "times zerogym's"), rows)


if __name__ == "__main__":
    main()
