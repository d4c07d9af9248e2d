"""Trust-and-split: a second implementation, dominance of greed, hands that stay hidden."""

from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from zerogym.envs.games.core.game import CHANCE, TERMINAL
from zerogym.envs.games.core.tabular_policy import (
    TabularPolicy,
    expected_payoffs,
    information_sets,
)
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.solvers.best_response import best_response, nash_conv
from zerogym.envs.games.talk.core.messages import Move
from zerogym.envs.games.talk.trust_and_split import TrustAndSplit, TrustAndSplitEnv

GAME = TrustAndSplit()
BEATS = {"rock": "scissors", "scissors": "paper", "paper": "rock"}


def reference(hands: tuple[str, str], claims: tuple[int, int]) -> list[Fraction]:
    """Points of a round: coins in proportion, times what a coin is worth to each."""
    worth = [10 if BEATS[hands[seat]] == hands[1 - seat] else 1 for seat in (0, 1)]
    total = sum(claims)
    cut = Fraction(10, total) if total > 10 else 1
    return [worth[seat] * claims[seat] * cut for seat in (0, 1)]


@pytest.mark.parametrize("claims", [(0, 5, 10), (1, 9), tuple(range(11))])
def test_rounds_are_those_of_the_reference(claims: tuple[int, ...]) -> None:
    game = TrustAndSplit(claims=claims, rounds=2, talks=0)
    names, checked = ("rock", "paper", "scissors"), 0
    for hands in permutations(range(3), 2):
        for acts in product(range(len(claims)), repeat=2):
            state = game.initial()
            for action in (*hands, *acts, *hands, *reversed(acts)):
                state = game.apply(state, action)
            assert game.to_move(state) == TERMINAL
            both = (names[hands[0]], names[hands[1]])
            one = reference(both, (claims[acts[0]], claims[acts[1]]))
            two = reference(both, (claims[acts[1]], claims[acts[0]]))
            assert game.payoff(state) == pytest.approx([float(one[s] + two[s]) for s in (0, 1)])
            checked += 1
    assert checked == 6 * len(claims) ** 2


def test_to_claim_all_is_best_whatever_is_said_and_worse_for_both() -> None:
    greedy = {
        key: (0.0, 0.0, 1.0)
        for key, states in information_sets(GAME).items()
        if len(GAME.legal(states[0])) == 3
    }
    greed, rule = TabularPolicy(GAME, greedy), scripted_policy(GAME)
    assert nash_conv(GAME, greed) == pytest.approx(0, abs=1e-12)
    assert expected_payoffs(GAME, [greed, greed]) == pytest.approx([27.5, 27.5])
    assert expected_payoffs(GAME, [rule, rule]) == pytest.approx([50, 50])
    # All coins of both hands by greed; who speaks second also lies that its hand is the better.
    assert best_response(GAME, 0, rule)[1] == pytest.approx((100 + 5) / 2)
    assert best_response(GAME, 1, rule)[1] == pytest.approx((100 + 10) / 2)


def test_hands_are_different_uniform_and_hidden_until_the_round_is_over() -> None:
    game = TrustAndSplit(rounds=2)
    first = game.apply(game.initial(), 2)
    assert game.to_move(first) == CHANCE
    assert game.chance(first) == ((0, Fraction(1, 2)), (1, Fraction(1, 2)))
    state = game.apply(first, 0)
    rng, hands = np.random.default_rng(0), set()
    for _ in range(30):
        other = game.resample(state, 0, rng)
        hands.add(other.deals)
        assert game.info_key(other, 0) == game.info_key(state, 0)
    assert hands == {(2, 0), (2, 1)}
    assert "rock" not in game.describe(state, 0).partition("Nothing")[0]
    for action in (6, 6, 0, 2):
        state = game.apply(state, action)
    assert "the other's: rock" in game.describe(state, 0)
    assert game.to_move(game.apply(game.apply(state, 0), 1)) == 1, "the second seat begins a round"


def test_a_hand_in_words_is_believed_by_the_scripted_player() -> None:
    free, rng = TrustAndSplit(messages="free"), np.random.default_rng(0)
    rule = scripted_policy(free)
    for words, claim in (
        ("I have Rock, so be fair", "claim 0"),  # it has scissors
        ("paper!", "claim 10"), ("rock or paper, who knows", "claim 5"), ("hello", "claim 5"),
    ):  # fmt: skip
        state: Any = free.apply(free.apply(free.initial(), 0), 2)
        state = free.apply(free.apply(state, Move(None, words)), 6)
        state = free.apply(state, 1)
        assert free.action_name(state, rule.choose(state, rng)) == claim


def test_two_honest_seats_get_the_whole_welfare() -> None:
    env = TrustAndSplitEnv(seat=1, opponent="scripted", view="numeric")
    for seed in range(6):
        _, info = env.reset(seed=seed)
        assert "role" not in info
        rule = scripted_policy(env.game)
        for _ in range(2):
            state = env.get_state()["episode"].state
            *_, info = env.step(rule.choose(state, np.random.default_rng(0)))
        assert info["welfare"] == 100
