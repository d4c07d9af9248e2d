"""Progress of long verbs: the remaining time, lines where there is no terminal, early errors."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from zerogym.cli import app, console
from zerogym.cli.console import LINE_SECONDS, print_json, progress_bar


@pytest.mark.parametrize("seconds", [0.1, 40.0])  # rich's own estimate looks at 30 seconds
def test_the_remaining_time_is_that_of_the_steps_so_far(seconds: float) -> None:
    bar, now = progress_bar(), [0.0]
    bar.get_time = lambda: now[0]
    line = bar.add_task("steps", total=100, note="")
    for step in range(1, 11):
        now[0] += seconds
        bar.update(line, completed=step)
    assert bar.tasks[0].time_remaining == pytest.approx(90 * seconds, abs=1)


@pytest.mark.parametrize("terminal", [True, False])
def test_lines_now_and_then_where_there_is_no_terminal(
    terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, now = io.StringIO(), [0.0]
    monkeypatch.setattr(console, "out", Console(file=file, force_terminal=terminal, width=80))
    bar = progress_bar()
    bar.get_time = lambda: now[0]
    line = bar.add_task("steps", total=12, note="")
    for step in range(1, 13):
        now[0] += LINE_SECONDS / 4
        bar.update(line, completed=step, note=f"reward {step} [x]")
    shown = file.getvalue().splitlines()
    expected = [
        "steps 1/12  reward 1 [x]",
        "steps 5/12  about 9 s left  reward 5 [x]",
        "steps 9/12  about 4 s left  reward 9 [x]",
        "steps 12/12  reward 12 [x]",
    ]
    assert shown == ([] if terminal else expected)


def test_training_needs_a_task_and_a_model_before_its_progress(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    rest = ("--out", str(tmp_path / "run"))
    for given, words in (
        ((), ("RandomCalculation", "Countdown", "KuhnPoker", "zerogym train llm --env Random")),
        (("--env", "Countdown", "--model", "tyni"), ("Did you mean 'tiny'?",)),
        (
            ("--env", "Countdown", "--model", f"{tmp_path}/modle"),
            (f"did you mean '{tmp_path}/mod",),
        ),
    ):
        result = CliRunner().invoke(app, ["train", "llm", *given, *rest], env={"COLUMNS": "200"})
        assert result.exit_code == 2 and not (tmp_path / "run").exists()
        assert result.stdout == ""
        [line] = result.stderr.splitlines()
        assert all(each in line for each in words), line


def test_json_has_no_numbers_but_finite_ones(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": [float("nan"), 1.5], "b": Path("x")})
    assert "".join(capsys.readouterr().out.split()) == '{"a":[null,1.5],"b":"x"}'
