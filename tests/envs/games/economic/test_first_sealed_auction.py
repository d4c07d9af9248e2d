"""Sealed-bid auction: rules by hand, near its equilibrium, OpenSpiel, the texts."""

from fractions import Fraction
from typing import Any

import pytest

from zerogym.envs.games.core.game import CHANCE, TERMINAL
from zerogym.envs.games.core.tabular_policy import expected_payoffs, information_sets, layers
from zerogym.envs.games.economic.first_sealed_auction import (
    AuctionState,
    FirstSealedAuction,
    scripted,
)
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.solvers.best_response import best_response, nash_conv

GAME = FirstSealedAuction()
RULE = scripted_policy(GAME)


def expected_gain(value: int, bid: int, rule: Any) -> float:
    """The mean payoff of a bid against a bidder who bids `rule(value)`: plain counting."""
    others = [rule(other) for other in range(1, 11)]
    return sum((value - bid) * ((bid > o) + (bid == o) / 2) for o in others) / 10


def test_sizes() -> None:
    # Values, a bid below each, and winners, who are two where bids are equal.
    equal = sum(min(i, j) for i in range(1, 11) for j in range(1, 11))
    assert [len(layer) for layer in layers(GAME)] == [1, 10, 100, 550, 55**2, 55**2 + equal]
    assert len(information_sets(GAME)) == 2 * 10


def test_an_auction() -> None:
    state = GAME.initial()
    assert GAME.to_move(state) == CHANCE
    assert GAME.chance(state) == tuple((value, Fraction(1, 10)) for value in range(1, 11))
    state = GAME.apply(GAME.apply(state, 7), 4)
    assert GAME.to_move(state) == 0
    assert GAME.legal(state) == tuple(range(7))
    state = GAME.apply(state, 3)
    assert GAME.legal(state) == tuple(range(4))
    higher, equal = GAME.apply(state, 2), GAME.apply(state, 3)
    assert GAME.chance(higher) == ((0, 1),)
    assert GAME.chance(equal) == ((0, Fraction(1, 2)), (1, Fraction(1, 2)))
    assert GAME.payoff(GAME.apply(higher, 0)) == (4.0, 0.0)
    assert GAME.payoff(GAME.apply(equal, 1)) == (0.0, 1.0)
    assert GAME.to_move(GAME.apply(equal, 1)) == TERMINAL


def test_half_of_the_value_is_nearly_an_equilibrium() -> None:
    half = [expected_gain(value, value // 2, lambda v: v // 2) for value in range(1, 11)]
    best = [
        max(expected_gain(value, bid, lambda v: v // 2) for bid in range(value))
        for value in range(1, 11)
    ]
    assert expected_payoffs(GAME, [RULE, RULE]) == pytest.approx([sum(half) / 10] * 2)
    for seat in (0, 1):
        assert best_response(GAME, seat, RULE)[1] == pytest.approx(sum(best) / 10)
    assert (sum(half) / 10, sum(best) / 10) == pytest.approx((1.88, 1.885))
    assert nash_conv(GAME, RULE) == pytest.approx(0.01)


def test_against_random_bids() -> None:
    random = uniform_policy(GAME)
    payoffs = expected_payoffs(GAME, [RULE, random])
    assert payoffs == pytest.approx([2.0185, 1.2161], abs=1e-4)
    assert best_response(GAME, 0, random)[1] == pytest.approx(2.1472, abs=1e-4)


def test_texts() -> None:
    state = AuctionState((7, 4))
    assert GAME.describe(state, 0) == (
        "You are bidder 1. Your value: 7.\nReply <answer>bid</answer>, a whole number from 0 to 6."
    )
    assert GAME.describe(state, 1) == "You are bidder 2. Your value: 4."
    assert GAME.describe(AuctionState((1, 4)), 0).endswith(
        "Reply <answer>0</answer>, the only bid below your value."
    )
    assert "one bid below its value" in GAME.rules(0)
    assert GAME.describe(AuctionState((7, 4), (3,)), 0) == (
        "You are bidder 1. Your value: 7. Your bid: 3."
    )
    end = AuctionState((7, 4), (3, 2), 0)
    assert GAME.describe(end, 0).endswith("Your bid: 3.\nYou win the item: 4.")
    assert GAME.describe(end, 1).endswith("Bidder 1 wins the item for 3. You get 0.")


@pytest.mark.parametrize(
    ("players", "value", "bid"), [(2, 1, 0), (2, 9, 4), (2, 10, 5), (3, 9, 6), (4, 10, 7)]
)
def test_the_scripted_bidder(players: int, value: int, bid: int) -> None:
    game = FirstSealedAuction(players)
    row = scripted(game, AuctionState((value,) * players), 0)
    assert row == [float(action == bid) for action in range(value)]


def test_the_array_holds_seat_value_and_bid() -> None:
    game, state = FirstSealedAuction(max_value=3), AuctionState((3, 1), (1,))
    assert game.observe(state, 0).tolist() == [1, 0, 0, 0, 1, 0, 1, 0]
    assert game.observe(state, 1).tolist() == [0, 1, 1, 0, 0, 0, 0, 0]
