"""Colonel Blotto, against spreads worked out on paper and OpenSpiel."""

import numpy as np
import pytest

from helpers.games.positions import replay
from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.core.tabular_policy import expected_payoffs
from zerogym.envs.games.economic.blotto import Blotto, scripted, spreads
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.solvers.best_response import best_response, exploitability
from zerogym.envs.games.solvers.cfr import CFRPlus

GAME = Blotto()


def play(first: str, second: str) -> tuple[int, ...]:
    """A game of these two moves."""
    state = GAME.initial()
    for move in (first, second):
        action = GAME.parse(state, move)
        assert action is not None, move
        state = GAME.apply(state, action)
    return state


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
    state = play(first, second)
    assert GAME.to_move(state) == TERMINAL
    assert GAME.payoff(state) == (won, -won)
    assert GAME.payoff(state[::-1]) == (-won, won)


def test_actions_are_all_spreads_in_order() -> None:
    ways = spreads(10, 3)
    assert len(ways) == len(set(ways)) == GAME.num_actions == 66
    assert list(ways) == sorted(ways)
    assert {sum(way) for way in ways} == {10}
    assert ways[:3] == ((0, 0, 10), (0, 1, 9), (0, 2, 8))


@pytest.mark.parametrize(("coins", "fields"), [(10, 3), (1, 2), (5, 4), (30, 2)])
def test_openspiel_plays_the_same_game(coins: int, fields: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(f"blotto(coins={coins},fields={fields})")
    game, turns = Blotto(coins, fields), pyspiel.convert_to_turn_based(theirs)
    replay(game, turns, 500)
    state = turns.new_initial_state()
    for action in game.legal(()):
        texts = ",".join(map(str, spreads(coins, fields)[action]))
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
    assert GAME.describe(play("4 3 3", "5 5 0"), 1) == (
        "You are player 2. Your coins: 5 5 0. Opponent's: 4 3 3.\n"
        "Fields: you 2, opponent 1. You win."
    )
    assert GAME.observe(play("4 3 3", "5 5 0"), 1) == pytest.approx(
        np.array([0, 1, 0.5, 0.5, 0, 0.4, 0.3, 0.3])
    )


def test_cfr_finds_an_even_equilibrium() -> None:
    solver = CFRPlus(GAME)
    for _ in range(300):
        solver.iterate()
    strategy = solver.average()
    assert exploitability(GAME, strategy) < 0.01
    assert expected_payoffs(GAME, [strategy, strategy])[0] == pytest.approx(0, abs=1e-2)


def test_openspiel_finds_uniform_play_as_exploitable() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy as spiel_policy
    from open_spiel.python.algorithms import exploitability as spiel_exploitability

    turns = pyspiel.convert_to_turn_based(pyspiel.load_game("blotto"))
    theirs = spiel_exploitability.exploitability(turns, spiel_policy.UniformRandomPolicy(turns))
    assert exploitability(GAME, uniform_policy(GAME)) == pytest.approx(theirs)


def test_the_scripted_opponent_is_as_strong_as_it_says() -> None:
    rule = scripted_policy(GAME)
    row = scripted(GAME, (), 0)
    assert sum(row) == pytest.approx(1)
    even = {spreads(10, 3)[action] for action in range(66) if row[action]}
    assert even == {(4, 3, 3), (3, 4, 3), (3, 3, 4)}
    won = expected_payoffs(GAME, [rule, uniform_policy(GAME)])[0]
    assert won == pytest.approx(0.32, abs=5e-3)
    assert best_response(GAME, 1, rule)[1] == pytest.approx(1)
