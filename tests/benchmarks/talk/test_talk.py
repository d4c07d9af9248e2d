"""The table of the games of talk: its cells, numbers and pages, and that a stopped run goes on."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from zerogym.benchmarks.report.talk_lines import split_reply
from zerogym.benchmarks.results.results_file import RESULTS
from zerogym.benchmarks.suites.runner import Progress
from zerogym.benchmarks.talk import runner
from zerogym.benchmarks.talk.episodes import Noted, Weakened, agreement_of, play_episode
from zerogym.benchmarks.talk.report import write_talk_report
from zerogym.benchmarks.talk.runner import Cell, cells_of, run_talk
from zerogym.benchmarks.talk.scores import Meeting, TalkTable, mean, share, tabulate
from zerogym.benchmarks.talk.suite import talk_games, talk_suite
from zerogym.benchmarks.talk.terminal import render_talk
from zerogym.cli import app
from zerogym.envs.games.core.game import TERMINAL, load_game
from zerogym.envs.games.core.tabular_policy import expected_payoffs
from zerogym.envs.games.opponents.registry import make_opponent
from zerogym.envs.registry import GAMES
from zerogym.errors import UnknownName

PLAIN = ("random", "weak", "scripted")  # no language model


def cells(records: list[dict[str, Any]]) -> list[str]:
    return [json.dumps(record) for record in records if record["kind"] == "cell"]


def table_of(folder: Path, *names: str, episodes: int = 8) -> TalkTable:
    suite = talk_suite([*names, *PLAIN], episodes=episodes)
    return tabulate(suite, run_talk(suite, folder))


def test_every_registered_game_of_talk_is_in_the_suite() -> None:
    assert talk_games() == tuple(g.name for g in GAMES if g.target.startswith("talk."))
    assert talk_suite().games == talk_games() and len(talk_games()) >= 6
    assert talk_suite(["scripted"]).games == talk_games()
    with pytest.raises(UnknownName, match="nobody"):
        talk_suite(["nobody"])


def test_every_player_meets_every_other_in_every_seat() -> None:
    game = load_game("ultimatum")
    found = [*cells_of(talk_suite(["ultimatum", "random", "scripted"]), game)]
    pairs = [("random", "scripted"), ("scripted", "random")]
    assert {*found} == {
        *(Cell("ultimatum", name, name, None) for name in ("random", "scripted")),
        *(Cell("ultimatum", *pair, seat) for pair in pairs for seat in (0, 1)),
    }


def test_means_are_those_of_the_whole_game_tree(tmp_path: Path) -> None:
    """Payoffs of the seats in 150 episodes lies within four standard errors of the exact values."""
    suite, game = talk_suite(["ultimatum", "scripted", "random"], (), 150), load_game("ultimatum")
    table = tabulate(suite, run_talk(suite, tmp_path))
    players = [make_opponent(game, name) for name in ("scripted", "random")]
    for seat in (0, 1):
        profile: Any = players if seat == 0 else players[::-1]
        exact = expected_payoffs(game, profile)
        role = ("proposer", "responder")[seat]
        payoffs = table.rows[Meeting("ultimatum", "scripted", "random")].payoffs[role]
        assert abs(payoffs.value - exact[seat]) < payoffs.high - payoffs.low < 2
    row = table.rows[Meeting("ultimatum", "scripted", "scripted")]
    assert [found.value for found in row.payoffs.values()] == [5.0, 5.0]
    assert (row.measures["welfare"].value, row.measures["nash"].value) == (10.0, 1.0)
    assert table.exploited["ultimatum", "random"] == pytest.approx(2.5)


def test_the_weak_player_is_half_of_each() -> None:
    game: Any = load_game("deal_or_no_deal")
    state = game.initial()
    for _ in range(2):
        state = game.apply(state, game.chance(state)[0][0])
    weak, strong = Weakened(game).probabilities(state), make_opponent(game, "scripted")
    best = strong.probabilities(state).index(1.0)
    assert sum(weak) == pytest.approx(1) and weak[best] == pytest.approx(0.5 + 0.5 / len(weak))


def test_agreements_are_compared_with_all_that_were_possible() -> None:
    game: Any = load_game("ultimatum", coins=4)
    found = {
        payoffs: agreement_of(game, None, payoffs)
        for payoffs in ((3.0, 1.0), (2.0, 2.0), (0.0, 0.0))
    }
    assert found[3.0, 1.0] == {"agreed": 1.0, "pareto": 1.0, "nash": 0.75}
    assert found[2.0, 2.0]["nash"] == 1.0
    assert found[0.0, 0.0] == {"agreed": 0.0, "pareto": 0.0, "nash": 0.0}
    division: Any = load_game("deal_or_no_deal")
    state = division.initial()
    for _ in range(2):
        state = division.apply(state, division.chance(state)[0][0])
    pairs = division.agreements(state)
    worse = min((p for p in pairs if sum(p) > 0), key=sum)
    assert agreement_of(division, state, worse)["pareto"] == 0.0
    assert agreement_of(division, state, max(pairs, key=sum))["pareto"] == 1.0
    assert agreement_of(load_game("simple_negotiation"), None, (1.0, -1.0)) == {}


def test_a_stopped_run_goes_on_and_a_second_one_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = talk_suite(["ultimatum", "talking_dilemma", "random", "scripted"], episodes=3)
    whole = run_talk(suite, tmp_path / "whole")
    original, begun = runner.play_episode, list[int]()

    def stop(*arguments: Any, **options: Any) -> Any:
        begun.append(1)
        if len(begun) == 10:
            raise KeyboardInterrupt
        return original(*arguments, **options)

    monkeypatch.setattr(runner, "play_episode", stop)
    with pytest.raises(KeyboardInterrupt):
        run_talk(suite, tmp_path / "halves")
    events: list[Progress] = []
    records = run_talk(suite, tmp_path / "halves", 0, events.append)
    assert cells(records) == cells(whole)
    assert events[0].done == 3 and events[-1].done == events[-1].total == len(cells(whole))
    assert cells(run_talk(suite, tmp_path / "other", 1)) != cells(whole)
    with pytest.raises(ValueError, match="choose another --out"):
        run_talk(suite, tmp_path / "halves", 7)


def test_acts_that_only_some_seats_read_are_never_shown_as_public() -> None:
    """The reader of each line is the one of the rules, also where rules have their own."""
    game: Any = load_game("social_deduction")
    players = [make_opponent(game, "scripted")] * game.num_seats
    lines = [play_episode(game, players, 0, number, transcript=True).lines for number in range(3)]
    kills = [line for played in lines for line in played if "[kill" in line.text]
    assert kills and all(line.kind in ("note", "channel") for line in kills)
    said = [line for played in lines for line in played if "[i " in line.text]
    assert said and all(line.kind in ("public", "channel") for line in said)


class Model:
    """A language model of fixed replies, the reasoning of which must stay hidden."""

    def __init__(self, reply: str) -> None:
        self.reply = reply

    def predict(self, messages: Any, state: Any = None, start: Any = None) -> tuple[Any, Any]:
        return [self.reply] * len(messages), state


def test_transcripts_have_each_line_under_who_may_read_it() -> None:
    game: Any = load_game("deal_or_no_deal")
    model = Noted(Model("They know nothing. <answer>take 1 2 3</answer>"))
    players = [model, make_opponent(game, "scripted")]
    played = play_episode(game, players, 0, 0, transcript=True)
    kinds = [(line.kind, line.who) for line in played.lines]
    assert kinds[:4] == [
        ("private", "player 1"), ("private", "player 2"),
        ("reasoning", "player 1"), ("public", "player 1"),
    ]  # fmt: skip
    assert played.lines[2].text == "They know nothing." and "take 1 2 3" in played.lines[3].text
    lost = play_episode(game, [Noted(Model("hm")), players[1]], 0, 0, transcript=True)
    assert (lost.loser, lost.payoffs, lost.lines[-1].kind) == (0, (0.0, 0.0), "end")
    assert split_reply("<answer>a</answer> b <answer>c</answer> d") == (
        "<answer>a</answer> b d", "c",
    )  # fmt: skip
    assert game.to_move(game.initial()) != TERMINAL


def test_intervals_of_shares_and_payoffs() -> None:
    assert share([0.0] * 20).high > 0.05, "0 of 20 is not certainly 0"
    assert mean([5.0] * 20).high != mean([5.0] * 20).high, "payoffs that are all equal: no bounds"
    found = mean([1.0, 3.0] * 50)
    assert found.low < found.value == 2.0 < found.high


def test_the_pages_show_every_meeting(tmp_path: Path) -> None:
    table = table_of(tmp_path, "ultimatum", "deal_or_no_deal", episodes=4)
    console = Console(width=120, force_terminal=False)
    with console.capture() as capture:
        console.print(render_talk(table))
    assert "proposer" in capture.get() and "nash" in capture.get()
    page = write_talk_report(table, [], tmp_path / "report.html").read_text()
    assert page.count('<article class="talk">') == len(table.lines) == 30
    for kind in ("private", "public"):
        assert f'<p class="{kind}">' in page
    with (tmp_path / "results.csv").open() as file:
        rows = [*csv.DictReader(file)]
    assert len({(row["player"], row["partner"]) for row in rows}) == 9
    assert {row["role"] for row in rows} >= {"proposer", "responder"}


def test_the_command_with_the_language_model(tmp_path: Path) -> None:
    words = ["--only", "ultimatum", "--only", "tiny", "--episodes", "2"]
    result = CliRunner().invoke(app, ["bench", "talk", "--out", str(tmp_path), *words])
    assert result.exit_code == 0, result.output
    assert "tiny" in result.output and (tmp_path / RESULTS).exists()
    assert "--only ultimatum" in (tmp_path / "report.html").read_text()
