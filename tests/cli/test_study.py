"""`zerogym study`: mistakes in the file are one line before anything runs; the tutorial's works."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

pytest.importorskip("torch")

from zerogym.benchmarks.studies.comparison import runner
from zerogym.benchmarks.studies.comparison.record import read
from zerogym.benchmarks.studies.comparison.study import Cell
from zerogym.cli import app
from zerogym.cli.settings.study import read_study
from zerogym.envs import references

SMALL = """\
seeds = 2
rival = false
[run]
steps = 1
prompts_per_step = 1
group_size = 2
max_new_tokens = 4
eval_episodes = 2
[tasks.sums]
env = "RandomCalculation"
[variants.grpo]
"""


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(each) for each in arguments], env={"COLUMNS": "300"})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seeds = 2", "sedes = 2", "There is no key of a study 'sedes'. Did you mean 'seeds'?"),
        ("seeds = 2", "seeds = 1", "seeds must be at least 2, got 1"),
        ("seeds = 2", "seeds = true", "seeds takes a whole number, got True"),
        ("seeds = 2", "baseline = 'grp'", "Did you mean 'grpo'?"),
        ("seeds = 2", "seeds = ", "is no TOML file"),
        ("steps = 1\n", "stesp = 1\n", "[run]: there is no setting 'stesp'; did you mean steps"),
        ("steps = 1\n", "seed = 1\n", "[run]: a study sets seed itself"),
        ('env = "RandomCalculation"', 'env = "RandomCalclation"', "RandomCalculation"),
        ('env = "RandomCalculation"', "", "[tasks.sums] has no env"),
        ("[variants.grpo]", "", "needs a variant"),
        ("[variants.grpo]", "[variants]\ngrpo = 1", "must be a table [variants.grpo], got 1"),
        ("[variants.grpo]", "[variants.a]\nadvantage = 'tmpo'", "did you mean 'tempo'?"),
        (
            "[variants.grpo]",
            "[variants.a]\nadvantage = {part = 'tempo', alpa = 1}",
            "mean advantage.alpha",
        ),
        ("[variants.grpo]", "[variants.a]\nadvantage = 'mine:X'", "zerogym --import mine"),
        ("[variants.grpo]", "[variants.a]\ngamma = 0.5", "[tasks.sums] with [variants.a]: gamma"),
        ("[variants.grpo]", "[variants.a]\nenv = 'Countdown'", "env is in [tasks.sums] and in"),
        ("[variants.grpo]", "[variants.a]\nmodel = 'tinny'", "tinny"),
    ],
)
def test_a_mistake_in_the_file_is_one_line_and_nothing_runs(
    old: str, new: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "small.toml"
    assert old in SMALL
    file.write_text(SMALL.replace(old, new))
    result = run("study", file)
    [shown] = result.stderr.strip().splitlines()
    assert result.exit_code == 2 and message in shown, shown
    assert [each.name for each in tmp_path.iterdir()] == ["small.toml"]


def test_arguments_that_a_task_does_not_take_end_the_study_before_it_begins(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace("[variants", "env_kwargs = {dificulty = 1}\n[variants"))
    result = run("study", file, "--out", tmp_path / "out")
    [shown] = result.stderr.strip().splitlines()
    assert result.exit_code == 2 and "did you mean 'difficulty'" in shown, shown


def test_the_command_writes_numbers_page_and_picture(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    result = run("study", file, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "runs 2/2" in result.output and "less that of grpo" in result.output
    written = {each.name for each in (tmp_path / "out").iterdir()}
    assert written == {"small.json", "small.md", "small.svg"}
    again = run("study", file, "--out", tmp_path / "out", "--json")
    assert again.exit_code == 0 and json.loads(again.stdout)["study"] == "small"
    assert len(read(tmp_path / "out" / "small.json")["sessions"]) == 1


def test_ctrl_c_prints_the_command_that_goes_on(
    tutorial: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = set(references.named_modules)  # that earlier tests of this process have named
    references.named_modules.clear()

    def stop(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "measure", stop)
    result = run("--import", "median", "study", "median.toml")
    again = "zerogym --import median study median.toml --out runs/studies --workers 1"
    assert result.exit_code == 130
    references.named_modules.update(others)
    assert result.stderr.strip() == f"stopped: saved; continue with: {again}"


@pytest.fixture
def tutorial(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the files of the tutorial about advantages, whose module is typed."""
    text = (root / "docs/tutorials/own_advantage.md").read_text("utf-8")
    for title, code in re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', text, re.M | re.S):
        (tmp_path / title).write_text(code, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr(references, "named_modules", references.named_modules)
    yield tmp_path
    sys.modules.pop("median", None)
    references.named_modules.discard("median")


def test_the_study_of_the_tutorial_compares_an_own_advantage_with_three_of_ours(
    tutorial: Path,
) -> None:
    references.import_named("median")
    study = read_study(tutorial / "median.toml")
    assert study.variants == ["grpo", "opo", "lite_ppo", "median"]
    own = study.settings(Cell("sums", "median", 10))["advantage"]
    assert own == {"part": "median:Median", "scale": 2.0, "version": 1}


@pytest.mark.proof
def test_the_tutorial_runs_in_two_processes_and_goes_on_after_ctrl_c(tutorial: Path) -> None:
    file = tutorial / "median.toml"
    few = {"seeds": 2, "steps": 2, "prompts_per_step": 2, "eval_episodes": 4}
    text = file.read_text()
    for name, value in few.items():
        text = re.sub(rf"^{name} = \d+", f"{name} = {value}", text, flags=re.M)
    file.write_text(text)
    command = [sys.executable, "-m", "zerogym", "--import", "median", "study", "median.toml"]
    begun = subprocess.Popen(
        [*command, "--workers", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    path = tutorial / "runs" / "studies" / "median.json"
    while not path.exists() and begun.poll() is None:
        time.sleep(0.1)
    begun.send_signal(signal.SIGINT)
    _, errors = begun.communicate(timeout=120)
    assert begun.returncode == 130, errors
    [_, line] = errors.splitlines()
    again = "zerogym --import median study median.toml --out runs/studies --workers 2"
    assert line.endswith(f"continue with: {again}"), errors
    assert 1 <= len(read(path)["cells"]) < 10
    assert subprocess.run([*command, "--workers", "2"], check=False).returncode == 0
    two = read(path)["cells"]
    path.unlink()
    assert run("--import", "median", "study", "median.toml").exit_code == 0
    one = read(path)["cells"]
    for row in (*one, *two):
        row.pop("seconds")
    assert one == two and len(one) == 2 * 5


def test_a_process_that_only_starts_gets_no_ctrl_c_and_begins_no_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    show = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    command = [sys.executable, "-c", show]
    with runner._inherited_ignore():
        inside = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    outside = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert (inside, outside) == ("True\n", "False\n")
    stopping = threading.Event()
    monkeypatch.setattr(runner, "_stopping", stopping)
    monkeypatch.setattr(runner, "measure", lambda *job: "measured")
    assert runner._measure_in_child() == "measured"
    stopping.set()
    with pytest.raises(KeyboardInterrupt):
        runner._measure_in_child()
