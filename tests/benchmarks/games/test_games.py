"""The table of games: who is in it, what its numbers are, and that a stopped run goes on."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from zerogym.benchmarks.games import runner
from zerogym.benchmarks.games.report import games_picture, write_games_report
from zerogym.benchmarks.games.runner import Played, run_games
from zerogym.benchmarks.games.scores import ALL, GamesTable, tabulate
from zerogym.benchmarks.games.suite import GAMES, GamesSuite, part_of
from zerogym.benchmarks.games.terminal import render_games
from zerogym.benchmarks.league import league as league_module
from zerogym.benchmarks.league.match import Entrant, LeagueError, Match
from zerogym.benchmarks.results.results_file import read_records
from zerogym.cli import app
from zerogym.envs.games.core.game import load_game
from zerogym.envs.games.core.tabular_policy import expected_payoffs
from zerogym.envs.games.opponents.registry import make_opponent, opponent_names
from zerogym.errors import MissingExtra, UnknownName

PLAIN = ("random", "scripted", "exact")  # players that are neither slow nor need an extra


def small(*names: str, pairs: int = 20) -> GamesSuite:
    return part_of(replace(GAMES, pairs=pairs), names)


def table_of(suite: GamesSuite, played: Played) -> GamesTable:
    return tabulate(suite, played.matches, list(read_records(played.results)))


def shown(table: GamesTable, width: int = 80) -> str:
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(render_games(table))
    return capture.get()


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["bench", "games", *arguments])


def stop_at(number: int, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Interrupt the match of this number; return the list of the matches that were begun."""
    original, begun = league_module.play_match, []

    def play_match(*arguments: Any) -> Match:
        begun.append(arguments)
        if len(begun) == number:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(league_module, "play_match", play_match)
    return begun


def test_five_games_with_an_exact_player_each_and_six_players() -> None:
    assert len(GAMES.entries) == 5
    for entry in GAMES.entries:
        game = load_game(entry.game)
        assert entry.exact in opponent_names(game) and "scripted" in opponent_names(game)
        assert (game.num_seats, game.zero_sum) == (2, True)
        assert game.payoff_range[0] == -game.payoff_range[1]
    assert [seat.name for seat in GAMES.seats] == [
        "random", "tiny", "scripted", "mcts", "ppo", "exact",
    ]  # fmt: skip


def test_a_part_keeps_both_ends_and_a_slip_of_the_pen_names_what_there_is() -> None:
    part = part_of(GAMES, ["Liar's dice", "tiny LM", "nim"])
    assert [entry.game for entry in part.entries] == ["nim", "liars_dice"]
    assert [seat.name for seat in part.seats] == ["random", "tiny", "exact"]
    assert part_of(GAMES, []) == GAMES
    with pytest.raises(UnknownName, match="kuhn_poker"):
        part_of(GAMES, ["kuhn_pokr"])


def test_every_game_and_player_is_there_and_the_numbers_are_those_of_the_payoffs(
    tmp_path: Path,
) -> None:
    suite = small("kuhn_poker", "nim", "mcts")
    played = run_games(suite, tmp_path)
    table = table_of(suite, played)
    for game, matches in played.matches.items():
        sums = dict.fromkeys(("random", "mcts", "exact"), 0.0)
        exact = {"kuhn_poker": "cfr", "nim": "minimax"}[game]
        plain = {"mcts:100": "mcts", exact: "exact", "random": "random"}
        for match in matches:
            for i, called in enumerate(match.players):
                won = [one[i] for pair in match.payoffs for one in pair]
                assert len(won) == 2 * suite.pairs
                sums[plain[called]] += sum(won) / len(won)
                other = plain[match.players[1 - i]]
                estimate = table.against[game, plain[called], other]
                assert estimate.value == pytest.approx(sum(won) / len(won))
                assert estimate.low <= estimate.value <= estimate.high
        payoffs = {name: each / 3 for name, each in sums.items()}  # itself is the third: 0
        assert sum(payoffs.values()) == pytest.approx(0)
        for name, payoff in payoffs.items():
            assert table.payoffs[game, name].value == pytest.approx(payoff)
            expected = (payoff - payoffs["random"]) / (payoffs["exact"] - payoffs["random"])
            score = table.scores[game, name]
            assert score.estimate is not None and score.estimate.value == pytest.approx(expected)
            assert (score.raw, score.episodes) == (pytest.approx(payoff), 4 * suite.pairs)
    for name in ("random", "mcts", "exact"):
        each = [table.scores[entry.game, name].estimate for entry in suite.entries]
        mean = table.scores[ALL, name].estimate
        assert mean is not None
        assert mean.value == pytest.approx(np.mean([e.value for e in each if e is not None]))
    low, high = (table.scores["nim", name].estimate for name in ("random", "exact"))
    assert low is not None and high is not None
    assert (low.value, low.low, low.high, high.value) == (0, 0, 0, 1)


def test_the_interval_has_the_exact_payoff_and_shrinks() -> None:
    game = load_game("kuhn_poker")
    cfr, random = (make_opponent(game, name) for name in ("cfr", "random"))
    exact = float(
        expected_payoffs(game, [cfr, random])[0] + expected_payoffs(game, [random, cfr])[1]
    )  # type: ignore[list-item]
    widths = []
    for pairs in (50, 800):
        suite = small("kuhn_poker", "exact", pairs=pairs)
        matches = league_module.play_league(
            game, [Entrant("cfr", lambda _: cfr), Entrant("random", lambda _: random)], pairs
        )
        found = tabulate(suite, {"kuhn_poker": matches}, []).against[
            "kuhn_poker", "exact", "random"
        ]
        assert found.low < exact / 2 < found.high
        widths.append(found.high - found.low)
    assert widths[1] < widths[0] / 2


def test_certain_results_have_no_certain_interval() -> None:
    suite = small("nim", "scripted", pairs=10)
    won = (((1.0, -1.0), (1.0, -1.0)),) * 10
    matches = [
        Match(names, won)
        for names in (("minimax", "random"), ("minimax", "scripted"), ("scripted", "random"))
    ]
    table = tabulate(suite, {"nim": matches}, [])
    found = table.against["nim", "exact", "random"]
    assert found.value == 1 and found.low < 0.95
    score = table.scores["nim", "scripted"].estimate
    assert score is not None and score.value == 0.5 and score.low < 0.5 < score.high


def test_a_stopped_run_goes_on_and_equals_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = small("kuhn_poker", "nim", "scripted", pairs=10)
    whole = table_of(suite, run_games(suite, tmp_path / "whole"))
    played = stop_at(5, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        run_games(suite, tmp_path / "part")
    found = run_games(suite, tmp_path / "part")
    assert len(played) == 7, "four matches were not played again"
    assert table_of(suite, found) == whole
    kinds = [record["kind"] for record in read_records(found.results)]
    assert kinds.count("session") == kinds.count("end") == 2
    assert kinds.count("exploitability") == 6, "nor was anybody exploited twice"
    assert run_games(suite, tmp_path / "part").matches == found.matches and len(played) == 7
    with pytest.raises(LeagueError, match="choose another --out"):
        run_games(suite, tmp_path / "part", seed=1)
    with pytest.raises(LeagueError, match="choose another --out"):
        run_games(replace(suite, pairs=11), tmp_path / "part")


def test_exploitability_is_exact_and_a_search_has_none(tmp_path: Path) -> None:
    suite = small("kuhn_poker", "mcts", "scripted", pairs=2)
    table = table_of(suite, run_games(suite, tmp_path))
    assert table.exploited["kuhn_poker", "random"] == pytest.approx(11 / 24)
    assert table.exploited["kuhn_poker", "exact"] == pytest.approx(0, abs=1e-3)
    assert table.exploited["kuhn_poker", "mcts"] is None


def test_who_lacks_an_extra_is_missing_and_the_others_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = runner.make_entrant

    def without(game: Any, entry: Any, seat: Any, *others: Any) -> Entrant:
        if seat.name == "ppo":
            raise MissingExtra("the MaskablePPO baseline", "sb3_contrib", "sb3")
        return original(game, entry, seat, *others)

    monkeypatch.setattr(runner, "make_entrant", without)
    suite, calls = small("kuhn_poker", "ppo", "scripted", pairs=2), []
    played = run_games(suite, tmp_path, on_progress=calls.append)
    table = table_of(suite, played)
    assert table.scores["kuhn_poker", "ppo"].missing and (ALL, "ppo") not in table.scores
    assert table.payoffs.keys() == {("kuhn_poker", name) for name in PLAIN}
    assert "missing" in shown(table)
    assert "sb3" in write_games_report(table, [], tmp_path / "report.html").read_text()
    assert [event.record["message"] for event in calls if event.record] != []


@pytest.mark.proof
def test_ppo_learns_and_its_curve_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sb3_contrib")
    suite = small("kuhn_poker", "ppo", pairs=100)
    short = replace(suite, entries=(replace(suite.entries[0], steps=8192),))
    played = run_games(short, tmp_path)
    table, records = table_of(short, played), list(read_records(played.results))
    assert {name for m in played.matches["kuhn_poker"] for name in m.players} == {
        "random", "ppo:8192", "cfr",
    }  # fmt: skip
    (curve,) = (record for record in records if record["kind"] == "curve")
    assert curve["points"][-1][0] == 8192
    exploited = table.exploited["kuhn_poker", "ppo"]
    assert exploited is not None and exploited < 11 / 24, "less than random play"
    found = table.against["kuhn_poker", "ppo", "random"]
    assert found.low > 0
    assert "8,192 moves" in write_games_report(table, records, tmp_path / "a.html").read_text()


def test_a_learner_is_found_again_after_a_stop_or_learns_the_same_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sb3_contrib")
    suite = small("kuhn_poker", "ppo", pairs=5)
    short = replace(suite, entries=(replace(suite.entries[0], steps=1024),))
    whole = run_games(short, tmp_path / "whole").matches
    stop_at(3, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        run_games(short, tmp_path / "part")
    assert run_games(short, tmp_path / "part").matches == whole
    (file,) = (tmp_path / "part/models").iterdir()
    file.unlink()
    (tmp_path / "part/kuhn_poker.jsonl").unlink()
    assert run_games(short, tmp_path / "part").matches == whole
    curves = [r for r in read_records(tmp_path / "part/results.jsonl") if r["kind"] == "curve"]
    assert len(curves) == 2 and curves[0] == curves[1], "not learned at the second start"


def test_the_tiny_model_plays_and_forfeits(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    suite = small("kuhn_poker", "nim", "tiny", pairs=3)
    played = run_games(suite, tmp_path)
    table = table_of(suite, played)
    assert table.forfeits["nim", "tiny"] > 0.5 and table.exploited["nim", "tiny"] == 1
    assert table.forfeits["kuhn_poker", "tiny"] == 0
    assert "Forfeited games: tiny LM in Nim" in " ".join(shown(table).split())


def test_the_page_and_the_picture_have_everything(tmp_path: Path) -> None:
    suite = small("kuhn_poker", "nim", "scripted", pairs=5)
    played = run_games(suite, tmp_path)
    table, records = table_of(suite, played), list(read_records(played.results))
    page = write_games_report(table, records, tmp_path / "report.html").read_text()
    picture = games_picture(table)
    texts = [e.text for e in ElementTree.fromstring(picture).iter() if e.text]
    for text in ("Kuhn poker", "Nim", "random", "scripted", "exact", "Mean"):
        assert text in texts and text in page and text in shown(table)
    assert "0.458" in page and "$" not in page and "<script" not in page
    command = "zerogym bench games --seed 0 --pairs 5 --out again --only nim --only kuhn_poker"
    assert f"{command} --only scripted" in page
    assert max(map(len, shown(table).splitlines())) <= 80


def test_the_command(tmp_path: Path) -> None:
    arguments = ["--out", str(tmp_path / "a"), "--pairs", "4", "--only", "scripted"]
    result = run(*arguments, "--only", "kuhn_poker")
    assert result.exit_code == 0, result.output
    for part in ("3/6 now: Kuhn poker: random – scripted", "Exploitability", "0.458", "file://"):
        assert part in result.output
    assert (tmp_path / "a/report.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "a/table.svg").exists() and (tmp_path / "a/kuhn_poker.jsonl").exists()
    for wrong, texts in ((["--only", "kuhn_pokr"], "Did you mean 'kuhn_poker'?"),
                        (["--only", "scripted", "--seed", "1"], "choose another --out"),
                        (["--out", str(tmp_path / "a/table.svg")], "table.svg")):  # fmt: skip
        failed = run(*arguments[:4], *wrong)
        assert failed.exit_code == 2, failed.output
        assert texts in " ".join(failed.output.split())


def test_ctrl_c_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(league_module, "play_match", Mock(side_effect=KeyboardInterrupt))
    result = run("--out", str(tmp_path), "--only", "kuhn_poker", "--only", "exact")
    assert result.exit_code == 130
    assert "the same command continues" in " ".join(result.output.split())


def test_the_committed_picture_has_every_game_and_player(root: Path) -> None:
    tree = ElementTree.fromstring((root / "docs/games.svg").read_text("utf-8"))
    texts = [element.text for element in tree.iter() if element.text]
    for title in (*(e.title for e in GAMES.entries), *(s.title for s in GAMES.seats), "Mean"):
        assert title in texts
