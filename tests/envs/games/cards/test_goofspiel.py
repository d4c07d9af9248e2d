"""Goofspiel, against bids worked out on paper and OpenSpiel."""

from collections import Counter

import pytest

from zerogym.envs.games.cards.goofspiel import ORDERS, BidState, Goofspiel, scripted
from zerogym.envs.games.core.game import CHANCE, TERMINAL
from zerogym.envs.games.core.tabular_policy import expected_payoffs, information_sets, layers
from zerogym.envs.games.solvers.best_response import exploitability
from zerogym.envs.games.solvers.cfr import CFRPlus
from zerogym.errors import UnknownName

GAME = Goofspiel()


def play(game: Goofspiel, cards: str, prizes: tuple[int, ...] = ()) -> BidState:
    """A game with these bids, `41 32` for 4 against 1, then 3 against 2, and random prizes."""
    state, left = game.initial(), list(prizes)
    for pair in cards.split():
        if game.to_move(state) == CHANCE:
            state = game.apply(state, left.pop(0) - 1)
        for card in pair:
            state = game.apply(state, int(card) - 1)
    return state


@pytest.mark.parametrize(
    ("order", "cards", "points"),
    [
        ("descending", "41 32 23", (7, 3)),  # 4 + 3 for the first; 2 and the last 1 are lost
        ("descending", "14 43 32", (6, 4)),
        ("descending", "44 33 22", (0, 0)),
        ("descending", "14 43 22", (4, 4)),
        ("ascending", "41 34 23", (1, 9)),
        ("ascending", "11 22 33", (0, 0)),
    ],
)
def test_games_worked_out_on_paper(order: str, cards: str, points: tuple[int, int]) -> None:
    game = Goofspiel(points_order=order)
    state = play(game, cards)
    assert game.to_move(state) == TERMINAL
    assert game.points(state) == points
    winner = (points[0] > points[1]) - (points[0] < points[1])
    assert game.payoff(state) == (winner, -winner)


def test_random_prizes_are_shown_before_the_bids() -> None:
    game = Goofspiel(points_order="random")
    assert game.to_move(game.initial()) == CHANCE
    assert len(game.chance(game.initial())) == 4
    state = game.apply(play(game, "41", (2,)), 3)
    assert "Prize 2: you bid 4, opponent 1." in game.describe(state, 0)
    assert "Prize now: 4." in game.describe(state, 0)
    assert game.points(play(game, "41 12 24", (2, 4, 1))) == (2, 5)  # 3 is lost


def test_the_size_of_the_game() -> None:
    """3 cards: 9 first rounds, then 4 second ones."""
    states = [state for layer in layers(Goofspiel(3)) for state in layer]
    assert len(states) == 1 + 3 + 9 * (1 + 2 + 4)
    assert Counter(map(len, information_sets(Goofspiel(3)).values())) == {1: 10, 2: 9, 3: 1}


@pytest.mark.parametrize("order", ORDERS)
def test_cfr_converges_to_an_even_game(order: str) -> None:
    game = Goofspiel(3, order)
    solver = CFRPlus(game)
    for _ in range(200):
        solver.iterate()
    assert exploitability(game, solver.average()) < 1e-3
    assert expected_payoffs(game, [solver.average()] * 2)[0] == pytest.approx(0, abs=1e-3)


def test_a_bid_is_hidden_until_the_round_is_complete() -> None:
    waiting = [GAME.apply(play(GAME, "41"), card) for card in (0, 1, 2)]
    assert [GAME.to_move(state) for state in waiting] == [1, 1, 1]
    for view in (GAME.describe, GAME.info_key, lambda s, i: GAME.observe(s, i).tobytes()):
        assert len({view(state, 1) for state in waiting}) == 1
        assert len({view(state, 0) for state in waiting}) == 3
    assert GAME.describe(waiting[1], 1) == (
        "You are player 2.\n"
        "Prize 4: you bid 1, opponent 4.\n"
        "Points: you 0, opponent 4. Your cards: 2 3 4. Opponent's cards: 1 2 3.\n"
        "Prize now: 3. Reply <answer>card</answer>, one of your cards."
    )
    assert GAME.describe(waiting[1], 0).endswith(
        "Your cards: 1 3. Opponent's cards: 2 3 4.\nPrize now: 3."
    )


def test_the_end_is_described() -> None:
    assert GAME.describe(play(GAME, "14 43 32"), 1) == (
        "You are player 2.\n"
        "Prize 4: you bid 4, opponent 1.\n"
        "Prize 3: you bid 3, opponent 4.\n"
        "Prize 2: you bid 2, opponent 3.\n"
        "Prize 1: you bid 1, opponent 2.\n"
        "Points: you 4, opponent 6. You lose."
    )


def test_only_cards_of_the_hand_are_moves() -> None:
    state = play(GAME, "41")
    assert GAME.legal(state) == (0, 1, 2)
    assert GAME.parse(state, "<answer> 3. </answer>") == 2
    for reply in ("4", "0", "5", "2 3", "two", "2 points", "-1", ""):
        assert GAME.parse(state, reply) is None, reply


def test_the_scripted_opponent_matches_the_prize() -> None:
    assert scripted(GAME, GAME.initial(), 0) == 3
    assert scripted(GAME, play(GAME, "31"), 0) == 3  # 2 and 4 are as near to 3
    assert scripted(GAME, GAME.apply(play(GAME, "31"), 1), 1) == 2


def test_a_wrong_order_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="descending"):
        Goofspiel(points_order="decending")
