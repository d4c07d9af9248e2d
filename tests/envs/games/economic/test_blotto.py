"""Colonel Blotto, against spreads worked out on paper and OpenSpiel."""

import numpy as np
import pytest

from helpers.games.positions import after, load_spiel, scripted_choices
from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.core.tabular_policy import expected_payoffs
from zerogym.envs.games.economic.blotto import Blotto, spreads
from zerogym.envs.games.solvers.best_response import exploitability
from zerogym.envs.games.solvers.cfr import CFRPlus

GAME = Blotto()


@pytest.mark.parametrize(
    ("first", "second", "won"),
    [
        ("4 3 3", "5 5 0", -1),
        ("4 3 3", "3 3 4", 0),
        ("10 0 0", "0 0 10", 0),
        ("10 0 0", "8 1 1", -1),
        ("1 0 9", "0 1 9", 0),
        ("5 5 0", "4 5 1", 0),
        ("5 5 0", "4 4 2", 1),
        ("0 0 10", "0 1 9", 0),
    ],
)
def test_spreads_worked_out_on_paper(first: str, second: str, won: int) -> None:
    state = after(GAME, (first, second))
    assert GAME.to_move(state) == TERMINAL
    assert GAME.payoff(state) == (won, -won)
    assert GAME.payoff(state[::-1]) == (-won, won)


def test_actions_are_all_spreads_in_order() -> None:
    ways = spreads(10, 3)
    assert len(ways) == len(set(ways)) == GAME.num_actions == 66
    assert list(ways) == sorted(ways)
    assert {sum(way) for way in ways} == {10}
    assert ways[:3] == ((0, 0, 10), (0, 1, 9), (0, 2, 8))


def test_openspiel_names_the_same_spreads() -> None:
    state = load_spiel("blotto", coins=5, fields=4).new_initial_state()
    for action, spread in enumerate(spreads(5, 4)):
        texts = ",".join(map(str, spread))
        assert f"[{texts}]" in state.action_to_string(action)


@pytest.mark.parametrize(
    "reply",
    ["4 3 3", "4, 3, 3", "[4,3,3]", "(4; 3; 3).", "So:\n<answer> 4/3/3 </answer>", "{4,3, 3}"],
)
def test_ways_to_write_a_spread(reply: str) -> None:
    action = GAME.parse((), reply)
    assert action is not None
    assert spreads(10, 3)[action] == (4, 3, 3)


@pytest.mark.parametrize(
    "reply",
    [
        "", "433", "4 3 2", "4 3 4", "4 3 3 0", "10", "10 0", "-4 7 7", "4 -3 9", "4.0 3 3",
        "4 + 3 + 3", "four three three", "a b c", "4 3 3 or 5 5 0", "４ 3 3", "99999999999 1 1",
        "4 3 3 " * 100_000, "\ud800", "1e1 0 0",
    ],
)  # fmt: skip
def test_what_is_no_spread_is_no_move(reply: str) -> None:
    assert GAME.parse((), reply) is None


def test_the_other_move_is_hidden_until_the_end() -> None:
    states = [(move,) for move in range(66)]
    assert len({GAME.describe(state, 1) for state in states}) == 1
    assert len({GAME.observe(state, 1).tobytes() for state in states}) == 1
    assert "Your coins: 0 0 10." in GAME.describe((0,), 0)
    assert GAME.describe(after(GAME, ("4 3 3", "5 5 0")), 1) == (
        "You are player 2. Your coins: 5 5 0. Opponent's: 4 3 3.\n"
        "Fields: you 2, opponent 1. You win."
    )
    assert GAME.observe(after(GAME, ("4 3 3", "5 5 0")), 1) == pytest.approx(
        np.array([0, 1, 0.5, 0.5, 0, 0.4, 0.3, 0.3])
    )


def test_cfr_finds_an_even_equilibrium() -> None:
    solver = CFRPlus(GAME)
    for _ in range(300):
        solver.iterate()
    strategy = solver.average()
    assert exploitability(GAME, strategy) < 0.01
    assert expected_payoffs(GAME, [strategy, strategy])[0] == pytest.approx(0, abs=1e-2)


def test_the_scripted_opponent_spreads_evenly() -> None:
    assert scripted_choices(GAME, ()) == {"4 3 3", "3 4 3", "3 3 4"}
