"""Processes that end with their parent."""

import signal
import sys
from pathlib import Path

import pytest

from helpers.dying_parents import is_running, kill, pids_in, start, wait_until

PARENT = """
import os, subprocess, sys
folder, child = sys.argv[1:]
processes = [subprocess.Popen([sys.executable, "-c", child, folder, str(os.getpid()), way])
             for way in ("kernel", "thread")]
processes[0].wait()
"""
CHILD = """
import os, pathlib, sys, time
from zerogym.envs import parent_death
folder, parent, way = sys.argv[1:]
if way == "thread":
    parent_death._prctl = lambda *arguments: -1
parent_death.end_with_parent(int(parent))
pathlib.Path(folder, str(os.getpid())).touch()
time.sleep(120)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_child_ends_with_its_parent(tmp_path: Path, number: int) -> None:
    parent = start(PARENT, tmp_path, CHILD)
    try:
        assert wait_until(lambda: len(pids_in(tmp_path)) == 2)
        assert all(map(is_running, pids_in(tmp_path)))
    finally:
        kill(parent, number)
    assert wait_until(lambda: not any(map(is_running, pids_in(tmp_path))))


def test_a_child_that_starts_too_late_ends_at_once(tmp_path: Path) -> None:
    orphan = start(CHILD, tmp_path, 2**22 + 1, "kernel")  # no process has this number
    assert orphan.wait(60) == -signal.SIGKILL
    assert pids_in(tmp_path) == [] and sys.platform == "linux"
