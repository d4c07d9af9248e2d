"""Verbs hold the folder of their run, and leave no process behind."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helpers.dying_parents import is_running, kill, start, wait_until
from zerogym.agents.run_lock import locked
from zerogym.cli import app

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("jinja2")

VERBS = {
    "train llm": ("train", "llm", "--env", "Countdown", "--out"),
    "train llm again": ("train", "llm", "--resume"),
    "train fb": ("train", "fb", "--out"),
    "collect": ("collect", "UMap", "--out"),
    "bench quick": ("bench", "quick", "--out"),
    "bench games": ("bench", "games", "--out"),
}
LEAGUE = ("league", "kuhn_poker", "--pairs", "2", "--out")
BENCH = "import sys; from zerogym.cli import app; app()"


def refused(command: tuple[str, ...], folder: Path) -> None:
    found = CliRunner().invoke(app, command, env={"COLUMNS": "400"})
    words = " ".join(found.output.split())
    assert found.exit_code == 2, words
    assert f"error {folder} is in use by process {os.getpid()} on " in words


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_holds_the_folder_of_its_run(verb: str, tmp_path: Path) -> None:
    saved = tmp_path / "checkpoint-000001"
    saved.mkdir()
    (saved / "run.json").write_text(json.dumps({"config": {}}))
    with locked(tmp_path):
        refused((*VERBS[verb], str(tmp_path)), tmp_path)
    assert list(tmp_path.iterdir()) == [saved]


def test_a_league_holds_its_file(tmp_path: Path) -> None:
    command = (*LEAGUE, str(tmp_path / "a.jsonl"))
    with locked(tmp_path, ".a.jsonl.lock"):
        refused(command, tmp_path)
    with locked(tmp_path), locked(tmp_path, ".b.jsonl.lock"):
        assert CliRunner().invoke(app, command).exit_code == 0


def descendants(pid: int) -> set[int]:
    """Return the processes below a process, by the parent that each names."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int(
                (folder / "stat").read_text().rpartition(")")[2].split()[1]
            )
        except OSError:
            continue
    found, fresh = set(), {pid}
    while fresh:
        fresh = {child for child, parent in parents.items() if parent in fresh}
        found |= fresh
    return found


@pytest.mark.proof
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("verb", ["bench", "audit"])
def test_a_killed_verb_leaves_no_process(verb: str, number: int, tmp_path: Path) -> None:
    bench = ("bench", "quick", "--out", tmp_path / "run")
    audit = ("audit", "Sudoku", "Countdown", "--processes", 2)
    process = start(BENCH, *(bench if verb == "bench" else audit))
    try:
        # Two lanes and the tracker of multiprocessing, or two children with a fork each.
        assert wait_until(lambda: len(descendants(process.pid)) >= (3 if verb == "bench" else 4))
        left = descendants(process.pid)
    finally:
        kill(process, number)
    assert process.returncode == -number
    assert wait_until(lambda: not any(map(is_running, left)))
