"""Kuhn poker with three players, against OpenSpiel and the literature; two are in other files."""

from itertools import permutations

import numpy as np
import pytest

from helpers.games.positions import positions
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker, KuhnPokerEnv, KuhnState, scripted
from zerogym.envs.games.core.game import TERMINAL, load_game
from zerogym.envs.games.core.tabular_policy import information_sets
from zerogym.envs.games.opponents.registry import opponent_names, uniform_policy
from zerogym.envs.games.solvers.best_response import nash_conv

THREE = KuhnPoker(players=3)


def test_counts_and_the_uniform_strategy_of_three() -> None:
    assert len(information_sets(THREE)) == 48  # 4 cards, 4 decisions in each of 3 seats
    assert nash_conv(THREE, uniform_policy(THREE)) == pytest.approx(2.0625)
    ends = [state for state in positions(THREE) if THREE.to_move(state) == TERMINAL]
    assert len({state.moves for state in ends}) == 13
    assert {payoff for state in ends for payoff in THREE.payoff(state)} == {-2, -1, 2, 3, 4}


@pytest.mark.parametrize(
    ("moves", "payoffs"),
    [
        ("ppp", (-1, -1, 2)),  # the highest card is in the third seat
        ("bpp", (2, -1, -1)),
        ("bbp", (-2, 3, -1)),
        ("bbb", (-2, -2, 4)),
        ("pbpp", (-1, 2, -1)),
        ("ppbbp", (-2, -1, 3)),
        ("pbpb", (-2, 3, -1)),
    ],
)
def test_hands_of_three_by_hand(moves: str, payoffs: tuple[float, ...]) -> None:
    state = KuhnState((0, 1, 3), moves)
    assert THREE.to_move(state) == TERMINAL
    assert THREE.payoff(state) == payoffs


def test_only_cards_in_the_showdown_are_shown() -> None:
    for cards in permutations(range(4), 3):
        folded = THREE.describe(KuhnState(cards, "pbpp"), 2)
        assert "card:" not in folded.partition("Your card:")[2]
        called = THREE.describe(KuhnState(cards, "bpb"), 1)
        assert f"Player 1's card: {'JQKA'[cards[0]]}. Player 3's card" in called
        called = THREE.describe(KuhnState(cards, "bpb"), 0)
        assert "Player 2's card" not in called and "Player 3's card" in called
    text = THREE.describe(KuhnState((0, 3, 1), "pbpb"), 0)
    assert text == (
        "Your card: J. Moves: you check, player 2 bets, player 3 folds, you call.\n"
        "Player 2's card: A. You lose 2 chips."
    )


def test_an_environment_of_three() -> None:
    env = KuhnPokerEnv(players=3, seat=2, view="text", opponent="scripted")
    assert "You move third." in env.reset(seed=0)[0]
    assert env.game == load_game("kuhn_poker", players=3)
    assert "cfr" not in opponent_names(env.game)
    env.reset(seed=1)
    assert env.oracle_action() in {
        f"<answer>{m}</answer>" for m in ("check", "bet", "call", "fold")
    }
    with pytest.raises(ValueError, match="players"):
        KuhnPokerEnv(players=4)


def test_the_rule_of_thumb_knows_the_two_best_cards() -> None:
    bets = {
        (card, moves): scripted(
            THREE, KuhnState((card, *np.delete([0, 1, 2, 3], card)[:2]), moves), 0
        )
        for card in range(4)
        for moves in ("", "pbp")
    }
    assert {key for key, bet in bets.items() if bet} == {(3, ""), (3, "pbp"), (2, "pbp")}
