"""Pig: rules by hand, values of the literature, OpenSpiel, the text and the scripted player."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from zerogym.envs.games.core.game import CHANCE, TERMINAL
from zerogym.envs.games.dice.pig import HOLD, ROLL, Pig, PigState, scripted
from zerogym.envs.games.solvers.minimax import solve

GAME = Pig()


def after(game: Pig, *actions: int) -> PigState:
    """The state after moves and faces (from 0)."""
    state = game.initial()
    for action in actions:
        state = game.apply(state, action)
    return state


def win_probabilities(game: Pig, sweeps: int) -> dict[tuple[int, int, int], float]:
    """Value iteration over the states of an endless game, as Neller and Presser do it.

    Both players have the same values, so that (own, other, turn total) with the mover in seat 0
    are all decisions. Rolls and holds are applied by the rules.
    """
    goal = game.winscore
    keys = [(i, j, k) for i in range(goal) for j in range(goal) for k in range(goal - i + 1)]
    index = {key: place for place, key in enumerate(keys)}

    def place(state: PigState) -> int:
        own, other = state.scores[state.player], state.scores[1 - state.player]
        return index[own, other, state.turn_total]

    faces = [float(p) for _, p in game.chance(PigState())]
    holds, lost = np.zeros(len(keys), int), np.zeros(len(keys), int)
    rolls = np.zeros((len(keys), len(faces) - 1), int)
    won = np.zeros(len(keys), bool)
    for number, (own, other, total) in enumerate(keys):
        state = PigState((own, other), total)
        held = game.apply(state, HOLD)
        won[number] = game.to_move(held) == TERMINAL
        assert won[number] == (game.legal(state) == (HOLD,))
        if not won[number]:
            holds[number] = place(held)
            rolled = [game.apply(game.apply(state, ROLL), face) for face in range(len(faces))]
            assert [after_roll.player for after_roll in rolled] == [1] + [0] * (len(faces) - 1)
            lost[number], *rolls[number] = map(place, rolled)
    values = sweep(sweeps, np.array(faces), won, holds, lost, rolls)
    return dict(zip(keys, values.tolist(), strict=True))


def sweep(
    sweeps: int,
    faces: NDArray[np.float64],
    won: NDArray[np.bool_],
    holds: NDArray[np.int_],
    lost: NDArray[np.int_],
    rolls: NDArray[np.int_],
) -> NDArray[np.float64]:
    """The greater of holding and rolling, again and again."""
    values = np.where(won, 1.0, 0.5)
    for _ in range(sweeps):
        roll = faces[0] * (1 - values[lost]) + values[rolls] @ faces[1:]
        values = np.where(won, 1.0, np.maximum(1 - values[holds], roll))
    return values


def test_piglet_has_the_values_of_the_literature() -> None:
    """Neller and Presser (2004) solve it by hand: a coin, two points win."""
    values = win_probabilities(Pig(winscore=2, diceoutcomes=2, piglet=True), sweeps=100)
    expected = {
        (0, 0, 0): 4 / 7, (0, 0, 1): 5 / 7, (0, 1, 0): 2 / 5,
        (0, 1, 1): 3 / 5, (1, 0, 0): 4 / 5, (1, 1, 0): 2 / 3,
    }  # fmt: skip
    assert {key: values[key] for key in expected} == pytest.approx(expected)


@pytest.mark.proof
def test_optimal_play_wins_as_often_as_in_the_literature() -> None:
    values = win_probabilities(Pig(winscore=100), sweeps=150)
    assert values[0, 0, 0] == pytest.approx(0.5306, abs=1e-4)


@pytest.mark.proof
def test_optimal_play_of_the_default_is_what_its_page_says() -> None:
    assert win_probabilities(GAME, sweeps=200)[0, 0, 0] == pytest.approx(0.546, abs=5e-4)
    short = win_probabilities(Pig(winscore=35), sweeps=200)
    gains = [
        1 - short[other, own + total, 0] - value
        for (own, other, total), value in short.items()
        if total > 0 and own + total < 35
    ]
    assert max(gains) < -1e-9, "holding is always worse"


def test_backward_induction_with_a_horizon_nears_the_endless_game() -> None:
    game = Pig(winscore=4, diceoutcomes=3, horizon=40)
    assert game.enumerable and not GAME.enumerable
    value = solve(game)[game.initial()][0]
    assert (value + 1) / 2 == pytest.approx(win_probabilities(game, 200)[0, 0, 0], abs=1e-6)


def test_a_turn() -> None:
    rolling = after(GAME, ROLL)
    assert GAME.to_move(rolling) == CHANCE
    assert GAME.legal(rolling) == ()
    assert GAME.chance(rolling) == tuple((face, Fraction(1, 6)) for face in range(6))
    assert after(GAME, ROLL, 3, ROLL, 5) == PigState((0, 0), 10, 0, False, 2)
    assert after(GAME, ROLL, 3, ROLL, 5, HOLD) == PigState((10, 0), 0, 1, False, 3)
    assert after(GAME, ROLL, 3, ROLL, 0) == PigState((0, 0), 0, 1, False, 2)
    assert after(GAME, HOLD, ROLL, 1, HOLD) == PigState((0, 2), 0, 0, False, 3)


def test_the_end() -> None:
    near = PigState((3, 46), 3, 1, False, 20)
    assert GAME.legal(near) == (ROLL, HOLD)
    at_goal = GAME.apply(GAME.apply(near, ROLL), 5)
    assert GAME.legal(at_goal) == (HOLD,)
    end = GAME.apply(at_goal, HOLD)
    assert GAME.to_move(end) == TERMINAL
    assert end.scores == (3, 50)
    assert GAME.payoff(end) == (-1.0, 1.0)
    late = PigState((3, 46), 3, 1, False, 299)
    for action in (ROLL, HOLD):
        assert GAME.to_move(GAME.apply(late, action)) == TERMINAL
        assert GAME.payoff(GAME.apply(late, action)) == (0.0, 0.0)


def test_texts() -> None:
    state = PigState((12, 31), 9, 1, False, 40)
    assert GAME.describe(state, 1) == (
        "You (player 2) have 31, opponent 12, your turn 9. Moves left: 260.\n"
        "Reply <answer>roll</answer> or <answer>hold</answer>."
    )
    texts = "You (player 1) have 12, opponent 31, the opponent's turn 9. Moves left: 260."
    assert GAME.describe(state, 0) == texts
    winning = PigState((45, 31), 5, 0, False, 40)
    assert GAME.describe(winning, 0).endswith("\nReply <answer>hold</answer>.")
    assert GAME.parse(winning, "roll") is None
    assert (
        GAME.describe(GAME.apply(winning, HOLD), 1)
        == "You (player 2) have 31, opponent 50. You lose."
    )
    assert (
        GAME.describe(GAME.apply(winning, HOLD), 0)
        == "You (player 1) have 50, opponent 31. You win."
    )
    out_of_time = PigState((45, 31), 5, 0, False, 300)
    assert GAME.describe(out_of_time, 0).endswith("No moves are left: a draw.")
    assert "coin" in Pig(piglet=True, diceoutcomes=2).rules(0)
    assert "adds 1 to them" in Pig(piglet=True).rules(0)
    assert "bank them and end the turn" in GAME.rules(0), "what both moves do"
    assert "no moves of both together are left, it is a draw" in GAME.rules(1)


@pytest.mark.parametrize(
    ("state", "rolls"),
    [
        (PigState((0, 0), 20), True),
        (PigState((0, 0), 21), False),
        (PigState((4, 20), 22), True),  # 16 points behind: hold at 23
        (PigState((4, 20), 23), False),
        (PigState((0, 21), 25), True),  # the opponent could win soon
        (PigState((21, 0), 25), True),
    ],
)
def test_the_scripted_player_keeps_pace_then_races(state: PigState, rolls: bool) -> None:
    assert scripted(GAME, state, 0) == ((1.0, 0.0) if rolls else (0.0, 1.0))


def test_the_array_holds_counts_seat_turn_and_time() -> None:
    game, state = Pig(winscore=3, horizon=4), PigState((0, 2), 1, 1, False, 3)
    assert game.observe(state, 0).tolist() == [1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0.75]
    assert game.observe(state, 1).tolist() == [0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0.75]
