"""Aggregates over runs against rliable's values, and their intervals against enumeration."""

import itertools

import numpy as np
import pytest

from zerogym.benchmarks.statistics.bootstrap import difference, draws, estimate, holm, improvement
from zerogym.benchmarks.statistics.run_scores import (
    AGGREGATES,
    Floats,
    RunScores,
    interquartile_mean,
    mean,
    performance_profile,
    probability_of_improvement,
)


def matrix(seed: int, runs: int = 10, tasks: int = 26) -> Floats:
    run, task = np.arange(runs)[:, None], np.arange(tasks)[None, :]
    return ((run * 37 + task * 61 + seed * 17 + (run * task * 13) % 29) % 101) / 80.0


# Of rliable 1.2.0 (with pandas 2.3.3 and NumPy 2.4.6) on these matrices.
RLIABLE = {
    "mean": 0.6427403846153846,
    "median": 0.6400000000000001,
    "iqm": 0.6434615384615385,
    "optimality_gap": 0.3857211538461539,
}
RLIABLE_PROFILE = [
    0.9884615384615385, 0.8192307692307692, 0.6115384615384616, 0.23076923076923078,
    0.046153846153846156,
]  # fmt: skip


@pytest.mark.parametrize("name", RLIABLE)
def test_aggregates_are_rliable_s(name: str) -> None:
    assert AGGREGATES[name](matrix(0)) == pytest.approx(RLIABLE[name], abs=1e-14)
    stacked = np.stack([matrix(0), matrix(5)])
    alone = [AGGREGATES[name](each) for each in stacked]
    assert AGGREGATES[name](stacked) == pytest.approx(np.array(alone), abs=1e-14)


def test_profile_and_probability_of_improvement_are_rliable_s() -> None:
    profile = performance_profile(matrix(0), [0.0, 0.25, 0.5, 1.0, 1.2])
    assert profile == pytest.approx(RLIABLE_PROFILE, abs=1e-14)
    improved = probability_of_improvement(matrix(0), matrix(3, runs=8))
    assert improved == pytest.approx(0.5218750000000001, abs=1e-14)


def test_draws_have_the_frequencies_of_all_resamples() -> None:
    """Two tasks of two runs: 16 resamples, tasks independently of each other."""
    scores = np.array([[0.0, 0.3], [1.0, 0.7]])
    columns = [[(a + b) / 2 for a, b in itertools.product(each, each)] for each in scores.T]
    exact = [(a + b) / 2 for a in columns[0] for b in columns[1]]
    found = draws([scores], mean, np.random.default_rng(0), 20_000)
    for value in set(np.round(exact, 9)):
        share = np.mean(np.isclose(exact, value))
        margin = 5 * np.sqrt(share * (1 - share) / len(found))
        assert abs(np.mean(np.isclose(found, value)) - share) < margin


def test_agents_with_the_same_seeds_are_drawn_together() -> None:
    """The luck of a seed cancels in the difference only if both runs have that seed."""
    luck = np.linspace(0, 1, 8)[:, None]
    first, seeds = luck + np.array([[0.0, 0.1]]), tuple(range(8))
    both = [RunScores(values, ("a", "b"), seeds) for values in (first, first + 0.25)]
    paired = difference(*both, interquartile_mean, np.random.default_rng(0))
    assert (paired.value, paired.low, paired.high) == pytest.approx((0.25, 0.25, 0.25))
    others = RunScores(first + 0.25, ("a", "b"), tuple(range(1, 9)))
    free = difference(both[0], others, interquartile_mean, np.random.default_rng(0))
    assert free.low < 0 < free.value < free.high
    better = improvement(*both, np.random.default_rng(0))
    assert better.value == probability_of_improvement(both[1].values, both[0].values) > 0.5


def test_one_run_has_no_interval() -> None:
    found = estimate(RunScores.of({"a": [0.4], "b": [0.6]}), mean, np.random.default_rng(0))
    assert found.value == 0.5 and np.isnan(found.low) and np.isnan(found.high)


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ({"a": [1.0, 2.0], "b": [1.0]}, "same number of runs"),
        ({"a": [1.0, np.nan]}, "run 1 on 'a' is not finite"),
        ({"a": []}, "shape"),
    ],
)
def test_scores_that_are_no_matrix_are_refused(scores: dict[str, list[float]], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        RunScores.of(scores)


def test_agents_on_other_tasks_are_not_compared() -> None:
    one, other = RunScores.of({"a": [1.0, 2.0]}), RunScores.of({"b": [1.0, 2.0]})
    with pytest.raises(ValueError, match="same tasks"):
        difference(one, other, mean, np.random.default_rng(0))


def test_holm_by_hand() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}) == pytest.approx(
        {"d": 0.02, "a": 0.03, "c": 0.06, "b": 0.06}
    )
    with pytest.raises(ValueError, match=r"in \[0, 1\]"):
        holm({"a": 1.2})
