"""Measures of n samples against an enumeration of all subsets, and the support of two models."""

import itertools
import math
from statistics import fmean

import numpy as np
import pytest

from zerogym.agents.llm.sample_measures import answer_entropy, max_at_k, pass_at_k
from zerogym.benchmarks.results.support import SupportChange, support_change


@pytest.mark.parametrize("n", range(1, 8))
def test_pass_at_k_is_the_share_of_subsets_with_a_correct_sample(n: int) -> None:
    for correct, k in itertools.product(range(n + 1), range(1, n + 1)):
        samples = [True] * correct + [False] * (n - correct)
        subsets = itertools.combinations(samples, k)
        assert pass_at_k(n, correct, k) == pytest.approx(fmean(map(any, subsets)), abs=1e-15)


@pytest.mark.parametrize("n", range(1, 8))
def test_max_at_k_is_the_mean_best_of_all_subsets(n: int) -> None:
    scores = [float(each) for each in np.random.default_rng(n).integers(-2, 3, n)]  # with ties
    for k in range(1, n + 1):
        best = fmean(max(subset) for subset in itertools.combinations(scores, k))
        assert max_at_k(scores, k) == pytest.approx(best, abs=1e-14)


def test_pass_at_k_is_max_at_k_of_right_and_wrong_for_many_samples() -> None:
    assert pass_at_k(5, 2, 2) == 0.7
    for correct, k in itertools.product((0, 1, 40, 2000), (1, 64, 2000)):
        scores = [1.0] * correct + [0.0] * (2000 - correct)
        assert max_at_k(scores, k) == pytest.approx(pass_at_k(2000, correct, k), rel=1e-12)
    assert pass_at_k(2000, 0, 64) == 0 and pass_at_k(2000, 1937, 64) == 1


def test_pass_at_k_is_unbiased() -> None:
    """The mean over all outcomes of n samples is the chance of one correct among k."""
    n, share = 6, 0.2
    chances = [math.comb(n, c) * share**c * (1 - share) ** (n - c) for c in range(n + 1)]
    for k in range(1, n + 1):
        mean = sum(chance * pass_at_k(n, c, k) for c, chance in enumerate(chances))
        assert mean == pytest.approx(1 - (1 - share) ** k)


def test_entropy_of_answers() -> None:
    assert answer_entropy(["a"] * 7) == 0
    assert answer_entropy(["a", "b", "c", "d"]) == pytest.approx(math.log(4))
    assert answer_entropy("aaab") == pytest.approx(-0.75 * math.log(0.75) - 0.25 * math.log(0.25))


def test_support_by_all_pairs() -> None:
    shares = (0.0, 0.1, 0.5)
    pairs = list(itertools.product(shares, shares))
    change = support_change([a for a, _ in pairs], [b for _, b in pairs], threshold=0.1)
    assert change == SupportChange(kept=1, lost=2, gained=2, outside=4)
    assert (change.retention, change.discovery, change.net_change) == (1 / 3, 2 / 3, 0)
    assert support_change([0.1, 0.0], [0.1, 0.2]) == SupportChange(1, 0, 1, 0)
    nothing = support_change([0.0], [0.0])
    assert nothing.retention is nothing.discovery is nothing.net_change is None


def test_numbers_out_of_range_are_refused() -> None:
    for n, correct, k in ((4, 2, 5), (4, 2, 0), (4, 5, 2), (4, -1, 2)):
        with pytest.raises(ValueError, match=r"k must be in 1\.\.4|cannot be correct"):
            pass_at_k(n, correct, k)
    with pytest.raises(ValueError, match=r"1\.\.2"):
        max_at_k([0.0, 1.0], 3)
    with pytest.raises(ValueError, match="no answers"):
        answer_entropy([])
    with pytest.raises(ValueError, match="threshold"):
        support_change([0.0], [0.0], 1.0)
    with pytest.raises(ValueError, match="problems"):
        support_change([0.0], [])
