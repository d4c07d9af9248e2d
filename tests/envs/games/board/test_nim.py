"""Nim: rules, Bouton's theorem against backward induction, OpenSpiel, text and scripted player."""

import numpy as np
import pytest

from zerogym.envs.games.board.nim import Nim, NimState, is_lost, scripted
from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.solvers.minimax import minimax_policy, solve

GAMES = [
    Nim(heaps, misere)
    for heaps in ((1,), (5,), (1, 1), (2, 3), (1, 2, 3), (2, 2, 2, 1), (1, 3, 5, 7))
    for misere in (False, True)
]
EACH = pytest.mark.parametrize("game", GAMES, ids=str)


@EACH
def test_the_theorem_is_what_backward_induction_finds(game: Nim) -> None:
    for state, values in solve(game).items():
        mover = game.to_move(state)
        if mover != TERMINAL:
            assert (values[mover] == -1) == is_lost(game, state.heaps)


@EACH
def test_the_scripted_player_is_perfect(game: Nim) -> None:
    perfect = minimax_policy(game)
    for state in solve(game):
        if game.to_move(state) != TERMINAL:
            row = scripted(game, state, state.mover)
            assert row == pytest.approx(perfect.probabilities(state))


def test_lost_positions_by_hand() -> None:
    normal, misere = Nim(), Nim(misere=True)
    lost = [(1, 1), (2, 2), (1, 2, 3), (1, 4, 5), (1, 3, 5, 7), (2, 4, 6), (50, 50)]
    won = [(1,), (7,), (1, 2), (1, 1, 1), (3, 5, 7), (1, 3, 5), (50, 49)]
    assert all(is_lost(normal, heaps) for heaps in lost)
    assert not any(is_lost(normal, heaps) for heaps in won)
    assert is_lost(misere, (1,)) and is_lost(misere, (1, 1, 1)) and is_lost(misere, (2, 2))
    assert not is_lost(misere, (1, 1)) and not is_lost(misere, (2,))


def test_heaps_too_large_for_a_tree_are_played_perfectly() -> None:
    game = Nim((31, 42, 53, 64))
    assert not game.enumerable and Nim().enumerable
    rng = np.random.default_rng(0)
    for _ in range(20):
        state = game.initial()  # 31 ^ 42 ^ 53 ^ 64 is not 0: the first player can win
        while game.to_move(state) != TERMINAL:
            row = scripted(game, state, 0) if state.mover == 0 else None
            state = game.apply(state, int(rng.choice(game.legal(state), p=row)))
        assert game.payoff(state) == (1.0, -1.0)


def test_a_game_by_hand() -> None:
    game = Nim((1, 2))
    state = game.initial()
    assert [game.action_name(state, action) for action in game.legal(state)] == ["A1", "B1", "B2"]
    assert game.legal(state) == (0, 1, 3)
    state = game.apply(state, 3)
    assert state == NimState((1, 0), 1)
    assert game.legal(state) == (0,)
    state = game.apply(state, 0)
    assert (game.to_move(state), game.legal(state)) == (TERMINAL, ())
    assert game.payoff(state) == (-1.0, 1.0)
    assert Nim((1, 2), misere=True).payoff(state) == (1.0, -1.0)
    assert game.describe(state, 0).endswith("You lose.")
    assert game.describe(state, 1).endswith("You win.")


def test_what_a_seat_reads_and_sees() -> None:
    game = Nim((2, 3))
    state = game.apply(game.initial(), 3)  # two objects of the second heap
    assert game.describe(state, 1) == (
        "Heaps: A has 2, B has 1. You are player 2.\n"
        "Reply <answer>heap and count</answer>; <answer>A1</answer> takes 1 from heap A."
    )
    assert "Reply" not in game.describe(state, 0)
    assert game.observe(state, 1).tolist() == [0, 1, 1, 1, 1, 0, 0]
    assert game.observe(state, 0).tolist() == [1, 0, 1, 1, 1, 0, 0]
    assert "loses" in Nim(misere=True).rules(0) and "wins" in Nim().rules(0)


@pytest.mark.parametrize("reply", ["B2", "b2", "B 2", "<answer> b  2. </answer>", "Well:\n(B2)"])
def test_moves_are_read(reply: str) -> None:
    assert Nim().parse(Nim().initial(), reply) == 5
