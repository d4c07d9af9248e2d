"""InterCode's reward against values worked out by hand, and tau against SciPy's."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import kendalltau

from zerogym.envs.tools.sql.result import Row
from zerogym.envs.tools.sql.reward import intercode_score, kendall_tau


def rows(text: str) -> list[Row]:
    return [(letter,) for letter in text]


@pytest.mark.parametrize(
    ("given", "gold", "score"),
    [
        ("abcd", "abcd", 1.0),
        ("ab", "abcd", 2 / 4),  # a subset in order: IoU only
        ("abcd", "ab", 2 / 4),  # a superset
        ("bx", "ab", 1 / 3),  # one shared record has no order
        ("xy", "ab", 0.0),
        ("", "ab", 0.0),
        ("ab", "", 0.0),
        ("", "", 1.0),
        ("ba", "ab", 0.0),  # tau -1
        ("bac", "abc", 2 / 3),  # 2 of 3 pairs in order: tau 1/3, (1 + 1/3) / 2
        ("cab", "abc", 1 / 3),
        ("dcba", "abcd", 0.0),
        ("bxa", "abc", 0.0),  # IoU 2/4, the shared two reversed
        ("acbx", "abcd", 3 / 5 * 2 / 3),  # IoU 3/5, shared a c b: tau 1/3
        ("a", "aaa", 1 / 3),  # copies count
        ("aaaa", "aab", 2 / 5),
        ("aab", "aba", 2 / 3),  # a1 a2 b against places 0 2 1: tau 1/3
    ],
)
def test_hand_computed(given: str, gold: str, score: float) -> None:
    assert intercode_score(rows(given), rows(gold)) == pytest.approx(score, abs=1e-12)


def test_values_are_compared_not_their_text() -> None:
    assert intercode_score([(2.0, "x")], [(2, "x")]) == 1.0
    assert intercode_score([(1 / 3,)], [(0.33333333,)]) == 1.0
    assert intercode_score([("2",)], [(2,)]) == 0.0
    assert intercode_score([(None,)], [(0,)]) == 0.0
    assert intercode_score([(1, 2)], [(2, 1)]) == 0.0


def test_order_term_is_kendalls_tau() -> None:
    rng = np.random.default_rng(0)
    for size in (2, 3, 5, 17, 60):
        places = [int(i) for i in rng.permutation(size)]
        assert kendall_tau(places) == pytest.approx(kendalltau(range(size), places).statistic)


def test_intersection_over_union_of_multisets() -> None:
    """With equal records only, order cannot matter and the score is the multiset IoU."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        left, right = (sorted(rng.choice(list("abc"), size=rng.integers(1, 8))) for _ in "lr")
        shared, union = Counter(left) & Counter(right), Counter(left) | Counter(right)
        expected = shared.total() / union.total()
        assert intercode_score(rows("".join(left)), rows("".join(right))) == pytest.approx(expected)
