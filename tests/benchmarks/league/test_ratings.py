"""Ratings and alpha-rank: they agree with hand-computed cases and with OpenSpiel."""

from typing import Any

import numpy as np
import pytest

from zerogym.benchmarks.league.alpha_rank import alpha_rank
from zerogym.benchmarks.league.ratings import bradley_terry

ROCK_PAPER_SCISSORS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
DILEMMA = [[3, 0], [5, 1]]


@pytest.mark.parametrize(
    ("points", "gap"),
    [
        ([[0, 3], [1, 0]], 190.8485),  # 400 log10(3)
        ([[0, 2.5], [1.5, 0]], 400 * np.log10(5 / 3)),  # draws are halves
        ([[0, 10], [1, 0]], 400.0),
        ([[0, 7], [7, 0]], 0.0),
    ],
)
def test_elo_of_two_players_is_the_logarithm_of_their_odds(points: Any, gap: float) -> None:
    elo = bradley_terry(points, prior=0)
    assert elo[0] - elo[1] == pytest.approx(gap, abs=1e-4)
    assert elo.sum() == pytest.approx(0, abs=1e-9)


def test_elo_adds_up_over_a_third_player_and_the_prior_is_small() -> None:
    points = np.array([[0, 30, 0], [10, 0, 30], [0, 10, 0]])
    elo = bradley_terry(points, prior=0)
    assert np.diff(elo) == pytest.approx([-190.8485, -190.8485], abs=1e-4)
    assert np.abs(bradley_terry(100 * points) - elo).max() < 1
    # One game more against the average draws ratings together.
    assert np.ptp(bradley_terry(points, prior=5)) < np.ptp(elo) - 20


def test_elo_of_a_winner_of_all_games_is_finite_only_with_a_prior() -> None:
    assert np.isfinite(bradley_terry([[0, 200, 200], [0, 0, 100], [0, 100, 0]])).all()
    with pytest.raises(ValueError, match="prior above 0"):
        bradley_terry([[0, 3], [0, 0]], prior=0)
    # By hand, two players, prior p each: 4 (1 - c(r)) + p (1/2 - c(r / 2)) = 0 for r > 0.
    gap = np.ptp(bradley_terry([[0, 4], [0, 0]], prior=0.5)) * np.log(10) / 400
    chance = [1 / (1 + np.exp(-x)) for x in (gap, gap / 2)]
    assert 4 * (1 - chance[0]) + 0.5 * (0.5 - chance[1]) == pytest.approx(0, abs=1e-9)


def test_elo_of_many_tables_at_once_is_that_of_each() -> None:
    tables = np.random.default_rng(0).integers(0, 50, size=(20, 4, 4))
    together = bradley_terry(tables)
    for table, elo in zip(tables, together, strict=True):
        assert bradley_terry(table) == pytest.approx(elo, abs=1e-6)


def test_elo_of_lopsided_tables_is_where_the_likelihood_is_flat() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        count = int(rng.integers(2, 7))
        points = rng.integers(0, 2, (count, count)) * 10 ** rng.uniform(0, 4, (count, count))
        np.fill_diagonal(points, 0)
        logits = bradley_terry(points) * np.log(10) / 400
        expected = 1 / (1 + np.exp(logits[None, :] - logits[:, None]))
        short = (points - (points + points.T) * expected).sum(axis=1)
        # What is left is the pull of the prior: at most half a game's half point each.
        assert np.abs(short).max() <= 0.25 + 1e-3
        assert short.sum() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("points", [[1, 2], [[0, 1]], [[0, -1], [1, 0]], [[0, np.nan], [1, 0]]])
def test_elo_refuses_what_are_no_points(points: Any) -> None:
    with pytest.raises(ValueError, match="points"):
        bradley_terry(points)


@pytest.mark.parametrize("alpha", [0.0, 1.0, 1e5])
def test_alpha_rank_of_rock_paper_scissors_is_a_third_each(alpha: float) -> None:
    assert alpha_rank(ROCK_PAPER_SCISSORS, alpha) == pytest.approx([1 / 3] * 3)


def test_alpha_rank_of_the_dilemma_is_defection() -> None:
    assert alpha_rank(DILEMMA) == pytest.approx([0, 1])
    assert alpha_rank(DILEMMA, alpha=0) == pytest.approx([0.5, 0.5])
    # By hand: shares are as the probabilities to take over, whose ratio is exp(a (m - 1) 5).
    low, high = alpha_rank(DILEMMA, alpha=0.1, population=3)
    assert high / low == pytest.approx(np.exp(0.1 * 2 * 5))


def test_alpha_rank_agrees_with_openspiel() -> None:
    theirs = pytest.importorskip("open_spiel.python.egt.alpharank")
    rng = np.random.default_rng(0)
    for alpha in (0.1, 1.0):
        payoffs = rng.normal(size=(5, 5))
        shares = theirs.compute([payoffs], m=50, alpha=alpha)[2]
        assert alpha_rank(payoffs, alpha) == pytest.approx(shares, abs=1e-9)


@pytest.mark.parametrize("arguments", [([[1, 2]],), (DILEMMA, -1.0), (DILEMMA, 1.0, 1)])
def test_alpha_rank_refuses_nonsense(arguments: Any) -> None:
    with pytest.raises(ValueError, match="must be"):
        alpha_rank(*arguments)
