"""Scores and intervals, against hand-computed values and scipy."""

import numpy as np
import pytest
from scipy import stats

from zerogym.benchmarks.results.estimates import (
    Returns,
    aggregate,
    interquartile_mean,
    interval,
    mean_draws,
    normalise,
    score_draws,
)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_normalise_puts_random_at_zero_and_oracle_at_one() -> None:
    assert normalise([-3, 1, -1], -3, 1).tolist() == [0, 1, 0.5]


def test_without_a_gap_there_is_no_score() -> None:
    assert np.isnan(normalise(1.0, 2.0, 2.0))
    assert np.isnan(normalise(1.0, 2.0, 1.0)), "a oracle below random is no scale"


def test_interquartile_mean_by_hand() -> None:
    assert interquartile_mean([100, 1, 2, 3, 4, 5, 6, -50]) == pytest.approx((2 + 3 + 4 + 5) / 4)
    assert interquartile_mean([1, 2, 9]) == 4, "three values: nothing is cut"
    with pytest.raises(ValueError, match="nothing"):
        interquartile_mean([])


@pytest.mark.parametrize("size", [1, 3, 4, 5, 7, 8, 50])
def test_interquartile_mean_is_scipys_trimmed_mean(size: int) -> None:
    values = rng().normal(size=(size, 3))
    assert np.allclose(interquartile_mean(values, axis=0), stats.trim_mean(values, 0.25, axis=0))


def test_bootstrap_spread_is_the_standard_error() -> None:
    values = tuple(rng().normal(5, 2, size=400))
    (draws,) = mean_draws([Returns(values)], 20_000, rng())
    assert draws.mean() == pytest.approx(np.mean(values), abs=0.01)
    assert draws.std() == pytest.approx(np.std(values) / 20, rel=0.03)


def test_equal_seeds_are_resampled_as_pairs() -> None:
    values, seeds = rng().normal(size=30), tuple(range(30))
    better = Returns(tuple(values + 1), seeds)
    base = Returns(tuple(values), seeds)
    a, b = mean_draws([better, base], 500, rng())
    assert np.allclose(a - b, 1), "the luck of the deal cancels"
    a, b = mean_draws([better, Returns(tuple(values), tuple(range(100, 130)))], 500, rng())
    assert (a - b).std() > 0.1, "other seeds: independent"


def test_nothing_right_is_not_certainly_nothing() -> None:
    (draws,) = mean_draws([Returns((0.0,) * 64)], 20_000, rng())
    low, high = interval(draws)
    oracle = stats.beta(0.5, 64.5)
    assert 0 < low < 0.001
    assert high == pytest.approx(oracle.ppf(0.975), rel=0.05)


def test_the_interval_covers_as_often_as_it_says() -> None:
    generator, hits, trials = rng(), 0, 300
    for _ in range(trials):
        values = generator.exponential(2.0, size=80)
        low, high = interval(mean_draws([Returns(tuple(values))], 400, generator)[0])
        hits += low <= 2.0 <= high
    # 95 % nominal; the percentile bootstrap is a little short on skewed data.
    assert 0.90 < hits / trials < 0.985


def test_the_scale_ends_are_exact() -> None:
    oracle, random = Returns((3.0, 5.0, 4.0), (1, 2, 3)), Returns((0.0, 1.0, 0.5), (1, 2, 3))
    for end, score in ((oracle, 1.0), (random, 0.0)):
        value, draws = score_draws(end, random, oracle, rng(), 50)
        assert value == score
        assert (draws == score).all()


def test_the_uncertain_scale_widens_the_interval() -> None:
    agent = Returns((2.0,), exact=True)
    sharp = (Returns((0.0,), exact=True), Returns((4.0,), exact=True))
    noisy = (Returns((-1.0, 1.0, -2.0, 2.0)), Returns((3.0, 5.0, 2.0, 6.0)))
    _, exact = score_draws(agent, *sharp, rng())
    value, loose = score_draws(agent, *noisy, rng())
    assert value == 0.5
    assert exact.std() == 0
    assert loose.std() > 0.1


def test_an_undefined_scale_gives_no_interval() -> None:
    agent = Returns((0.3, 0.9, 0.1))
    _, draws = score_draws(agent, Returns((-5.0, 5.0)), Returns((-5.0, 5.1)), rng())
    assert np.isnan(interval(draws)).all()


def test_aggregate_leaves_tasks_without_scale_out() -> None:
    draws = [np.full(10, v) for v in (0.2, np.nan, 0.4)]
    estimate = aggregate([0.2, float("nan"), 0.4], draws)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.3, 0.3, 0.3))
    assert np.isnan(aggregate([float("nan")], [np.full(3, np.nan)]).value)
    with pytest.raises(ValueError, match="at least one"):
        aggregate([], [])
