"""Liar's dice, against rolls worked out on paper, counts and OpenSpiel."""

from typing import Any

import numpy as np
import pytest

from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.core.tabular_policy import (
    TabularPolicy,
    expected_payoffs,
    information_sets,
    layers,
)
from zerogym.envs.games.dice.liars_dice import LiarsDice, LiarsState, scripted
from zerogym.envs.games.opponents.registry import make_opponent, opponent_names, uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.solvers.best_response import best_response, exploitability, nash_conv
from zerogym.envs.games.solvers.cfr import CFRPlus
from zerogym.envs.games.solvers.mcts import MCTS
from zerogym.envs.games.solvers.oracle import best_known_player

GAME = LiarsDice()
SMALL = LiarsDice(dice_sides=3)


def play(game: LiarsDice, dice: tuple[int, int], calls: str) -> LiarsState:
    """A game with these faces, given by the names of its moves."""
    state = game.initial()
    for face in dice:
        state = game.apply(state, face - 1)
    for call in calls.split():
        action = game.parse(state, call)
        assert action is not None, call
        state = game.apply(state, action)
    return state


@pytest.mark.parametrize(
    ("dice", "calls", "won"),
    [
        ((2, 5), "1x2 liar", 1),
        ((2, 5), "1x5 liar", 1),
        ((2, 5), "1x3 liar", -1),
        ((2, 5), "1x3 2x3 liar", 1),
        ((2, 2), "2x2 liar", 1),
        ((2, 6), "2x2 liar", 1),  # a joker
        ((6, 6), "2x1 liar", 1),
        ((6, 5), "2x6 liar", -1),  # other faces are no jokers
        ((1, 6), "1x1 1x6 liar", -1),
        ((4, 1), "1x1 2x4 2x5 liar", -1),
        ((5, 6), "1x1 2x5 liar", -1),
    ],
)
def test_rolls_worked_out_on_paper(dice: tuple[int, int], calls: str, won: int) -> None:
    state = play(GAME, dice, calls)
    assert GAME.to_move(state) == TERMINAL
    assert GAME.legal(state) == ()
    assert GAME.payoff(state) == (won, -won)


def test_bids_must_rise_and_the_first_cannot_be_doubted() -> None:
    assert GAME.legal(play(GAME, (1, 1), "")) == tuple(range(12))
    state = play(GAME, (1, 1), "1x5")
    assert [GAME.action_name(state, a) for a in GAME.legal(state)] == [
        "1x6", "2x1", "2x2", "2x3", "2x4", "2x5", "2x6", "liar",
    ]  # fmt: skip
    for reply in ("1x5", "1x1", "3x1", "2x7", "2x0", "2x", "x", "5", "1x6 liar", "Liar's dice"):
        assert GAME.parse(state, reply) is None, reply
    assert GAME.parse(state, "You lie!\n<answer> LIAR. </answer>") == 12
    assert GAME.legal(play(GAME, (1, 1), "2x6")) == (12,)


@pytest.mark.parametrize("sides", [2, 3, 4])
def test_the_size_of_the_game(sides: int) -> None:
    game = LiarsDice(sides)
    rises = 4**sides  # sets of bids
    states = [state for layer in layers(game) for state in layer]
    assert len(states) == 1 + sides + sides**2 * (rises + rises - 1)
    assert len(information_sets(game)) == sides * rises
    assert game.enumerable


def test_the_default_game_is_too_large_to_walk_in_every_test() -> None:
    assert not GAME.enumerable
    with pytest.raises(ValueError, match="liars_dice"):
        layers(GAME)


def test_information_sets_are_those_of_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("liars_dice(dice_sides=3)")
    pairs, stack = set(), [(SMALL.initial(), theirs.new_initial_state())]
    while stack:
        ours, other = stack.pop()
        mover = SMALL.to_move(ours)
        if mover >= 0:
            key = (mover, SMALL.info_key(ours, mover))
            text, vector = SMALL.describe(ours, mover), SMALL.observe(ours, mover).tobytes()
            pairs.add((key, text, vector, (mover, other.information_state_string(mover))))
        if mover != TERMINAL:
            stack += [(SMALL.apply(ours, a), other.child(a)) for a in other.legal_actions()]
    for part in range(4):
        assert len({pair[part] for pair in pairs}) == len(pairs) == 192


def test_the_uniform_strategy() -> None:
    assert nash_conv(GAME, uniform_policy(GAME)) == pytest.approx(1.561489, abs=1e-6)


@pytest.mark.parametrize(("sides", "iterations"), [(3, 200), (4, 200), (6, 20)])
def test_cfr_converges(sides: int, iterations: int) -> None:
    game, solver = LiarsDice(sides), CFRPlus(LiarsDice(sides))
    for _ in range(iterations):
        solver.iterate()
    assert exploitability(game, solver.average()) < (0.1 if sides == 6 else 1e-3)


def test_the_scripted_opponent_is_as_strong_as_it_says() -> None:
    rule, random = scripted_policy(GAME), uniform_policy(GAME)
    first = expected_payoffs(GAME, [rule, random])[0]
    second = expected_payoffs(GAME, [random, rule])[1]
    assert (1 + np.mean([first, second])) / 2 == pytest.approx(0.85, abs=5e-3)
    assert (1 + exploitability(GAME, rule)) / 2 == pytest.approx(0.72, abs=5e-3)


def test_the_scripted_opponent_knows_its_own_die_only() -> None:
    for key, states in information_sets(SMALL).items():
        seat = SMALL.to_move(states[0])
        assert len({scripted(SMALL, state, seat) for state in states}) == 1, key


@pytest.mark.parametrize(
    ("dice", "calls", "answer"),
    [
        ((4, 1), "", "1x4"),  # true already
        ((6, 1), "", "1x1"),  # so is any bid on one die
        ((4, 1), "1x2", "liar"),  # 2 chances in 6
        ((4, 2), "1x2", "1x3"),  # surely true: 2 chances in 6 are better
        ((4, 2), "1x1", "1x2"),
        ((4, 6), "2x4", "liar"),  # 4 or 6: 2 chances in 6
    ],
)
def test_what_the_scripted_opponent_says(dice: tuple[int, int], calls: str, answer: str) -> None:
    state = play(GAME, dice, calls)
    assert GAME.action_name(state, scripted(GAME, state, GAME.to_move(state))) == answer


def test_a_seat_sees_the_other_die_at_the_end_only() -> None:
    for calls in ("", "1x1", "1x1 2x6"):
        states = [play(GAME, (3, other), calls) for other in range(1, 7)]
        assert len({GAME.describe(state, 0) for state in states}) == 1
        assert len({GAME.observe(state, 0).tobytes() for state in states}) == 1
    assert GAME.describe(play(GAME, (3, 6), "2x3 liar"), 1) == (
        "Your die: 6. Moves: opponent 2x3, you liar.\nOpponent's die: 3. The bid is true. You lose."
    )


@pytest.mark.parametrize("sides", [1, 0, 21, 2.5, "6", None])
def test_a_wrong_number_of_sides_is_named(sides: Any) -> None:
    with pytest.raises(ValueError, match="dice_sides"):
        LiarsDice(sides)


def test_six_sides_are_solved_though_not_enumerable() -> None:
    assert GAME.searchable and "cfr" in opponent_names(GAME)
    assert "cfr" not in opponent_names(LiarsDice(7))
    strategy = make_opponent(GAME, "cfr")
    assert strategy is make_opponent(LiarsDice(), "cfr"), "once a process"
    assert isinstance(strategy, TabularPolicy)
    assert exploitability(GAME, strategy) < 2e-3
    assert best_known_player(GAME, 0, MCTS(GAME)) is strategy
    for seat in (0, 1):
        answer, value = best_response(GAME, seat, uniform_policy(GAME))
        assert best_known_player(GAME, seat, uniform_policy(GAME)) is answer
        assert value > 0.75
