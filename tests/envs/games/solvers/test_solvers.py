"""Exact solvers, against closed forms and OpenSpiel."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from zerogym.envs.games.board.tic_tac_toe import TicTacToe
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.core.game import load_game
from zerogym.envs.games.core.seat_views import View
from zerogym.envs.games.core.tabular_policy import TabularPolicy, expected_payoffs
from zerogym.envs.games.core.tabulate import tabulate
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.solvers.best_response import best_response, exploitability, nash_conv
from zerogym.envs.games.solvers.cfr import CFRPlus, cfr_equilibrium
from zerogym.envs.games.solvers.minimax import minimax_policy, solve

KUHN = KuhnPoker()
VALUE = -1 / 18  # of the first seat; Kuhn (1950)


def kuhn_equilibrium(alpha: float) -> TabularPolicy:
    """The equilibria in closed form: the first seat bluffs with J at a rate alpha in [0, 1/3]."""
    bet = {
        "J:": alpha, "Q:": 0.0, "K:": 3 * alpha,
        "J:pb": 0.0, "Q:pb": alpha + 1 / 3, "K:pb": 1.0,
        "J:p": 1 / 3, "Q:p": 0.0, "K:p": 1.0,
        "J:b": 0.0, "Q:b": 1 / 3, "K:b": 1.0,
    }  # fmt: skip
    return TabularPolicy(KUHN, {key: (1 - p, p) for key, p in bet.items()})


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.2, 1 / 3])
def test_the_closed_form_equilibria_of_kuhn_poker_cannot_be_exploited(alpha: float) -> None:
    strategy = kuhn_equilibrium(alpha)
    assert expected_payoffs(KUHN, [strategy, strategy]) == pytest.approx([VALUE, -VALUE])
    assert nash_conv(KUHN, strategy) == pytest.approx(0, abs=1e-12)


def test_beyond_the_family_kuhn_poker_is_exploitable() -> None:
    table = dict(kuhn_equilibrium(0.2).table) | {"J:": (0.5, 0.5)}
    assert nash_conv(KUHN, TabularPolicy(KUHN, table)) > 0.01


def test_cfr_finds_the_value_and_a_member_of_the_family() -> None:
    strategy = cfr_equilibrium(KUHN)
    assert expected_payoffs(KUHN, [strategy, strategy])[0] == pytest.approx(VALUE, abs=1e-3)
    assert exploitability(KUHN, strategy) < 1e-4
    alpha = strategy.table["J:"][1]
    for key, row in kuhn_equilibrium(alpha).table.items():
        assert strategy.table[key] == pytest.approx(row, abs=0.03), key


def test_cfr_converges() -> None:
    solver, gaps = CFRPlus(KUHN), []
    for _ in range(3):
        for _ in range(50):
            solver.iterate()
        gaps.append(exploitability(KUHN, solver.average()))
    assert gaps[0] > gaps[1] > gaps[2]


def test_the_uniform_strategy_of_kuhn_poker() -> None:
    uniform = uniform_policy(KUHN)
    assert expected_payoffs(KUHN, [uniform, uniform]) == pytest.approx([1 / 8, -1 / 8])
    assert nash_conv(KUHN, uniform) == pytest.approx(11 / 12)
    assert exploitability(KUHN, uniform) == pytest.approx(0.4583333, abs=1e-7)
    assert best_response(KUHN, 0, uniform)[1] == pytest.approx(1 / 2)
    assert best_response(KUHN, 1, uniform)[1] == pytest.approx(5 / 12)


def test_a_best_response_has_its_value_and_no_deterministic_strategy_more() -> None:
    rng = np.random.default_rng(0)
    bets = dict(zip(kuhn_equilibrium(0).table, rng.random(12), strict=True))
    opponent = TabularPolicy(KUHN, {key: (1 - p, p) for key, p in bets.items()})
    for seat, own_keys in enumerate((("", "pb"), ("p", "b"))):
        keys = [f"{card}:{moves}" for card in "JQK" for moves in own_keys]
        profile = [opponent, opponent]
        totals = []
        for code in range(2 ** len(keys)):
            bits = [code >> place & 1 for place in range(len(keys))]
            table = {k: (1 - b, b) for k, b in zip(keys, bits, strict=True)}
            profile[seat] = TabularPolicy(KUHN, table)
            totals.append(expected_payoffs(KUHN, profile)[seat])
        policy, value = best_response(KUHN, seat, opponent)
        profile[seat] = policy
        assert value == pytest.approx(max(totals))
        assert expected_payoffs(KUHN, profile)[seat] == pytest.approx(value)


@pytest.mark.parametrize("seed", range(3))
def test_openspiel_computes_the_same_exploitability(seed: int) -> None:
    pytest.importorskip("pyspiel")
    import pyspiel
    from open_spiel.python import policy as spiel_policy
    from open_spiel.python.algorithms import exploitability as spiel_exploitability

    theirs = spiel_policy.TabularPolicy(pyspiel.load_game("kuhn_poker"))
    rng = np.random.default_rng(seed)
    table = {}
    for key in theirs.state_lookup:  # "1pb": card and moves
        p = float(rng.random()) if seed else 0.5
        theirs.policy_for_key(key)[:] = [1 - p, p]
        table[f"{'JQK'[int(key[0])]}:{key[1:]}"] = (1 - p, p)
    ours = TabularPolicy(KUHN, table)
    game = theirs.game
    assert nash_conv(KUHN, ours) == pytest.approx(spiel_exploitability.nash_conv(game, theirs))
    assert exploitability(KUHN, ours) == pytest.approx(
        spiel_exploitability.exploitability(game, theirs)
    )


def test_openspiel_has_the_same_average_strategy_after_some_iterations() -> None:
    pytest.importorskip("pyspiel")
    import pyspiel
    from open_spiel.python.algorithms import cfr

    theirs, ours = cfr.CFRPlusSolver(pyspiel.load_game("kuhn_poker")), CFRPlus(KUHN)
    for _ in range(7):
        theirs.evaluate_and_update_policy()
        ours.iterate()
    table, average = ours.average().table, theirs.average_policy()
    for key in average.state_lookup:  # "1pb": card and moves
        row = table[f"{'JQK'[int(key[0])]}:{key[1:]}"]
        assert row == pytest.approx(average.policy_for_key(key))


@cache
def best_against_random(board: str, seat: int) -> float:
    """The plain recursion over positions: the seat takes the best, the other side any cell."""
    game = TicTacToe()
    if not game.legal(board):
        return game.payoff(board)[seat]
    values = [best_against_random(game.apply(board, cell), seat) for cell in game.legal(board)]
    return max(values) if game.to_move(board) == seat else sum(values) / len(values)


def test_best_responses_to_random_tic_tac_toe_are_those_of_a_plain_recursion() -> None:
    game = TicTacToe()
    for seat in (0, 1):
        value = best_response(game, seat, uniform_policy(game))[1]
        assert value == pytest.approx(best_against_random(game.initial(), seat))


def test_tic_tac_toe_is_a_draw_that_minimax_never_loses() -> None:
    game = TicTacToe()
    assert solve(game)[game.initial()] == (0.0, 0.0)
    assert nash_conv(game, minimax_policy(game)) == 0
    perfect, uniform = minimax_policy(game), uniform_policy(game)
    for seat in (0, 1):
        profile = [uniform, uniform]
        profile[seat] = perfect
        assert expected_payoffs(game, profile)[seat] > 0.7


def test_minimax_takes_a_win_and_stops_a_threat() -> None:
    perfect = minimax_policy(TicTacToe())
    rng = np.random.default_rng(0)
    assert perfect.choose("XX.OO....", rng) == 2
    assert perfect.choose("X...O...X", rng) in (1, 3, 5, 7)  # a corner loses to two threats
    assert perfect.choose("XX..O....", rng) == 2


def test_minimax_refuses_hidden_cards() -> None:
    with pytest.raises(ValueError, match="perfect information"):
        solve(load_game("kuhn_poker"))


@pytest.mark.parametrize("row", [(0.5, 0.6), (-0.5, 1.5), ()])
def test_a_table_must_hold_distributions(row: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="J:b"):
        TabularPolicy(KUHN, {"J:b": row})


@pytest.mark.parametrize("view", ["text", "numeric"])
def test_a_deterministic_policy_is_tabulated_exactly(view: View) -> None:
    for seat in (0, 1):
        best, _ = best_response(KUHN, seat, uniform_policy(KUHN))
        found = tabulate(KUHN, best, view, samples=1, deterministic=True)
        for key, row in best.table.items():
            if found.replies[key]:
                assert found.strategy.table[key] == row
        # Against the same strategy, the table has the same payoff.
        profile = [uniform_policy(KUHN)] * 2
        profile[seat] = found.strategy
        assert expected_payoffs(KUHN, profile)[seat] == pytest.approx((1 / 2, 5 / 12)[seat])


@pytest.mark.parametrize("view", ["text", "numeric"])
def test_a_mixed_policy_is_tabulated_within_sampling_error(view: View) -> None:
    samples = 2000
    strategy = kuhn_equilibrium(0.25)
    found = tabulate(KUHN, strategy, view, samples)
    for key, row in strategy.table.items():
        error = np.sqrt(row[1] * (1 - row[1]) / max(found.replies[key], 1))
        assert abs(found.strategy.table[key][1] - row[1]) <= 4 * error
    assert set(found.void.values()) == {0.0}
    assert exploitability(KUHN, found.strategy) < 0.05


class Forgetful:
    """Says nonsense in its second turn and half of the time in its first, else it checks."""

    def predict(
        self,
        observations: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, Any]:
        turn = 0 if state is None else state
        assert list(episode_start) == [turn == 0] * len(observations)
        replies = [
            "<answer>check</answer>" if turn == 0 and i % 2 and "bet</" in o else "what?"
            for i, o in enumerate(observations)
        ]
        return replies, turn + 1


def test_replies_that_are_no_move_are_counted_apart() -> None:
    found = tabulate(KUHN, Forgetful(), "text", samples=10)
    assert found.strategy.table["J:"] == (1.0, 0.0)
    assert found.void["J:"] == 0.5
    assert found.replies["J:pb"] == 5  # of the ten, these checked
    assert found.void["J:pb"] == 1.0
    assert "J:pb" not in found.strategy.table
    assert "J:b" not in found.strategy.table
