"""Matches of Kuhn poker: what is carried from hand to hand."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from helpers.games.positions import positions
from zerogym.envs.games.cards.kuhn_match import HAND, KuhnMatch
from zerogym.envs.games.core.determinization import resample
from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.core.tabular_policy import expected_payoffs
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.solvers.best_response import exploitability
from zerogym.envs.games.solvers.cfr import CFRPlus

MATCH = KuhnMatch()


def played(*hands: tuple[tuple[int, int], str]) -> Any:
    """The state after these cards and moves."""
    state = MATCH.initial()
    for cards, moves in hands:
        for card in cards:
            state = MATCH.apply(state, card)
        for letter in moves:
            state = MATCH.apply(state, "pb".index(letter))
    return state


def test_the_first_move_alternates_and_chips_are_added() -> None:
    state = played(((2, 0), "bb"), ((1, 2), ""))
    assert MATCH.to_move(state) == 1
    assert "Your chips: +2." in MATCH.describe(state, 0)
    assert "Your chips: -2." in MATCH.describe(state, 1)
    assert "Your card: Q" in MATCH.describe(state, 1), "the first card is of the first mover"
    state = played(*[((2, 0), "bb")] * 5)
    assert MATCH.to_move(state) == TERMINAL
    assert MATCH.payoff(state) == (1, -1), "three of five"
    assert "You win the match. Your chips: +2." in MATCH.describe(state, 0)
    state = played(((2, 0), "bp"), ((2, 0), "bp"), ((2, 0), "bb"), ((2, 0), "bp"), ((0, 2), "pp"))
    assert MATCH.payoff(state) == (0.0, 0.0)
    assert "Nobody wins" in MATCH.describe(state, 1)


def test_a_match_of_one_hand_is_the_hand() -> None:
    one = KuhnMatch(rounds=1)
    assert len(positions(one)) == 58
    assert len(positions(KuhnMatch(rounds=2))) == 1768
    for state in positions(one):
        assert one.to_move(state) == HAND.to_move(state[0])
        if one.to_move(state) == TERMINAL:
            assert one.payoff(state) == tuple(np.sign(HAND.payoff(state[0])))


def test_only_shown_cards_are_known_later() -> None:
    for own, other, third in permutations(range(3)):
        folded, twin = (played(((own, card), "bp"), ((0, 1), "")) for card in (other, third))
        assert MATCH.describe(folded, 0) == MATCH.describe(twin, 0)
        assert MATCH.info_key(folded, 0) == MATCH.info_key(twin, 0)
        assert np.array_equal(MATCH.observe(folded, 0), MATCH.observe(twin, 0))
        shown, twin = (played(((own, card), "pp"), ((0, 1), "")) for card in (other, third))
        assert MATCH.describe(shown, 0) != MATCH.describe(twin, 0)
        assert MATCH.info_key(shown, 0) != MATCH.info_key(twin, 0)
        assert not np.array_equal(MATCH.observe(shown, 0), MATCH.observe(twin, 0))


def test_search_draws_what_is_unseen() -> None:
    state = played(((0, 1), "bp"), ((2, 0), "pp"), ((1, 2), "p"))
    seat = MATCH.to_move(state)
    observed = set()
    for seed in range(60):
        drawn = resample(MATCH, state, np.random.default_rng(seed))
        assert MATCH.info_key(drawn, seat) == MATCH.info_key(state, seat)
        observed.add(drawn)
    assert len(observed) == 2 * 2, "of the first hand and of this one; the second was shown"


def test_cfr_solves_a_short_match() -> None:
    game = KuhnMatch(rounds=2)
    solver = CFRPlus(game)
    for _ in range(200):
        solver.iterate()
    assert exploitability(game, solver.average()) < 0.01
    assert expected_payoffs(game, [uniform_policy(game)] * 2).sum() == pytest.approx(0)
