"""Differences of two agents: paired where the seeds are the same, by formulas known by hand."""

import numpy as np
import pytest

from zerogym.benchmarks.results.estimates import Returns
from zerogym.benchmarks.results.paired import Pair, Scored, joint_draws, pair_up

ENDS = (Returns((0.0,), exact=True), Returns((1.0,), exact=True))
RNG = np.random.default_rng
DRAWS = 40_000


def scored(values: list[float], first_seed: int = 0, exact: bool = False) -> Scored:
    seeds = tuple(range(first_seed, first_seed + len(values)))
    return Scored({"a": Returns(tuple(values), seeds, exact)}, {"a": ENDS})


def pair(first: Scored, second: Scored) -> Pair:
    found = pair_up(first, second, RNG(0))
    assert found is not None
    return found


def test_the_spread_of_a_paired_difference_is_that_of_the_differences() -> None:
    x = RNG(1).normal(size=200)
    y = x + RNG(2).normal(scale=0.1, size=200)
    seeds = tuple(range(200))
    a, b = joint_draws(Returns(tuple(x), seeds), Returns(tuple(y), seeds), DRAWS, RNG(0))
    assert (b - a).std() == pytest.approx((y - x).std() / np.sqrt(200), rel=0.05)
    other = Returns(tuple(y), tuple(s + 1 for s in seeds))
    a, b = joint_draws(Returns(tuple(x), seeds), other, DRAWS, RNG(0))
    alone = np.sqrt((x.var() + y.var()) / 200)
    assert (b - a).std() == pytest.approx(alone, rel=0.05), "another seed: nothing cancels"


def test_right_and_wrong_have_the_marginals_of_jeffreys() -> None:
    x, y = [1.0] * 30 + [0.0] * 10, [1.0] * 25 + [0.0] * 15
    seeds = tuple(range(40))
    a, b = joint_draws(Returns(tuple(x), seeds), Returns(tuple(y), seeds), DRAWS, RNG(0))
    for draws, right in ((a, 30), (b, 25)):
        mean, count = (right + 0.5) / 41, 41
        assert draws.mean() == pytest.approx(mean, abs=0.003)
        assert draws.std() == pytest.approx(np.sqrt(mean * (1 - mean) / (count + 1)), rel=0.03)
    # The moments of Dirichlet(25.25, 5.25, 0.25, 10.25): the difference of its second and third.
    alpha = np.array([25.25, 5.25, 0.25, 10.25])
    p = alpha / alpha.sum()
    variance = (p[1] + p[2] - (p[1] - p[2]) ** 2) / (alpha.sum() + 1)
    assert (a - b).mean() == pytest.approx(p[1] - p[2], abs=0.003)
    assert (a - b).std() == pytest.approx(np.sqrt(variance), rel=0.03)


def test_equal_replies_are_no_certainty() -> None:
    same = pair(scored([1.0, 0.0] * 10), scored([1.0, 0.0] * 10))
    assert same.paired and same.difference.value == 0
    assert -0.2 < same.difference.low < 0 < same.difference.high < 0.2


def test_pairing_narrows_the_interval_where_the_problems_differ() -> None:
    first, second = [1.0, 0.0] * 50, [1.0, 0.0] * 48 + [1.0, 1.0] * 2
    together, apart = pair(scored(first), scored(second)), pair(scored(first), scored(second, 500))
    assert together.paired and not apart.paired
    widths = [p.difference.high - p.difference.low for p in (together, apart)]
    assert widths[0] < widths[1] / 2


def test_exact_values_have_an_exact_difference() -> None:
    both = pair(scored([0.25], exact=True), scored([0.75], exact=True))
    assert both.exact and both.difference.value == 0.5
    assert np.isnan([both.difference.low, both.difference.high]).all()
    mixed = Pair.over([both, pair(scored([1.0, 0.0]), scored([1.0, 1.0]))])
    assert mixed.paired and np.isfinite(mixed.difference.low)


def test_a_world_without_a_scale_has_no_pair() -> None:
    flat = Scored({"a": Returns((1.0,), (0,))}, {"a": (ENDS[1], ENDS[1])})
    assert pair_up(flat, flat, RNG(0)) is None
