"""`zerogym new`: packages that work as they are written."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import zerogym
from helpers.plugin_folder import forgotten_afterwards
from zerogym.cli import app
from zerogym.envs.lookup import find_task

FAMILIES = {
    "task": "reasoning",
    "game": "games",
    "tool-world": "tools",
    "control-task": "control",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current folder; afterwards nothing of what is written there is left."""
    monkeypatch.chdir(tmp_path)
    with forgotten_afterwards(monkeypatch, tmp_path):
        yield tmp_path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "300"})


def installed(package: Path) -> None:
    """Leave what an installation leaves: the declared entry points beside the module."""
    project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    info = package / f"{project['name']}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: 1.0\n")
    [(group, points)] = project["entry-points"].items()
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (info / "entry_points.txt").write_text(f"[{group}]\n{lines}")


@pytest.mark.parametrize("kind", FAMILIES)
def test_a_package_brings_its_task(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = run("new", kind, "two_rows", "--out", "here")
    assert made.exit_code == 0, made.output
    files = {path.relative_to("here").as_posix() for path in Path("here").rglob("*.*")}
    assert files == {"pyproject.toml", "README.md", "two_rows.py", "tests/test_two_rows.py"}
    for file in files:
        text = Path("here", file).read_text().lower()
        assert "my_task" not in text and "mytask" not in text and "my-task" not in text
    installed(folder / "here")
    monkeypatch.syspath_prepend(folder / "here")
    task = find_task("TwoRows")
    assert (task.id, task.family) == ("two_rows/TwoRows-v0", FAMILIES[kind])
    assert task.tags == ("two-rows",) and task.summary
    env: Any = zerogym.make("two_rows")
    env.reset(seed=0)
    env.step(env.unwrapped.oracle_action())


@pytest.mark.proof
@pytest.mark.parametrize("kind", FAMILIES)
def test_a_package_passes_its_tests_and_the_audit(kind: str, folder: Path) -> None:
    assert run("new", kind, "two_rows").exit_code == 0
    view = "?view=text" if kind == "control-task" else ""
    subject = f"two_rows:two_rows/TwoRows-v0{view}"
    for command in (
        ("pytest", "-q", "-W", "error", "-p", "no:cacheprovider"),
        ("zerogym", "audit", subject, "--quick"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            capture_output=True, text=True, cwd=folder / "two_rows", env=os.environ,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("tsk", "two_rows"), "no kind of package 'tsk'. Did you mean 'task'?"),
        (("task", "Two-Rows"), "got 'Two-Rows'. Did you mean 'two_rows'?"),
        (("task", "TwoRows"), "Did you mean 'two_rows'?"),
        (("task", "2rows"), "Did you mean 'task_2rows'?"),
        (("task", "../x"), "Did you mean 'x'?"),
        (("task", "é"), "lower case words"),
        (("task", "lambda"), "a word of Python: choose another, say 'lambda_task'"),
        (("task", "json"), "there is a module 'json': choose another, say 'my_json'"),
        (("task", "numpy"), "there is a module 'numpy'"),
        (("task", "two_rows", "--out", "."), ". exists already"),
    ],
)
def test_wrong_names_and_folders_are_refused(
    arguments: tuple[str, ...], says: str, folder: Path
) -> None:
    found = run("new", *arguments)
    assert found.exit_code == 2 and says in found.output, found.output
    assert len(found.output.strip().splitlines()) == 1 and not list(folder.iterdir())
