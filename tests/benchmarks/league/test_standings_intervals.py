"""Intervals of a league's table: they hold what they promise, also after few games."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from zerogym.benchmarks.league import standings as module
from zerogym.benchmarks.league.match import Entrant, Match
from zerogym.benchmarks.league.standings import payoff_draws, standings
from zerogym.envs.games.core.game import Game, load_game

Drawn = NDArray[np.float64]
PLAYERS = 12


def coins(share: float, rng: np.random.Generator, shape: tuple[int, int]) -> Drawn:
    """Each game is won or lost."""
    return np.where(rng.random(shape) < share, 1.0, -1.0)


def luck(share: float, rng: np.random.Generator, shape: tuple[int, int]) -> Drawn:
    """The deal decides, but for a share of the games that the first player wins in any case."""
    deal = rng.choice([-1.0, 1.0], shape[0])
    return np.where(rng.random(shape) < share, 1.0, np.stack([deal, -deal], axis=1))


def draws(share: float, rng: np.random.Generator, shape: tuple[int, int]) -> Drawn:
    """Hardly any game is decided."""
    return rng.choice([1.0, 0.0, -1.0], shape, p=[share, 0.95 - share, 0.05])


def chips(share: float, rng: np.random.Generator, shape: tuple[int, int]) -> Drawn:
    """Mostly small, at times large."""
    return np.clip(np.round(share + 3 * rng.standard_t(4, shape)), -13, 13)


Draw = Callable[[float, np.random.Generator, tuple[int, int]], Drawn]

CASES: list[tuple[str, Draw, float, float]] = [  # game, matches, their parameter, the true mean
    ("tic_tac_toe", coins, 0.8, 0.6),
    ("tic_tac_toe", luck, 0.3, 0.3),
    ("tic_tac_toe", draws, 0.1, 0.05),
    ("leduc_poker", chips, 0.5, 0.5),
]


@pytest.mark.parametrize("pairs", [2, *(pytest.param(n, marks=pytest.mark.proof) for n in (5, 20))])
@pytest.mark.parametrize(("name", "draw", "share", "mean"), CASES)
def test_intervals_cover_the_mean(
    name: str, draw: Draw, share: float, mean: float, pairs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RESAMPLES", 200)
    monkeypatch.setattr(module, "find_exploitability", lambda game, entrant: None)
    game = load_game(name)
    hits = [hit for seed in range(2) for hit in held(game, draw, share, mean, pairs, seed)]
    assert len(hits) == 2 * 66
    assert np.mean(hits) > 0.9


def held(
    game: Game[Any], draw: Draw, share: float, mean: float, pairs: int, seed: int
) -> list[bool]:
    """For each match of a simulated league, True if its interval holds the true mean."""
    rng, names = np.random.default_rng((seed, pairs)), [f"{i:02}" for i in range(PLAYERS)]
    matches = [
        Match(players, tuple(((a, -a), (b, -b)) for a, b in draw(share, rng, (pairs, 2)).tolist()))
        for players in combinations(names, 2)
    ]
    rows = standings(game, [Entrant(name, lambda _: None) for name in names], matches, seed)
    meetings = ((a, a.against[i], b) for a in rows for i, b in enumerate(rows) if a.name < b.name)
    return [each.low - 1e-9 <= mean <= each.high + 1e-9 for _, each, _ in meetings if each]


def test_many_games_make_intervals_short() -> None:
    rng = np.random.default_rng(0)
    games = [coins(0.5, rng, (pairs, 2)).tolist() for pairs in (25, 400)]
    wide, short = (Match(("a", "b"), tuple(((a, -a), (b, -b)) for a, b in each)) for each in games)
    entrants = [Entrant(name, lambda _: None) for name in "ab"]
    widths = []
    for match in (wide, short):
        found = standings(load_game("kuhn_match"), entrants, [match])[0].payoff
        widths.append(found.high - found.low)
    # Of n fair pairs the mean varies by sqrt(1 / 2n): 3.92 times as much, and little more.
    assert 0.48 < widths[0] < 0.62
    assert widths[1] == pytest.approx(0.139, abs=0.02)


def test_what_is_drawn_again_is_one_pair_less_and_stands_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_made_up", lambda count, rng: np.zeros((1000, count, count)))
    game, entrants = load_game("kuhn_poker"), [Entrant(name, lambda _: None) for name in "ab"]
    monkeypatch.setattr(module, "find_exploitability", lambda game, entrant: None)
    two = Match(("a", "b"), (((2.0, -2.0),) * 2, ((-1.0, 1.0),) * 2))
    _, payoffs = payoff_draws(game, "ab", [two], (0,))
    assert set(payoffs[:, 0, 1].tolist()) == {2.0, -1.0}  # one pair or the other, never their mean
    # Pairs that are all alike: however they are drawn, the same points, so the same rating.
    alike = Match(("a", "b"), (((2.0, -2.0), (2.0, -2.0), (1.0, -1.0), (-1.0, 1.0)),) * 3)
    elo = standings(game, entrants, [alike])[0].elo
    assert elo.value > 50
    assert (elo.low, elo.high) == pytest.approx((elo.value, elo.value))
