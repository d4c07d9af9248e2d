"""Rules of thumb are as strong as their pages say: exactly in small games, else in matches."""

import numpy as np
import pytest

from helpers.games.matches import play
from zerogym.envs.games.core.game import load_game
from zerogym.envs.games.core.players import StrategyPlayer
from zerogym.envs.games.core.tabular_policy import expected_payoffs
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.solvers.best_response import exploitability


@pytest.mark.parametrize(
    ("name", "won", "lost"),
    [
        ("tic_tac_toe", (0.960, 0.836), 0.5),
        ("kuhn_poker", (1 / 6, 1 / 4), 1 / 6),
        ("dots_and_boxes", (0.981, 0.559), None),
        ("leduc_poker", 1.32, 1.08),
        pytest.param("liars_dice", 0.70, 0.44, marks=pytest.mark.proof),
        ("goofspiel", 0.71, 1.0),
        ("blotto", (0.32, 0.32), 1.0),
        ("prisoners_dilemma", (10.5, 10.5), None),
        ("public_goods", (3 * (4 + 1 / 6),) * 3, None),
        ("stag_hunt", (5, 5), None),
        ("rock_paper_scissors", (0, 0), None),
        ("matching_pennies", (0, 0), None),
        ("first_sealed_auction", (2.0185, 2.0185), None),
        ("ultimatum", (35 / 11, 45 / 11), 0.0),
        ("talking_dilemma", (3.75, 3.75), 2.0),
        ("trust_and_split", (22.1528, 22.1528), 3.75),
        ("red_team", (1 / 17, 0.625), 0.75),
    ],
)
def test_exact_strength(name: str, won: float | tuple[float, ...], lost: float | None) -> None:
    """Payoffs against random play, of each seat or on average, and to a best response."""
    game = load_game(name)
    rule, random = scripted_policy(game), uniform_policy(game)
    payoffs = []
    for seat in range(game.num_seats):
        profile: list[StrategyPlayer] = [random] * game.num_seats
        profile[seat] = rule
        payoffs.append(expected_payoffs(game, profile)[seat])
    found = payoffs if isinstance(won, tuple) else np.mean(payoffs)
    assert found == pytest.approx(won, abs=1e-2)
    if lost is not None:
        assert exploitability(game, rule) == pytest.approx(lost, abs=1e-2)


@pytest.mark.parametrize(
    ("name", "games", "least", "most"),
    [
        ("breakthrough", 30, 0.85, 1),
        ("connect_four", 100, 0.85, 1),
        ("hex", 20, 0.9, 1),
        ("othello", 20, 0.5, 1),
        ("battleship", 100, 1.3, 1.8),  # 1.55 in 10,000 games
        ("pig", 100, 0.8, 1),  # 95.5% wins in 10,000 games
        ("backgammon", 200, 0.48, 0.82),  # 82.5% wins
        ("kuhn_match", 400, 0.14, 0.34),  # 55% wins, 31% losses
        ("deal_or_no_deal", 200, 3.9, 5.1),  # 2.9 as the first, 6.1 as the second
        ("twenty_questions", 200, 2.3, 3.8),  # 5.875 as the guesser, as the keeper what random has
        ("simple_negotiation", 200, 0.8, 0.96),  # 0.88 in 3,000 games
        pytest.param("large backgammon", 60, 0.85, 1, marks=pytest.mark.proof),  # 97.2% wins
    ],
)
def test_strength_in_matches(name: str, games: int, least: float, most: float) -> None:
    """The mean payoff against random play, over both seats."""
    large = {"hyper_backgammon": False} if name.startswith("large") else {}
    game, rng = load_game(name.split()[-1], **large), np.random.default_rng(0)
    rule, random = scripted_policy(game), uniform_policy(game)
    payoffs = []
    for number in range(games):
        seat = number % 2
        players = (random, rule) if seat else (rule, random)
        payoffs.append(play(game, players, rng)[seat])
    assert least <= np.mean(payoffs) <= most
