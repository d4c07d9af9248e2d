"""Processes that are killed, and what they leave behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 60.0  # seconds, on a machine that is busy


def wait_until(condition: Callable[[], bool]) -> bool:
    """Return True as soon as the condition holds; False if it does not come to hold."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def start(program: str, *arguments: object) -> "subprocess.Popen[bytes]":
    """Start a Python program with the import paths of this process."""
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
    )


def kill(process: "subprocess.Popen[bytes]", number: int = signal.SIGKILL) -> None:
    """Send a signal and wait for the end."""
    process.send_signal(number)
    process.wait(PATIENCE)


def is_running(pid: int) -> bool:
    """Return True if the process exists and is no zombie."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def pids_in(folder: Path) -> list[int]:
    """Return the numbers of processes that have left a file of that name."""
    return [int(file.name) for file in folder.iterdir() if file.name.isdigit()]
