"""The site builds without a warning or a broken link, and has a page for each task."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import zerogym
from zerogym.envs.registry import TASKS

pytest.importorskip("mkdocs")


def build(root: Path, built: Path) -> None:
    """Build the site; strict, so that a warning is an error."""
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(built)]
    variables = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=root, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.proof
def test_the_whole_site_builds(root: Path, tmp_path: Path) -> None:
    build(root, tmp_path)
    pages = {path.stem for path in tmp_path.glob("tasks/*/*.html")}
    assert pages == {"index", *(task.name for task in TASKS)}  # none of other packages
    for name in ("index", "reference", "papers", "parts", "glossary", "security", "contributing"):
        assert (tmp_path / f"{name}.html").exists()
    page = (tmp_path / "tasks/reasoning/Countdown.html").read_text("utf-8")
    assert "Reply (reward 1, score 1, terminated)" in page
    assert "https://arxiv.org/abs/2404.03683" in page
    umap = (tmp_path / "tasks/control/UMap.html").read_text("utf-8")
    assert 'src="../../worlds/UMap.gif"' in umap and "layout='u_map'" in umap
    assert (tmp_path / "tasks/games/Hex.gif").read_bytes().startswith(b"GIF89a")


@pytest.mark.parametrize("name", ["Countdown", "KuhnPoker", "UMap"])
def test_the_page_of_a_task(load_tool: Callable[[str], ModuleType], name: str) -> None:
    (task,) = (task for task in zerogym.tasks() if task.name == name)
    text, _ = load_tool("site_tasks").task_page(task)
    assert text == load_tool("site_tasks").task_page(task)[0]
    headings = re.findall(r"^## (.+)$", text, re.M)
    assert headings[:2] == ["An episode", "Description"]
    assert {"Arguments", "Reward", "Source", "Spaces"} <= set(headings)
    assert ("Easier and harder" in headings) == (name == "Countdown")
