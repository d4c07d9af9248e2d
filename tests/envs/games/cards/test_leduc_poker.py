"""Leduc poker, against hands worked out on paper, counts and OpenSpiel."""

import numpy as np
import pytest

from zerogym.envs.games.cards.leduc_poker import CALL, FOLD, RAISE, LeducPoker, LeducState
from zerogym.envs.games.core.game import CHANCE, TERMINAL
from zerogym.envs.games.core.tabular_policy import (
    TabularPolicy,
    information_sets,
    layers,
)
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.solvers.best_response import nash_conv

GAME = LeducPoker()
JS, JH, QS, QH, KS, KH = range(6)


def play(cards: tuple[int, ...], moves: str) -> LeducState:
    """A hand with these cards; each of `fcr` is one move."""
    state, left = GAME.apply(GAME.apply(GAME.initial(), cards[0]), cards[1]), list(cards[2:])
    for letter in moves:
        state = GAME.apply(state, "fcr".index(letter))
        if GAME.to_move(state) == CHANCE:
            state = GAME.apply(state, left.pop())
    return state


@pytest.mark.parametrize(
    ("cards", "moves", "won"),
    [
        ((KS, JS), "rf", 1),
        ((KS, JS), "crf", -1),
        ((KS, JS), "rrf", -3),
        ((KS, JS, QS), "cccc", 1),
        ((KS, JS, JH), "cccc", -1),  # a pair beats a K
        ((KS, KH, JH), "rccc", 0),  # equal cards
        ((QS, KH, QH), "crcrc", 7),
        ((QS, KH, JS), "crrcrrc", -13),
        ((QS, KH, JS), "crrccrrc", -13),
        ((KS, QS, JS), "rcrf", 3),
        ((KS, QS, JS), "rrcrrf", -9),
        ((JS, QS, KS), "cccrf", -1),
        ((JS, QS, KS), "ccrc", -5),
    ],
)
def test_hands_worked_out_on_paper(cards: tuple[int, ...], moves: str, won: int) -> None:
    state = play(cards, moves)
    assert GAME.to_move(state) == TERMINAL
    assert GAME.legal(state) == ()
    assert GAME.payoff(state) == (won, -won)


@pytest.mark.parametrize(
    ("moves", "mover", "legal"),
    [
        ("", 0, (CALL, RAISE)),
        ("c", 1, (CALL, RAISE)),
        ("r", 1, (FOLD, CALL, RAISE)),
        ("rr", 0, (FOLD, CALL)),
        ("crr", 1, (FOLD, CALL)),
        ("rc", 0, (CALL, RAISE)),
        ("ccc", 1, (CALL, RAISE)),
        ("rrccr", 0, (FOLD, CALL, RAISE)),
    ],
)
def test_whose_turn_and_what_is_legal(moves: str, mover: int, legal: tuple[int, ...]) -> None:
    state = play((JS, QS, KS), moves)
    assert (GAME.to_move(state), GAME.legal(state)) == (mover, legal)


def test_the_size_of_the_game() -> None:
    states = [state for layer in layers(GAME) for state in layer]
    assert len(states) == 9457
    assert sum(GAME.to_move(state) == TERMINAL for state in states) == 5520
    assert len(information_sets(GAME)) == 936


def test_the_uniform_strategy() -> None:
    assert nash_conv(GAME, uniform_policy(GAME)) == pytest.approx(4.747222, abs=1e-6)


def test_a_fold_shows_no_card_and_a_showdown_does() -> None:
    folded = [play((JS, other), "rf") for other in (JH, QS, KS)]
    assert len({GAME.describe(state, 0) for state in folded}) == 1
    shown = GAME.describe(play((QS, KH, QH), "crcrc"), 1)
    assert shown == (
        "Your card: Kh. Round 1: opponent checks, you raise, opponent calls.\n"
        "Public card: Qh. Round 2: opponent raises, you call.\n"
        "In the pot: you 7, opponent 7.\n"
        "Opponent's card: Qs. You lose 7 chips."
    )
    assert "You share the pot." in GAME.describe(play((KS, KH, JH), "rccc"), 0)


def test_moves_have_the_name_of_the_moment() -> None:
    state = play((JS, QS), "c")
    assert [GAME.action_name(state, action) for action in GAME.legal(state)] == ["check", "raise"]
    assert GAME.parse(state, "call") is GAME.parse(state, "fold") is None
    state = play((JS, QS), "rr")
    assert GAME.parse(state, "<answer> Call </answer>") == CALL
    assert GAME.parse(state, "raise") is GAME.parse(state, "check") is None


def test_random_strategies_have_the_nash_conv_of_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy as spiel_policy
    from open_spiel.python.algorithms import exploitability as spiel_exploitability

    theirs = spiel_policy.TabularPolicy(pyspiel.load_game("leduc_poker"))
    rng = np.random.default_rng(0)
    table = {}
    stack = [(GAME.initial(), theirs.game.new_initial_state())]
    while stack:
        ours, other = stack.pop()
        mover = GAME.to_move(ours)
        if mover >= 0:
            key, legal = GAME.info_key(ours, mover), list(GAME.legal(ours))
            if key not in table:
                table[key] = rng.dirichlet(np.ones(len(legal)))
                row = theirs.policy_for_key(other.information_state_string(mover))
                row[:] = 0
                row[legal] = table[key]
        if mover != TERMINAL:
            stack += [(GAME.apply(ours, a), other.child(a)) for a in other.legal_actions()]
    assert nash_conv(GAME, TabularPolicy(GAME, table)) == pytest.approx(
        spiel_exploitability.nash_conv(theirs.game, theirs)
    )
