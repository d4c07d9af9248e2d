"""Alpha-beta search, against backward induction and a plain recursion."""

from typing import Any

import numpy as np
import pytest

from helpers.games.matches import chance_of_so_many, play
from zerogym.envs.games.board.connect_four import ConnectFour
from zerogym.envs.games.board.tic_tac_toe import TicTacToe
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.core.game import TERMINAL, Game, load_game
from zerogym.envs.games.opponents.registry import opponent_names
from zerogym.envs.games.solvers.alpha_beta import AlphaBeta
from zerogym.envs.games.solvers.minimax import minimax_policy, solve

TOE, KUHN, FOUR = TicTacToe(), KuhnPoker(), ConnectFour()


def test_alpha_beta_is_minimax_at_every_position_of_tic_tac_toe() -> None:
    exact, table, found = solve(TOE), minimax_policy(TOE), AlphaBeta(TOE)
    for state, value in exact.items():
        assert found.value(state) == value[0]
        if TOE.to_move(state) != TERMINAL:
            assert found.probabilities(state) == table.probabilities(state)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("tic_tac_toe", {}),
        ("dots_and_boxes", {"num_rows": 1, "num_cols": 3, "utility_margin": True}),
    ],
)
def test_bounds_of_earlier_searches_are_not_taken_for_values(
    name: str, parameters: dict[str, Any]
) -> None:
    """From the first position down, where the table is full of bounds, and in any order."""
    game = load_game(name, **parameters)
    exact, rng = solve(game), np.random.default_rng(0)
    states = list(reversed(exact))
    assert states[0] == game.initial()
    for order in (states, [states[index] for index in rng.permutation(len(states))]):
        found = AlphaBeta(game)
        for state in order:
            assert found.value(state) == exact[state][0]


def plain_value(game: Game[Any], state: Any) -> float:
    """Minimax for seat 0, without any pruning."""
    mover = game.to_move(state)
    if mover == TERMINAL:
        return game.payoff(state)[0]
    values = [plain_value(game, game.apply(state, action)) for action in game.legal(state)]
    return max(values) if mover == 0 else min(values)


def test_alpha_beta_solves_the_last_moves_of_connect_four() -> None:
    rng, values, solved = np.random.default_rng(0), [], 0
    while solved < 60:
        state = FOUR.initial()
        for _ in range(34):
            if FOUR.to_move(state) != TERMINAL:
                state = FOUR.apply(state, int(rng.choice(FOUR.legal(state))))
        if FOUR.to_move(state) == TERMINAL:
            continue
        solved += 1
        values.append(plain_value(FOUR, state))
        found = AlphaBeta(FOUR)
        assert found.value(state) == values[-1]
        seat = FOUR.to_move(state)
        worth = {a: plain_value(FOUR, FOUR.apply(state, a)) for a in FOUR.legal(state)}
        best = max(worth.values()) if seat == 0 else min(worth.values())
        assert found.best(state) == tuple(a for a in worth if worth[a] == best)
    assert set(values) == {-1.0, 0.0, 1.0}


def test_alpha_beta_is_minimax_in_games_with_several_moves_in_a_row() -> None:
    """A seat that closes a box moves again; and margins are values between a win and a loss."""
    for margin in (False, True):
        game = load_game("dots_and_boxes", num_rows=1, num_cols=3, utility_margin=margin)
        exact, found = solve(game), AlphaBeta(game)
        for state, value in exact.items():
            assert found.value(state) == value[0]
            if game.to_move(state) != TERMINAL:
                row = minimax_policy(game).probabilities(state)
                assert found.probabilities(state) == row
    assert len({value[0] for value in exact.values()}) == 4
    wider = load_game("dots_and_boxes", num_rows=2, num_cols=3)
    assert "minimax" in opponent_names(wider) and not wider.enumerable
    assert AlphaBeta(wider).value(wider.initial()) == -1


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("hex", {"board_size": 3}), ("nim", {}), ("nim", {"heaps": (2, 3, 4), "misere": True})],
)
def test_alpha_beta_is_minimax_in_other_small_games(name: str, parameters: dict[str, Any]) -> None:
    game = load_game(name, **parameters)
    exact, found = solve(game), AlphaBeta(game)
    assert all(found.value(state) == value[0] for state, value in exact.items())
    assert len(exact) > 100


@pytest.mark.parametrize("play_outs", [0, 8])
def test_a_depth_limit_sees_what_is_near(play_outs: int) -> None:
    rng = np.random.default_rng(0)
    assert AlphaBeta(TOE, 1, play_outs).choose("XX.OO....", rng) == 2
    assert AlphaBeta(TOE, 2, play_outs).choose("XX..O....", rng) == 2
    first, second = (AlphaBeta(TOE, 2, play_outs) for _ in range(2))
    assert first.value("X...O....") == second.value("X...O....")
    assert (AlphaBeta(TOE, 1, 8).value("....X....") > 0) and AlphaBeta(TOE, 1).value("." * 9) == 0


def test_play_outs_at_the_depth_limit_make_it_stronger() -> None:
    rng, payoffs = np.random.default_rng(0), []
    blind, seeing = AlphaBeta(TOE, 1), AlphaBeta(TOE, 1, 10)
    for game in range(60):
        seats = (seeing, blind) if game % 2 else (blind, seeing)
        payoffs.append(play(TOE, seats, rng)[1 - game % 2])
    wins, losses = payoffs.count(1.0), payoffs.count(-1.0)
    assert chance_of_so_many(wins, wins + losses) < 1e-3, (wins, losses)


def test_alpha_beta_refuses_what_it_cannot_solve() -> None:
    with pytest.raises(ValueError, match="perfect_information=False"):
        AlphaBeta(KUHN)
    with pytest.raises(ValueError, match="depth"):
        AlphaBeta(TOE, 0)
