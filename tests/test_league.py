"""Leagues: matches that are fair and repeatable, tables that say how sure they are, the command."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from zerogym.benchmarks import league as league_module
from zerogym.benchmarks.league import Entrant, LeagueError, Match, play_league, play_match
from zerogym.benchmarks.league_players import NetworkPlayer, language_model, named
from zerogym.benchmarks.results import read_records
from zerogym.benchmarks.standings import Row, find_exploitability, standings
from zerogym.cli import app
from zerogym.envs.games.connect_four import ConnectFour
from zerogym.envs.games.core import forfeit, load_game
from zerogym.envs.games.kuhn_poker import KuhnPoker
from zerogym.envs.games.tabular import TabularPolicy, expected_payoffs
from zerogym.envs.games.tic_tac_toe import TicTacToe
from zerogym.envs.registry import GAMES, Game
from zerogym.errors import MissingExtra

KUHN = KuhnPoker()


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["league", *arguments])


def by_name(rows: list[Row]) -> dict[str, Row]:
    return {row.name: row for row in rows}


def test_the_games_of_a_pair_have_the_same_deal_and_exchange_the_seats() -> None:
    caller = TabularPolicy(KUHN, {f"{card}:{past}": (0, 1) for card in "JQK" for past in
                                  ("", "c", "b", "cb")} | {})  # fmt: skip
    one, other = (Entrant(name, lambda _: caller) for name in "ab")
    for first, second in play_match(KUHN, one, other, pairs=20).payoffs:
        assert first == (-second[0], -second[1])
        assert sum(first) == 0 and abs(first[0]) == 2


def test_all_matches_have_the_same_deals() -> None:
    seen: dict[str, list[Any]] = {}

    class Watcher:
        def __init__(self, name: str) -> None:
            self.name = name

        def choose(self, state: Any, rng: np.random.Generator, deterministic: bool = False) -> int:
            seen.setdefault(self.name, []).append(KUHN.info_key(state, KUHN.to_move(state))[0])
            return 0

    for name in ("watched", "again"):
        watched = Entrant(name, lambda _, name=name: Watcher(name))  # type: ignore[misc]
        play_match(KUHN, watched, Entrant("other", lambda _: Watcher("-")), pairs=10, seed=3)
    assert len(set(seen["watched"])) == 3
    assert seen["watched"] == seen["again"]


def test_a_league_is_repeatable_and_does_not_depend_on_who_else_plays() -> None:
    whole = play_league(KUHN, named(KUHN, ["random", "mcts:5", "cfr", "scripted"]), pairs=5)
    part = play_league(KUHN, named(KUHN, ["cfr", "random"]), pairs=5)
    assert part[0] in whole
    assert len(whole) == 6
    other_seed = play_league(KUHN, named(KUHN, ["cfr", "random"]), pairs=5, seed=1)
    assert other_seed != part


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
def test_every_game_of_two_seats_has_a_league(entry: Game) -> None:
    try:
        game = load_game(entry.name)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    if game.num_seats != 2:
        pytest.skip("not of two seats")
    uniform = TabularPolicy(game, {})
    entrants = [Entrant(name, lambda _: uniform) for name in "ab"]
    rows = standings(game, entrants, play_league(game, entrants, pairs=3))
    low, high = game.payoff_range
    for row in rows:
        assert low <= row.payoff.low <= row.payoff.value <= row.payoff.high <= high
        assert row.elo.low <= row.elo.value <= row.elo.high
        assert (row.exploitability is not None) == game.enumerable
    if game.zero_sum:
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


class Silent:
    """A policy that never says a move."""

    def predict(
        self,
        observations: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, Any]:
        return ["well ..."] * len(observations), state


def test_a_policy_that_makes_no_legal_move_forfeits_and_it_is_counted() -> None:
    match = play_match(KUHN, Entrant("a", lambda _: Silent()), *named(KUHN, ["random"]), pairs=3)
    assert match.forfeits == (6, 0)
    assert match.payoffs == (((forfeit(KUHN, 0)), (forfeit(KUHN, 0))),) * 3
    entrants = [Entrant("a", lambda _: Silent()), *named(KUHN, ["random"])]
    assert by_name(standings(KUHN, entrants, [match]))["a"].forfeits == 1


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
    # Too many information sets to ask a policy at each.
    assert find_exploitability(TicTacToe(), Entrant("silent", lambda _: Silent())) is None


@pytest.mark.parametrize(
    ("game", "names", "pairs", "message"),
    [
        ("public_goods", ["random", "scripted"], 5, "two seats"),
        ("kuhn_poker", ["random"], 5, "two or more"),
        ("kuhn_poker", ["random", "random"], 5, "each once"),
        ("kuhn_poker", ["random", "cfr"], 1, "two pairs"),
    ],
)
def test_leagues_that_cannot_be_played(
    game: str, names: list[str], pairs: int, message: str
) -> None:
    rules = load_game(game)
    with pytest.raises(LeagueError, match=message):
        play_league(rules, named(rules, names), pairs)


def test_a_stopped_league_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, file = ["random", "cfr", "scripted"], tmp_path / "league.jsonl"
    expected = play_league(KUHN, named(KUHN, names), pairs=5)

    def stop(match: Match, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_league(KUHN, named(KUHN, names), 5, out=file, listen=stop)
    with file.open("a") as torn:
        torn.write('{"kind": "match", "players": ["ran')
    played = []
    original = league_module.play_match

    def count(*arguments: Any) -> Match:
        played.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(league_module, "play_match", count)
    assert play_league(KUHN, named(KUHN, names), 5, out=file) == expected
    assert len(played) == 1
    with pytest.raises(LeagueError, match="take another"):
        play_league(KUHN, named(KUHN, names), 6, out=file)
    other = tmp_path / "other.jsonl"
    other.write_text('{"kind": "session"}\n')
    with pytest.raises(LeagueError, match="something else"):
        play_league(KUHN, named(KUHN, names), 6, out=other)
    assert other.read_text() == '{"kind": "session"}\n'


def test_the_command_prints_a_table_and_writes_json_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("KuhnPoker", "--players", "random, scripted,cfr", "--pairs", "10")
    assert result.exit_code == 0, result.output
    for part in ("random", "scripted", "cfr", "Elo", "Exploit.", "0.458", "3/3"):
        assert part in result.output
    records = list(read_records(tmp_path / "results/league/kuhn_poker-10-0.jsonl"))
    assert [r["kind"] for r in records] == ["league", "match", "match", "match", "standings"]
    assert records[0]["game"] == "KuhnPoker(players=2)"
    again = run("kuhn_poker", "--players", "cfr,random,scripted", "--pairs", "10")
    tables = [json.dumps(r) for r in read_records(tmp_path / "results/league/kuhn_poker-10-0.jsonl")
              if r["kind"] == "standings"]  # fmt: skip
    assert again.exit_code == 0 and len(tables) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kuhn_pokr"], "Did you mean 'kuhn_poker'?"),
        (["kuhn_poker", "--players", "random,minmax"], "There is no opponent"),
        (["kuhn_poker", "--players", "random"], "two or more"),
        (["kuhn_poker", "--arg", "cards=9"], "cards"),
        (["public_goods", "--players", "random,scripted"], "two seats"),
        (["kuhn_poker", "--players", "random,cfr", "--out", "."], "Is a directory"),
    ],
)
def test_wrong_input_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_ctrl_c_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def stop(*arguments: Any) -> Match:
        raise KeyboardInterrupt

    monkeypatch.setattr(league_module, "play_match", stop)
    result = run("kuhn_poker", "--players", "random,cfr")
    assert result.exit_code == 130
    assert "the same command continues" in " ".join(result.output.split())


def test_a_language_model_plays() -> None:
    pytest.importorskip("transformers")
    tiny = language_model("tiny")
    matches = play_league(KUHN, [tiny, *named(KUHN, ["cfr"])], pairs=3)
    assert matches == play_league(KUHN, [tiny, *named(KUHN, ["cfr"])], pairs=3)
    assert matches[0].players == ("cfr", "tiny")
    assert matches[0].forfeits[0] == 0


def test_a_network_trained_by_masked_ppo_is_a_strategy() -> None:
    pytest.importorskip("sb3_contrib")
    learner = named(KUHN, ["ppo:1024"])[0]
    player = learner.make(0)
    assert isinstance(player, NetworkPlayer)
    assert learner.make(1) is player  # trained once
    state = KUHN.apply(KUHN.apply(KUHN.initial(), 0), 1)
    row = player.probabilities(state)
    assert len(row) == 2 and sum(row) == pytest.approx(1) and min(row) > 0
    found = find_exploitability(KUHN, learner)
    assert found is not None and not found.sampled and 0 < found.value < 1
    assert play_match(KUHN, learner, *named(KUHN, ["cfr"]), pairs=2).forfeits == (0, 0)
