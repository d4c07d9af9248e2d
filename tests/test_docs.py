"""The Python blocks of the README and of the site's hand-written pages run, in order."""

import os
import re
import shlex
import sys
from pathlib import Path

import gymnasium as gym
import pytest
from typer.testing import CliRunner

from zerogym.cli import app

BLOCK = re.compile(r"^```python(?: title=\"([^\"\n]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OWN = ("task", "game", "reward", "tool", "tool_world", "advantage")
PAGES = ("docs/index", "docs/start/first_task", *(f"docs/tutorials/own_{name}" for name in OWN))
SLOW = (
    "README",
    "docs/start/language_model",
    "docs/start/zero_shot",
    "docs/tutorials/rl_library",
)


@pytest.mark.parametrize(
    "page", [*PAGES, *(pytest.param(page, marks=pytest.mark.proof) for page in SLOW)]
)
def test_the_code_of_a_page_runs(
    page: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    blocks = BLOCK.findall((root / f"{page}.md").read_text("utf-8"))
    assert blocks
    names: dict[str, object] = {"__name__": "page"}
    for title, code in blocks:
        if title:  # a file that the reader saves
            (tmp_path / title).write_text(code, "utf-8")
        else:
            exec(compile(code, f"{page}.md", "exec"), names)


@pytest.mark.proof
def test_the_commands_of_the_page_about_packages_run(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    text = (root / "docs/tutorials/own_package.md").read_text("utf-8")
    lines = re.findall(r"^(?:zerogym|cd) .+$", text, re.MULTILINE)
    assert len(lines) == 5
    for line in lines:
        command, *arguments = shlex.split(line)
        if command == "cd":
            os.chdir(arguments[0])
            continue
        found = CliRunner().invoke(app, arguments, env={"COLUMNS": "300"})
        assert found.exit_code == 0, found.output
    assert "4 test problems without the wrappers of training" in found.output
    gym.registry.pop("digit_sum/DigitSum-v0")
    sys.modules.pop("digit_sum")
