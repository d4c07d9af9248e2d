"""Leagues: matches that are fair and repeatable, and the command."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from helpers.games.leagues import Silent, by_name
from zerogym.benchmarks.league import league as league_module
from zerogym.benchmarks.league.league import play_league
from zerogym.benchmarks.league.match import Entrant, LeagueError, Match, play_match
from zerogym.benchmarks.league.players import language_model, named
from zerogym.benchmarks.league.standings import standings
from zerogym.benchmarks.results.results_file import read_records
from zerogym.cli import app
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.core.game import forfeit, load_game
from zerogym.envs.games.core.tabular_policy import TabularPolicy

KUHN = KuhnPoker()


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["league", *arguments])


def test_the_games_of_a_pair_have_the_same_deal_and_exchange_the_seats() -> None:
    caller = TabularPolicy(KUHN, {f"{card}:{past}": (0, 1) for card in "JQK" for past in
                                  ("", "c", "b", "cb")} | {})  # fmt: skip
    one, other = (Entrant(name, lambda _: caller) for name in "ab")
    for first, second in play_match(KUHN, one, other, pairs=20).payoffs:
        assert first == (-second[0], -second[1])
        assert sum(first) == 0 and abs(first[0]) == 2


def test_all_matches_have_the_same_deals() -> None:
    observed: dict[str, list[Any]] = {}

    class Watcher:
        def __init__(self, name: str) -> None:
            self.name = name

        def choose(self, state: Any, rng: np.random.Generator, deterministic: bool = False) -> int:
            observed.setdefault(self.name, []).append(KUHN.info_key(state, KUHN.to_move(state))[0])
            return 0

    for name in ("watched", "again"):
        watched = Entrant(name, lambda _, name=name: Watcher(name))  # type: ignore[misc]
        play_match(KUHN, watched, Entrant("other", lambda _: Watcher("-")), pairs=10, seed=3)
    assert len(set(observed["watched"])) == 3
    assert observed["watched"] == observed["again"]


def test_a_league_is_repeatable_and_does_not_depend_on_who_else_plays() -> None:
    whole = play_league(KUHN, named(KUHN, ["random", "mcts:5", "cfr", "scripted"]), pairs=5)
    part = play_league(KUHN, named(KUHN, ["cfr", "random"]), pairs=5)
    assert part[0] in whole
    assert len(whole) == 6
    other_seed = play_league(KUHN, named(KUHN, ["cfr", "random"]), pairs=5, seed=1)
    assert other_seed != part


def test_a_policy_that_makes_no_legal_move_forfeits_and_it_is_counted() -> None:
    match = play_match(KUHN, Entrant("a", lambda _: Silent()), *named(KUHN, ["random"]), pairs=3)
    assert match.forfeits == (6, 0)
    assert match.payoffs == (((forfeit(KUHN, 0)), (forfeit(KUHN, 0))),) * 3
    entrants = [Entrant("a", lambda _: Silent()), *named(KUHN, ["random"])]
    assert by_name(standings(KUHN, entrants, [match]))["a"].forfeits == 1


class Faulty:
    """A player that raises what it is given, or takes it for its move."""

    def __init__(self, fault: Any) -> None:
        self.fault = fault

    def choose(self, state: Any, rng: np.random.Generator, deterministic: bool = False) -> int:
        if isinstance(self.fault, Exception):
            raise self.fault
        return int(self.fault)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (RuntimeError("out of memory"), "z 1, ü failed: RuntimeError: out of memory"),
        (7, r"z 1, ü chose 7, legal are \(0, 1\)"),
    ],
)
def test_a_player_that_fails_is_named_and_finished_matches_are_kept(
    fault: Any, message: str, tmp_path: Path
) -> None:
    file, fine = tmp_path / "league.jsonl", named(KUHN, ["cfr", "random"])
    broken = Entrant("z 1, ü", lambda _: Faulty(fault))
    with pytest.raises(LeagueError, match=message) as caught:
        play_league(KUHN, [*fine, broken], pairs=3, out=file)
    assert caught.value.__cause__ is (fault if isinstance(fault, Exception) else None)
    kept = [record["players"] for record in read_records(file) if record["kind"] == "match"]
    assert kept == [["cfr", "random"]]
    mended = Entrant("z 1, ü", lambda _: Faulty(0))
    assert len(play_league(KUHN, [*fine, mended], pairs=3, out=file)) == 3


def test_policies_get_the_start_of_a_game_and_seeds_of_their_own() -> None:
    openings: list[bool] = []
    seeds: list[int] = []

    class Checker(Silent):
        def predict(self, *arguments: Any, **named: Any) -> tuple[Any, Any]:
            _, memory, start = arguments
            assert (memory is None) == bool(start[0])
            openings.append(bool(start[0]))
            return ["<answer>check</answer>"], (memory or 0) + 1

    def make(seed: int) -> Checker:
        seeds.append(seed)
        return Checker()

    game = load_game("kuhn_match")
    for seed in (0, 1):
        play_match(game, Entrant("a", make), Entrant("b", make), pairs=2, seed=seed)
    assert True in openings and False in openings
    assert len(set(seeds)) == 4


@pytest.mark.parametrize(
    ("names", "pairs", "message"),
    [
        (["random"], 5, "two or more"),
        (["random", "random"], 5, "each once"),
        (["random", "cfr"], 1, "two pairs"),
    ],
)
def test_leagues_that_cannot_be_played(names: list[str], pairs: int, message: str) -> None:
    with pytest.raises(LeagueError, match=message):
        play_league(KUHN, named(KUHN, names), pairs)


def test_a_stopped_league_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, file = ["random", "cfr", "scripted"], tmp_path / "league.jsonl"
    expected = play_league(KUHN, named(KUHN, names), pairs=5)

    def stop(match: Match, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_league(KUHN, named(KUHN, names), 5, out=file, on_match=stop)
    with file.open("a") as torn:
        torn.write('{"kind": "match", "players": ["ran')
    counted = Mock(side_effect=league_module.play_match)
    monkeypatch.setattr(league_module, "play_match", counted)
    assert play_league(KUHN, named(KUHN, names), 5, out=file) == expected
    assert counted.call_count == 1
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
        (["first_sealed_auction", "--arg", "players=6", "--pairs", "2"], "2 to 5 seats"),
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
    monkeypatch.setattr(league_module, "play_match", Mock(side_effect=KeyboardInterrupt))
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
