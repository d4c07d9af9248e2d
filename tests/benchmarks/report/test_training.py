"""The page of a training run: curves, and each line of a seat under who may read it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from zerogym.agents.trajectory import Trajectory, Turn, write_jsonl
from zerogym.benchmarks.report.talk_lines import lines_of_seat
from zerogym.benchmarks.report.training import curves_of, write_training_report
from zerogym.cli import app


def turn(observation: str, action: str, role: str = "player") -> Turn:
    return Turn(observation, action, (1,), (2,), (-0.5,), role=role)


TALK = Trajectory(
    "zerogym/whispers-v0", 7, 0,
    (
        turn("The rules.\nYou hold 3.\nNothing is said yet.", "I lie. <answer>low</answer>", "spy"),
        turn("Turn 2.\n[you to player 3: low]\n[player 2] hello", "hm", "spy"),
        turn("No move.\n[you to player 3: low]\n[player 2] hello", "<answer>mine</answer>", "spy"),
        turn("[you to player 3: low]\n[player 2] hello\n[your note: mine]\n[player 3 to you: ok]",
             "<answer>bye</answer>", "spy"),
    ),
    reward=2.0,
)  # fmt: skip


def test_each_line_of_a_seat_is_shown_once_under_its_kind() -> None:
    lines = [(line.kind, line.who, line.text) for line in lines_of_seat(TALK)]
    spy = "player 1 (spy)"
    assert lines == [
        ("task", "player 1", "The rules.\nYou hold 3.\nNothing is said yet."),
        ("reasoning", spy, "I lie."),
        ("task", "player 1", "Turn 2."),
        ("channel", "player 1", "[you to player 3: low]"),
        ("public", "player 2", "[player 2] hello"),
        ("answer", spy, "hm"),
        ("task", "player 1", "No move."),
        ("note", "player 1", "[your note: mine]"),
        ("channel", "player 3", "[player 3 to you: ok]"),
        ("answer", spy, "bye"),
        ("end", "player 1", "return 2"),
    ]


def test_brackets_in_other_texts_are_no_seats() -> None:
    lines = lines_of_seat(Trajectory("x", 0, 0, (turn("Sum [1, 2].\n[player] x", "3"),)))
    assert [line.kind for line in lines] == ["task", "answer", "end"]


def run_folder(folder: Path) -> None:
    rows = [{"step": n, "rollout/reward": n, "eval/reward": None, "time/x": n} for n in (1, 2, 3)]
    rows += [{"step": n, "eval/reward": 0.5 * n} for n in (0, 3)]
    (folder / "rollouts").mkdir(parents=True)
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for step in (1, 2, 3):
        write_jsonl(folder / "rollouts" / f"step-{step:06d}.jsonl", [TALK])


def test_evaluations_are_the_first_curves() -> None:
    rows = [{"step": n, "actor/x": 1, "rollout/reward": n, "eval/reward": n} for n in (0, 1)]
    assert [name for name, *_ in curves_of(rows)] == ["eval/reward", "rollout/reward", "actor/x"]
    assert curves_of(rows[:1]) == [], "one point is no curve"


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    run_folder(tmp_path)
    result = CliRunner().invoke(app, ["report", str(tmp_path)])
    assert result.exit_code == 0 and "report.html" in result.output
    page = (tmp_path / "report.html").read_text()
    assert page.count('<article class="talk">') == 2 and "step-000002" not in page
    for kind in ("reasoning", "channel", "public", "note"):
        assert f'<p class="{kind}">' in page
    assert "<script" not in page and page.count("<figure>") == 2


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no metrics"):
        write_training_report(tmp_path)
    result = CliRunner().invoke(app, ["report", str(tmp_path)])
    assert result.exit_code != 0 and "holds no metrics.jsonl" in result.output
