"""Backgammon: odds of the literature, and races solved exactly."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from zerogym.envs.games.core.game import CHANCE, TERMINAL
from zerogym.envs.games.dice.backgammon import Backgammon, BackgammonState
from zerogym.envs.games.dice.backgammon_board import SHOTS, Side, ways
from zerogym.envs.games.solvers.mcts import MCTS

GAME = Backgammon()


@cache
def value(state: BackgammonState) -> Fraction:
    """The value of a race for the first seat under perfect play."""
    mover = GAME.to_move(state)
    if mover == TERMINAL:
        return Fraction(GAME.payoff(state)[0])
    if mover == CHANCE:
        rolls = GAME.chance(state)
        return sum((p * value(GAME.apply(state, roll)) for roll, p in rolls), Fraction())
    values = [value(GAME.apply(state, action)) for action in GAME.legal(state)]
    return max(values) if mover == 0 else min(values)


def to_roll(own: Side, other: Side) -> BackgammonState:
    """The first seat is to roll, late in the game."""
    return BackgammonState((own, other), (), 0, False, 40)


# Rolls of 36 that bear off one or two checkers at once, as tables of bear-offs have them.
OFF_AT_ONCE = {
    (1,): 36, (2,): 36, (3,): 36, (4,): 34, (5,): 31, (6,): 27,
    (1, 1): 36, (2, 1): 36, (3, 1): 34, (4, 1): 29, (5, 1): 23, (6, 1): 15,
    (2, 2): 26, (3, 2): 25, (4, 2): 23, (5, 2): 19, (6, 2): 13,
    (3, 3): 17, (4, 3): 17, (5, 3): 14, (6, 3): 10,
    (4, 4): 11, (5, 4): 10, (6, 4): 8, (5, 5): 6, (6, 5): 6, (6, 6): 4,
}  # fmt: skip


@pytest.mark.parametrize("left", OFF_AT_ONCE, ids=str)
def test_odds_of_bearing_off_at_once(left: tuple[int, ...]) -> None:
    own = (*left, 0, 0)[:3]  # the other side is off by any roll: who misses has lost
    assert value(to_roll(own, (1, 0, 0))) == 2 * Fraction(OFF_AT_ONCE[left], 36) - 1


def test_a_race_of_two_rolls_by_hand() -> None:
    """From 6 a checker is off by 27 rolls of 36, and always by the second roll."""
    first = Fraction(27, 36)
    wins = first + (1 - first) * (1 - first)
    assert value(to_roll((6, 0, 0), (6, 0, 0))) == 2 * wins - 1 == Fraction(5, 8)


def test_seats_are_alike() -> None:
    sides = ((6, 5, 0), (4, 4, 0))
    assert value(to_roll(*sides)) == -value(BackgammonState(sides[::-1], (), 1, False, 40))


def test_search_finds_the_best_move_of_a_race() -> None:
    state = BackgammonState(((6, 4, 0), (2, 2, 0)), (1, 2), 0, False, 40)
    exact = {a: float(value(GAME.apply(state, a))) for a in GAME.legal(state)}
    assert len(set(exact.values())) > 1
    found = MCTS(GAME, 3000).search(state, np.random.default_rng(0))
    best = max(found, key=lambda action: found[action].visits)
    assert exact[best] == max(exact.values())
    assert found[best].value == pytest.approx(exact[best], abs=0.1)


def hits(distance: int) -> int:
    """Rolls of 36 by which a checker from the bar hits one so far ahead."""
    counted = 0
    for low in range(1, 7):
        for high in range(low, 7):
            reached = [*ways((25, 0, 0), (25, 25, distance), (low, high))]
            if low == high:  # the other half
                for _, _, own, other in list(reached):
                    reached += ways(own, other, (low, high))
            is_hit = any(other == (25, 25, 25) for _, _, _, other in reached)
            counted += is_hit * (1 if low == high else 2)
    return counted


def test_odds_of_a_hit_are_those_of_the_rules() -> None:
    assert [hits(distance) for distance in range(1, 25)] == list(SHOTS[1:25])
