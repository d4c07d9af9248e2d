"""Rules of thumb are as strong as their pages say: exactly in small games, else in matches."""

import numpy as np
import pytest

from helpers.games.matches import play
from zerogym.envs.games.core.game import load_game
from zerogym.envs.games.core.tabular_policy import expected_payoffs
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.solvers.best_response import exploitability


@pytest.mark.parametrize(
    ("name", "won", "lost"),
    [
        ("leduc_poker", 1.32, 1.08),
        ("liars_dice", 0.70, 0.44),
        ("goofspiel", 0.71, 1.0),
        ("blotto", 0.32, 1.0),
    ],
)
def test_exact_strength(name: str, won: float, lost: float) -> None:
    game = load_game(name)
    rule, random = scripted_policy(game), uniform_policy(game)
    profiles = ([rule, random], [random, rule])
    mean = np.mean([expected_payoffs(game, both)[seat] for seat, both in enumerate(profiles)])
    assert mean == pytest.approx(won, abs=1e-2)
    assert exploitability(game, rule) == pytest.approx(lost, abs=1e-2)


@pytest.mark.parametrize(
    ("name", "games", "least", "most"),
    [
        ("breakthrough", 60, 0.9, 1),
        ("connect_four", 300, 0.9, 1),
        ("hex", 50, 0.96, 1),
        ("othello", 60, 0.66, 1),
        ("battleship", 200, 1.4, 1.7),  # 1.55 in 10,000 games
        ("pig", 300, 0.8, 1),  # 95.5% wins in 10,000 games
    ],
)
def test_strength_in_matches(name: str, games: int, least: float, most: float) -> None:
    """The mean payoff against random play, over both seats."""
    game, rng = load_game(name), np.random.default_rng(0)
    rule, random = scripted_policy(game), uniform_policy(game)
    payoffs = []
    for number in range(games):
        seat = number % 2
        players = (random, rule) if seat else (rule, random)
        payoffs.append(play(game, players, rng)[seat])
    assert least <= np.mean(payoffs) <= most
