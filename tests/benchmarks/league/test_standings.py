"""The table of a league: it says how sure it is, and what cannot be computed."""

from io import StringIO

import pytest
from rich.console import Console

from helpers.games.leagues import Silent, by_name
from zerogym.benchmarks.league.league import play_league
from zerogym.benchmarks.league.match import Entrant, Match
from zerogym.benchmarks.league.players import named
from zerogym.benchmarks.league.standings import find_exploitability, standings
from zerogym.benchmarks.league.table import render_standings
from zerogym.envs.games.board.connect_four import ConnectFour
from zerogym.envs.games.board.tic_tac_toe import TicTacToe
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.core.game import load_game
from zerogym.envs.games.core.tabular_policy import TabularPolicy, expected_payoffs
from zerogym.envs.registry import GAMES, Game
from zerogym.errors import MissingExtra

KUHN = KuhnPoker()


def test_payoffs_agree_with_the_exact_ones() -> None:
    rows = by_name(standings(KUHN, pair := named(KUHN, ["cfr", "random"]),
                             play_league(KUHN, pair, pairs=2000)))  # fmt: skip
    # A uniform player loses to this equilibrium by the mean over both seats.
    cfr, random = (entrant.make(0) for entrant in pair)
    exact = (
        expected_payoffs(KUHN, [cfr, random])[0] + expected_payoffs(KUHN, [random, cfr])[1]
    ) / 2
    estimate = rows["cfr"].payoff
    assert estimate.low < exact < estimate.high
    assert 0.02 < estimate.high - estimate.low < 0.2
    assert rows["random"].payoff.value == pytest.approx(-estimate.value)
    assert rows["cfr"].exploitability is not None and rows["random"].exploitability is not None
    assert rows["cfr"].exploitability.value < 0.001
    assert rows["random"].exploitability.value == pytest.approx(11 / 24)
    assert not rows["random"].exploitability.sampled


@pytest.mark.parametrize("entry", GAMES, ids=lambda entry: entry.name)
def test_every_game_has_a_league(entry: Game) -> None:
    try:
        game = load_game(entry.name)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    uniform = TabularPolicy(game, {})
    entrants = [Entrant(name, lambda _: uniform) for name in "ab"]
    rows = standings(game, entrants, play_league(game, entrants, pairs=3))
    low, high = game.payoff_range
    for row in rows:
        assert low <= row.payoff.low <= row.payoff.value <= row.payoff.high <= high
        assert row.elo.low <= row.elo.value <= row.elo.high
        assert (row.exploitability is not None) == game.enumerable
    if game.zero_sum and game.num_seats == 2:  # else one entrant has more seats at a table
        assert sum(row.payoff.value for row in rows) == pytest.approx(0)


def test_perfect_play_leads_a_league_of_tic_tac_toe() -> None:
    game = TicTacToe()
    entrants = named(game, ["random", "minimax", "scripted"])
    rows = standings(game, entrants, play_league(game, entrants, pairs=40))
    assert rows[0].name == "minimax" and rows[-1].name == "random"
    assert rows[0].elo.low > rows[-1].elo.high
    assert rows[0].elo.low <= rows[0].elo.value <= rows[0].elo.high
    assert rows[0].share.value > rows[-1].share.value
    assert rows[0].exploitability is not None and rows[0].exploitability.value == 0
    assert rows[0].against[0] is None
    assert sum(row.share.value for row in rows) == pytest.approx(1)


def test_a_match_that_is_always_won_is_not_certain() -> None:
    always = Match(("a", "b"), (((1.0, -1.0), (1.0, -1.0)),) * 50)
    entrants = [Entrant(name, lambda _: TabularPolicy(TicTacToe(), {})) for name in "ab"]
    row = standings(TicTacToe(), entrants, [always])[0]
    assert row.name == "a" and row.payoff.value == 1
    assert 0.85 < row.payoff.low < 0.98
    assert row.elo.value - row.elo.low > 50


def test_who_gets_more_has_won_also_where_both_gain() -> None:
    game = load_game("prisoners_dilemma")
    match = Match(("a", "b"), (((5.0, 10.0), (25.0, 0.0)), ((5.0, 10.0), (5.0, 10.0))))
    entrants = [Entrant(name, lambda _: TabularPolicy(game, {})) for name in "ab"]
    rows = by_name(standings(game, entrants, [match]))
    assert rows["a"].payoff.value == 10 and rows["b"].payoff.value == 7.5
    assert rows["b"].elo.value > 50 > rows["a"].elo.value  # three games of four


def test_intervals_of_matches_that_vary_stay_within_the_sample() -> None:
    varied = Match(("a", "b"), (((0.1, -0.1),) * 2, ((-0.1, 0.1),) * 2))
    entrants = [Entrant(name, lambda _: TabularPolicy(TicTacToe(), {})) for name in "ab"]
    for row in standings(TicTacToe(), entrants, [varied]):
        assert (row.payoff.low, row.payoff.high) == pytest.approx((-0.1, 0.1))


def test_the_table_marks_estimates() -> None:
    entrants = [Entrant("a", lambda _: Silent()), *named(KUHN, ["random"])]
    rows = standings(KUHN, entrants, play_league(KUHN, entrants, pairs=2))
    screen = Console(width=80, file=StringIO(), record=True)
    screen.print(render_standings("title", rows))
    shown = screen.export_text()
    assert shown.count("~0.458") == 1 and shown.count(" 0.458") == 1
    assert "100.0%" in shown


def test_exploitability_only_where_it_can_be_computed() -> None:
    search, mixture, table = named(KUHN, ["mcts:5", "cfr+random", "scripted"])
    assert find_exploitability(KUHN, search) is None
    assert find_exploitability(KUHN, mixture) is None
    assert find_exploitability(KUHN, table) is not None
    large = ConnectFour()
    assert find_exploitability(large, *named(large, ["random"])) is None
    sampled = find_exploitability(KUHN, Entrant("silent", lambda _: Silent()))
    assert sampled is not None and sampled.sampled  # nothing is understood: the uniform table
    assert sampled.value == pytest.approx(11 / 24)
    # Too many information sets to sample a policy at each.
    assert find_exploitability(TicTacToe(), Entrant("silent", lambda _: Silent())) is None


@pytest.mark.parametrize("order", [("mute", "kind", "mean"), ("mean", "kind", "mute")])
def test_silence_is_rated_below_every_loser(order: tuple[str, ...]) -> None:
    replies = {"mute": "?", "kind": "cooperate", "mean": "defect"}
    game = load_game("prisoners_dilemma")
    entrants = [Entrant(name, lambda _, name=name: Silent(replies[name])) for name in order]  # type: ignore[misc]
    rows = by_name(standings(game, entrants, play_league(game, entrants, 5)))
    assert rows["mute"].forfeits == 1
    assert rows["mute"].elo.value < rows["kind"].elo.value < rows["mean"].elo.value
