"""The worker processes of level `monty`, and one thread that watches those that run.

The interpreter keeps limits of memory and of time itself. What it does not cover is measured here,
from outside: CPU seconds (the clock is no measure on a busy machine), output without end, and one
long operation that does not look at its own limit. The cure is the same: the worker is killed, and
the pool starts another one when it is needed.
"""

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from zerogym.envs.processors import processors
from zerogym.envs.tools.sandbox.limits import KIB, Limits
from zerogym.envs.tools.sandbox.result import Verdict
from zerogym.errors import require

LOOK_S = 0.02  # between two looks at what runs
GRACE_S = 0.25  # for the interpreter to notice itself that the clock's time is up
CALLS_PER_WORKER = 1000  # then it is replaced, with the memory that it did not give back
CPU_CLOCK = sys.platform == "linux"  # another process's CPU time can be read
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)

_lock = threading.Lock()
_at_work = threading.Event()
_running: "set[Run]" = set()
_pool: Any = None
# Of the parent of a forked process. To let go of it would end the parent's workers.
_inherited: list[Any] = []


@dataclass(eq=False)
class Run:
    """One call while it runs, watched from outside."""

    pid: int
    limits: Limits
    begin: float = field(default_factory=time.monotonic)
    cpu_before: float = 0.0
    cpu_s: float = 0.0
    over: tuple[Verdict, str] | None = None  # the limit for which it was killed
    data: dict[str, bytearray] = field(default_factory=dict)
    truncated: set[str] = field(default_factory=set)

    def take(self, stream: str, text: str) -> None:
        """Keep what it wrote, up to the cap; end it if that is not enough."""
        kept, new = self.data.setdefault(stream, bytearray()), text.encode("utf-8", "replace")
        room = self.limits.output_kib * KIB - len(kept)
        kept += new[:room]
        if len(new) > room:
            self.truncated.add(stream)
            self.kill("output", f"more than {self.limits.output_kib} KiB of output")

    def text(self, stream: str) -> str:
        """Return what it wrote to a stream."""
        return self.data.get(stream, b"").decode("utf-8", "replace")

    def look(self) -> None:
        """End it if a limit is passed."""
        with suppress(OSError):
            self.cpu_s = _cpu_s(self.pid) - self.cpu_before
        if self.cpu_s > self.limits.cpu_s:
            self.kill("time", f"{self.limits.cpu_s:g} CPU seconds")
        elif time.monotonic() - self.begin > self.limits.wall_s + GRACE_S:
            self.kill("time", f"{self.limits.wall_s:g} s on the clock")

    def kill(self, verdict: Verdict, reason: str) -> None:
        """End the worker, while it still belongs to this call."""
        if self in _running and self.over is None:
            self.over = (verdict, reason)
            with suppress(ProcessLookupError):
                os.kill(self.pid, _KILL)


@contextmanager
def watched(pid: int, limits: Limits) -> Iterator[Run]:
    """Watch a call of the worker `pid`, which stays its own until the end of the block."""
    run = Run(pid, limits)
    with suppress(OSError):
        run.cpu_before = _cpu_s(pid)
    with _lock:
        _running.add(run)
        _at_work.set()
    try:
        yield run
    finally:
        with suppress(OSError):
            run.cpu_s = _cpu_s(pid) - run.cpu_before
        with _lock:
            _running.remove(run)


def pool() -> Any:
    """Return the workers of this process, one for each processor, started when they are needed.

    Raises:
        MissingExtra: If the interpreter is not installed.
        RuntimeError: In a process forked from one that used it, see `is_forked`.
    """
    global _pool
    with _lock:
        if _inherited:
            raise RuntimeError("it does not work here: a parent used it before the fork")
        if _pool is None:
            monty = require("pydantic_monty", "tools", "The sandbox's level monty")
            started = monty.Monty(
                max_processes=processors(), max_checkouts_per_worker=CALLS_PER_WORKER
            )
            started.__enter__()
            atexit.register(_end, os.getpid(), started)
            threading.Thread(target=_watch, name="monty-watch", daemon=True).start()
            _pool = started
        return _pool


def is_forked() -> bool:
    """Return whether this process was forked from one that used the interpreter.

    The threads that served it there do not exist here, and a call would wait for ever.
    """
    return bool(_inherited)


def errors() -> tuple[type[BaseException], ...]:
    """Return the errors of the interpreter; empty if it is not installed."""
    try:
        return (import_module("pydantic_monty").MontyError,)
    except ImportError:
        return ()


def read_only(folder: str, path: str) -> Any:
    """Mount a folder of the host, to be read at a path of the program."""
    monty = require("pydantic_monty", "tools", "The sandbox's level monty")
    return monty.MountDir(host_path=folder, virtual_path=path, mode="read-only")


def _watch() -> None:
    while True:
        _at_work.wait()
        time.sleep(LOOK_S)
        with _lock:
            for run in _running:
                run.look()
            if not _running:
                _at_work.clear()


def _cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process; the kernel numbers its clock after it."""
    return time.clock_gettime((~pid << 3) | 2) if CPU_CLOCK else 0.0


def _end(owner: int, started: Any) -> None:
    if os.getpid() == owner:
        started.__exit__(None, None, None)


def _forget_after_fork() -> None:
    global _lock, _at_work, _pool
    if _pool is not None:
        _inherited.append(_pool)
    _lock, _at_work, _pool = threading.Lock(), threading.Event(), None
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
