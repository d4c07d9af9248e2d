"""Matches of Kuhn poker: what is carried from hand to hand."""

from collections import Counter
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from helpers.games.positions import positions, random_move
from zerogym.envs.games.cards.kuhn_match import HAND, KuhnMatch, scripted
from zerogym.envs.games.cards.kuhn_poker import scripted as scripted_hand
from zerogym.envs.games.core.determinization import resample
from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.core.tabular_policy import branches, expected_payoffs
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.solvers.best_response import exploitability
from zerogym.envs.games.solvers.cfr import CFRPlus

MATCH = KuhnMatch()


class Scripted:
    """The rule of one hand as a strategy."""

    def probabilities(self, state: Any) -> tuple[float, ...]:
        action = scripted_hand(HAND, state, HAND.to_move(state))
        return (1.0 - action, float(action))


def chips_of_a_hand(first: bool) -> Counter[int]:
    """The exact payoff of the rule against random play."""
    profile = [Scripted(), uniform_policy(HAND)][:: 1 if first else -1]
    found: Counter[int] = Counter()
    layer: dict[Any, float] = {HAND.initial(): 1.0}
    while layer:
        following: Counter[Any] = Counter()
        for state, weight in layer.items():
            if HAND.to_move(state) == TERMINAL:
                found[int(HAND.payoff(state)[0 if first else 1])] += weight
            for child, probability in branches(HAND, state, profile):
                following[child] += weight * probability
        layer = following
    return found


def leads(seat: int, rounds: int = 5) -> Counter[int]:
    """Chips that the rule is ahead of random play at the end of a match, exactly."""
    lead: Counter[int] = Counter({0: 1.0})
    for index in range(rounds):
        hand = chips_of_a_hand(first=(seat + index) % 2 == 0)
        after: Counter[int] = Counter()
        for (before, p), (chips, q) in product(lead.items(), hand.items()):
            after[before + chips] += p * q
        lead = after
    return lead


def test_the_strength_of_the_rule_is_as_documented() -> None:
    both = leads(0) + leads(1)
    assert sum(p for chips, p in both.items() if chips > 0) / 2 == pytest.approx(0.55, abs=0.005)
    assert sum(p for chips, p in both.items() if chips < 0) / 2 == pytest.approx(0.31, abs=0.005)
    rng, won = np.random.default_rng(0), 0
    for match in range(2000):
        state = MATCH.initial()
        while (mover := MATCH.to_move(state)) != TERMINAL:
            ours = mover == match % 2
            action = scripted(MATCH, state, mover) if ours else random_move(MATCH, state, rng)
            state = MATCH.apply(state, action)
        won += MATCH.payoff(state)[match % 2] > 0
    assert won / 2000 == pytest.approx(0.55, abs=0.04)


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
