"""Games as arrays: order of information sets, and the solvers that use it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from zerogym.envs.games.board.tic_tac_toe import TicTacToe
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.cards.leduc_poker import LeducPoker
from zerogym.envs.games.core.game import CHANCE, TERMINAL
from zerogym.envs.games.core.tabular_policy import (
    TabularPolicy,
    expected_payoffs,
    information_sets,
    layers,
)
from zerogym.envs.games.core.tree import compiled
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.solvers.best_response import best_response, exploitability
from zerogym.envs.games.solvers.cfr import CFRPlus


@pytest.mark.parametrize("game", [KuhnPoker(), TicTacToe(), LeducPoker()])
def test_a_tree_has_the_states_and_information_sets_of_its_game(game: Any) -> None:
    tree = compiled(game)
    states = [state for layer in layers(game) for state in layer]
    assert tree.size == len(states)
    assert len(tree.leaves) == sum(game.to_move(state) == TERMINAL for state in states)
    sets = information_sets(game)
    assert set(tree.keys) == set(sets)
    counts = {key: len(game.legal(members[0])) for key, members in sets.items()}
    assert {key: len(row) for key, row in tree.rows(tree.uniform()).items()} == counts


@pytest.mark.parametrize("game", [KuhnPoker(), TicTacToe(), LeducPoker()])
def test_an_information_set_is_in_one_level_and_after_its_parents(game: Any) -> None:
    tree = compiled(game)
    for seat in range(game.num_seats):
        reached, decided = {0}, set()
        for edges in tree.levels(seat):
            assert set(edges.parent) <= reached
            own = {int(s) for s in tree.set_of_slot[edges.slot[edges.mover == seat]]}
            assert not own & decided
            reached |= set(edges.child)
            decided |= own
        assert len(reached) == tree.size
        assert len(decided) == int(np.sum(tree.mover == seat))


@dataclass(frozen=True)
class Detour:
    """Seat 1 may have moved once or twice when seat 0, who cannot tell, guesses that.

    With `forgetful`, seat 0 guesses a second time and has forgotten that it did before.
    """

    forgetful: bool = False
    name: str = "detour"
    num_seats: int = 2
    zero_sum: bool = True

    def initial(self) -> str:
        return ""

    def to_move(self, state: str) -> int:
        if not state:
            return CHANCE
        guesses = sum(letter in "xy" for letter in state)
        if guesses == 1 + self.forgetful:
            return TERMINAL
        return 1 if not guesses and len(state) < 2 + (state[0] == "l") else 0

    def legal(self, state: str) -> tuple[int, ...]:
        return (0, 1) if self.to_move(state) >= 0 else ()

    def chance(self, state: str) -> tuple[tuple[int, Fraction], ...]:
        return ((0, Fraction(1, 3)), (1, Fraction(2, 3)))

    def apply(self, state: str, action: int) -> str:
        return state + {CHANCE: "sl", 0: "xy", 1: "ab"}[self.to_move(state)][action]

    def payoff(self, state: str) -> tuple[float, float]:
        won = 1.0 if (state[-1] == "y") == (state[0] == "l") else -1.0
        return (won, -won)

    def info_key(self, state: str, seat: int) -> str:
        return "?" if seat == 0 else state


def test_an_information_set_may_lie_at_several_depths() -> None:
    game: Any = Detour()
    policy, value = best_response(game, 0, uniform_policy(game))
    assert policy.table == {"?": (0.0, 1.0)}
    assert value == pytest.approx(1 / 3)
    solver = CFRPlus(game)
    for _ in range(50):
        solver.iterate()
    assert expected_payoffs(game, [solver.average()] * 2)[0] == pytest.approx(1 / 3, abs=1e-2)


def test_a_seat_that_forgets_is_refused() -> None:
    game: Any = Detour(forgetful=True)
    with pytest.raises(ValueError, match="forgets"):
        best_response(game, 0, uniform_policy(game))


def test_cfr_solves_leduc_poker() -> None:
    game, solver, gaps = LeducPoker(), CFRPlus(LeducPoker()), []
    for _ in range(4):
        for _ in range(50):
            solver.iterate()
        gaps.append(exploitability(game, solver.average()))
    assert gaps[0] < 0.1
    assert gaps[0] > gaps[1] > gaps[2] > gaps[3]
    assert gaps[3] < 0.01
    value = expected_payoffs(game, [solver.average()] * 2)[0]
    assert value == pytest.approx(-0.0856, abs=1e-3)  # of the first seat, as OpenSpiel has it


def test_what_does_not_matter_is_answered_by_the_first_action() -> None:
    """Be it equal, as with K, or never met, as a bet of one who always passes."""
    game = KuhnPoker()
    folder = TabularPolicy(game, {f"{c}:{m}": (1, 0) for c in "JQK" for m in ("", "p", "b", "pb")})
    policy, value = best_response(game, 1, folder)
    assert value == 1
    assert {policy.table[f"{card}:b"] for card in "JQK"} == {(1.0, 0.0)}
    assert [policy.table[f"{card}:p"][1] for card in "JQK"] == [1.0, 1.0, 0.0]
