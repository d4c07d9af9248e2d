"""The site builds without a warning, and has a page for each task."""

import subprocess
import sys
from pathlib import Path

import pytest

import zerogym

pytest.importorskip("mkdocs")


@pytest.mark.proof
def test_the_site_builds(root: Path, tmp_path: Path) -> None:
    built = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(built)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("index", "reference", "tasks/reasoning/Countdown", "tasks/control/Walker"):
        assert (built / f"{name}.html").exists()
    pages = {path.stem for path in built.glob("tasks/*/*.html")}
    targets = {task.target for task in zerogym.tasks()}
    assert len(pages - {"index"}) == len(targets)
