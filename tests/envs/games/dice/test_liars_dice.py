"""Liar's dice, against rolls worked out on paper, counts and OpenSpiel."""

import pytest

from helpers.games.positions import after, names, scripted_choices
from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.core.tabular_policy import (
    TabularPolicy,
    information_sets,
    layers,
)
from zerogym.envs.games.dice.liars_dice import LiarsDice, LiarsState
from zerogym.envs.games.opponents.registry import make_opponent, opponent_names, uniform_policy
from zerogym.envs.games.solvers.best_response import best_response, exploitability, nash_conv
from zerogym.envs.games.solvers.cfr import CFRPlus
from zerogym.envs.games.solvers.mcts import MCTS
from zerogym.envs.games.solvers.oracle import best_known_player

GAME = LiarsDice()


def play(dice: tuple[int, int], calls: str) -> LiarsState:
    """A game with these faces, given by the names of its moves."""
    first, second = dice
    rolled = GAME.apply(GAME.apply(GAME.initial(), first - 1), second - 1)
    return after(GAME, calls.split(), rolled)


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
    state = play(dice, calls)
    assert GAME.to_move(state) == TERMINAL
    assert GAME.legal(state) == ()
    assert GAME.payoff(state) == (won, -won)


def test_bids_must_rise_and_the_first_cannot_be_doubted() -> None:
    assert GAME.legal(play((1, 1), "")) == tuple(range(12))
    state = play((1, 1), "1x5")
    assert names(GAME, state) == ["1x6", "2x1", "2x2", "2x3", "2x4", "2x5", "2x6", "liar"]
    for reply in ("1x5", "1x1", "3x1", "2x7", "2x0", "2x", "x", "5", "1x6 liar", "Liar's dice"):
        assert GAME.parse(state, reply) is None, reply
    assert GAME.parse(state, "You lie!\n<answer> LIAR. </answer>") == 12
    assert GAME.legal(play((1, 1), "2x6")) == (12,)


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


@pytest.mark.proof
def test_the_uniform_strategy() -> None:
    assert nash_conv(GAME, uniform_policy(GAME)) == pytest.approx(1.561489, abs=1e-6)


@pytest.mark.parametrize(
    ("sides", "iterations"), [(3, 200), (4, 200), pytest.param(6, 20, marks=pytest.mark.proof)]
)
def test_cfr_converges(sides: int, iterations: int) -> None:
    game, solver = LiarsDice(sides), CFRPlus(LiarsDice(sides))
    for _ in range(iterations):
        solver.iterate()
    assert exploitability(game, solver.average()) < (0.1 if sides == 6 else 1e-3)


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
    state = play(dice, calls)
    assert scripted_choices(GAME, state) == {answer}


@pytest.mark.proof
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
