"""One process at a time in the folder of a run."""

import os
import signal
import threading
from pathlib import Path

import pytest

from helpers.dying_parents import is_running, kill, pids_in, start, wait_until
from zerogym.agents.run_lock import FolderInUse, locked

HOLDER = """
import os, pathlib, sys, time
from zerogym.agents.run_lock import locked
folder = pathlib.Path(sys.argv[1])
with locked(folder):
    (folder / str(os.getpid())).touch()
    if os.fork() == 0:  # a copy that outlives its parent
        (folder / str(os.getpid())).touch()
    time.sleep(120)
"""


def test_a_lock_names_its_holder_and_is_free_after_a_kill(tmp_path: Path) -> None:
    holder = start(HOLDER, tmp_path)
    try:
        assert wait_until(lambda: len(pids_in(tmp_path)) == 2)
        with pytest.raises(FolderInUse) as refusal, locked(tmp_path):
            pass
        assert f"{tmp_path} is in use by process {holder.pid} on " in str(refusal.value)
        kill(holder)
        (copy,) = [pid for pid in pids_in(tmp_path) if pid != holder.pid]
        assert is_running(copy)
        with locked(tmp_path):
            assert (tmp_path / ".lock").read_text().startswith(f"process {os.getpid()} on ")
    finally:
        for pid in filter(is_running, pids_in(tmp_path)):
            os.kill(pid, signal.SIGKILL)


def test_a_lock_leaves_no_trace(tmp_path: Path) -> None:
    for folder, kept in ((tmp_path, True), (tmp_path / "new", False), (tmp_path / "full", True)):
        with locked(folder), locked(folder, ".other.lock"):
            if folder.name == "full":
                (folder / "result").touch()
        assert folder.exists() == kept
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["result"]


def test_one_of_many_holds_a_folder_at_a_time(tmp_path: Path) -> None:
    inside, most, refused = 0, 0, 0

    def hold() -> None:
        nonlocal inside, most, refused
        for _ in range(200):
            try:
                with locked(tmp_path):
                    inside += 1
                    most = max(most, inside)
                    inside -= 1
            except FolderInUse:
                refused += 1

    threads = [threading.Thread(target=hold) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1 and refused < 800
