"""One call: start a sandbox, put files in, say go, watch, end it, and judge from outside."""

import os
import resource
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Literal

from zerogym.envs.tools.sandbox import tree
from zerogym.envs.tools.sandbox.bubblewrap import (
    GO,
    READY,
    Programs,
    chain_length,
    command,
    own_uid,
)
from zerogym.envs.tools.sandbox.capture import Pipes
from zerogym.envs.tools.sandbox.folders import Folders
from zerogym.envs.tools.sandbox.limits import KIB, MIB, Limits
from zerogym.envs.tools.sandbox.result import Result, Verdict
from zerogym.envs.tools.sandbox.seccomp import compile_filter
from zerogym.envs.tools.sandbox.spawner import spawn
from zerogym.errors import SandboxUnavailable

START_S = 30.0  # for the sandbox to come up, on a busy machine
END_S = 10.0  # for a killed sandbox to be gone
LOOKS_S = (0.005, 0.01, 0.02)  # between two looks at what is used: soon at first, for short calls


class _NoStart(Exception):
    """The sandbox did not come up; no code of a model has run."""


@dataclass(frozen=True)
class Call:
    """What to run: a command, its input, its files, its budget."""

    argv: Sequence[str]
    limits: Limits
    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    collect: Sequence[str] = ()
    readable: Sequence[str] = ()


def execute(programs: Programs, call: Call) -> Result:
    """Run a call; a failure of the sandbox itself is the verdict `unavailable`."""
    begin = time.monotonic()
    try:
        uid = own_uid()
        read, write = os.pipe()
        try:
            os.write(write, compile_filter())
            os.close(write)
            words = command(programs, call.limits, call.argv, call.readable, uid, read)
            process = spawn(words, [read])
        finally:
            os.close(read)
        with ExitStack() as stack:
            running = Running(process, call, begin)
            stack.callback(running.close)
            return running.run(uid)
    except (_NoStart, SandboxUnavailable, OSError) as error:
        wall = time.monotonic() - begin
        return Result("unavailable", reason=f"the sandbox failed: {error}"[:2000], wall_s=wall)


class Running:
    """A sandbox that has been started, until it is closed."""

    def __init__(self, process: "subprocess.Popen[bytes]", call: Call, begin: float) -> None:
        self._process, self._call, self._begin = process, call, begin
        self._pipes = Pipes(process, call.stdin, call.limits.output_kib * KIB)
        self._first: int | None = None  # descriptor of the first process of the namespace
        self._inside = 0  # the waiting shell
        self._folders = Folders([])
        self._peak = 0
        self._cpu_s = 0.0
        self._status: int | None = None

    def run(self, uid: int | None) -> Result:
        """The whole course of a call."""
        self._wait_until_ready(chain_length(uid))
        self._folders.write(self._call.files, uid)
        self._pipes.say(GO)
        stopped, reason = self._watch()
        self._end()
        return self._judge(stopped, reason)

    def close(self) -> None:
        """End what may still run, and let go of everything."""
        try:
            self._end()
        finally:
            self._folders.close()
            self._pipes.close()
            if self._first is not None:
                os.close(self._first)

    def _wait_until_ready(self, chain: int) -> None:
        pipes, until = self._pipes, time.monotonic() + START_S
        ended = False
        while READY not in pipes.out.data and not ended and time.monotonic() < until:
            ended = pipes.wait(until - time.monotonic(), pipes.end, feed=False)
        pipes.drain()
        _, *inside = tree.descendants(self._process.pid)  # each the only child of the one before
        if pipes.out.data != READY or len(inside) != chain:
            said = pipes.err.text().strip() or "it did not start in time"
            raise _NoStart(said)
        pipes.out.data.clear()
        self._first = os.pidfd_open(inside[0])
        self._inside = inside[-1]
        self._folders = Folders.open(self._inside)

    def _watch(self) -> tuple[Literal["time", "memory", "output"] | None, str]:
        """Wait for the end or for a limit that is passed."""
        limits, pipes = self._call.limits, self._pipes
        start = time.monotonic()
        looks = 0
        look_at = start + LOOKS_S[0]
        while True:
            now = time.monotonic()
            if now >= look_at:
                looks += 1
                over = self._look()
                if over is not None:
                    return over
                look_at = time.monotonic() + LOOKS_S[min(looks, len(LOOKS_S) - 1)]
            if now - start > limits.wall_s:
                return "time", f"{limits.wall_s:g} s on the clock"
            if pipes.out.truncated or pipes.err.truncated:
                return "output", f"more than {limits.output_kib} KiB of output"
            if pipes.wait(look_at - now, pipes.end):
                return None, ""

    def _look(self) -> tuple[Literal["time", "memory"], str] | None:
        """Add up what is used; the limit that is passed, if any."""
        limits = self._call.limits
        used = tree.use(self._process.pid, limits.memory_mib * MIB)
        memory = used.memory + tree.sockets(self._inside)
        disk, files = self._folders.used()
        self._peak = max(self._peak, memory)
        self._cpu_s = max(self._cpu_s, used.cpu_s)
        if memory > limits.memory_mib * MIB:
            return "memory", f"{memory / MIB:.0f} MiB of memory, allowed {limits.memory_mib}"
        if disk > limits.disk_mib * MIB:
            return "memory", f"{disk / MIB:.0f} MiB on disk, allowed {limits.disk_mib}"
        if files > limits.files + len(self._folders.descriptors):
            return "memory", f"{files} files, allowed {limits.files}"
        if used.cpu_s > limits.cpu_s:
            return "time", f"{limits.cpu_s:g} CPU seconds"
        return None

    def _end(self) -> None:
        """End all processes, keep what they wrote, and wait for the launcher's own child."""
        if self._status is not None:
            return
        if not self._gone(self._pipes.end, 0):
            self._kill()
        self._pipes.drain()
        _, self._status, used = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(self._status)
        self._cpu_s = max(self._cpu_s, used.ru_utime + used.ru_stime)
        # A child starts with the peak of the process that started it, so only more is its own.
        if used.ru_maxrss > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss:
            self._peak = max(self._peak, used.ru_maxrss * KIB)

    def _kill(self) -> None:
        """Kill the first process of the namespace: with it the kernel kills all others.

        The launcher's own child then ends by itself, and leaves neither orphans nor lost CPU times.
        It is held back until all that the program wrote is read, for it has a word to say itself.
        """
        child = self._pipes.end
        with suppress(ProcessLookupError):
            if self._first is not None:
                signal.pidfd_send_signal(child, signal.SIGSTOP)
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
                self._gone(self._first, END_S)
                self._pipes.drain()
                self._pipes.stop_reading()
                signal.pidfd_send_signal(child, signal.SIGCONT)
        if self._first is None or not self._gone(child, END_S):
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(child, signal.SIGKILL)

    def _gone(self, process: int, seconds: float) -> bool:
        """Whether a process (its descriptor) ends in time; its pipes are kept flowing."""
        until = time.monotonic() + seconds
        while not self._pipes.wait(until - time.monotonic(), process, feed=False):
            if time.monotonic() >= until:
                return False
        return True

    def _judge(self, stopped: Verdict | None, reason: str) -> Result:
        out, err, limits = self._pipes.out, self._pipes.err, self._call.limits
        code = self._process.returncode
        killed_by = code - 128 if 128 < code < 128 + signal.NSIG else None
        if stopped is None and (out.truncated or err.truncated):
            stopped, reason = "output", f"more than {limits.output_kib} KiB of output"
        if stopped is None and killed_by in (signal.SIGXCPU, signal.SIGKILL):
            if self._cpu_s >= 0.9 * limits.cpu_s:
                stopped, reason = "time", f"{limits.cpu_s:g} CPU seconds"
            elif killed_by == signal.SIGKILL:
                stopped, reason = "killed", "SIGKILL that the sandbox did not send"
        if stopped is None and code != 0:
            stopped, reason = "error", f"exit status {code}"
        return Result(
            verdict=stopped or "ok",
            stdout=out.text(),
            stderr=err.text(),
            stdout_truncated=out.truncated,
            stderr_truncated=err.truncated,
            exit_code=None if stopped in ("time", "memory", "output") else code,
            signal=killed_by,
            cpu_s=self._cpu_s,
            wall_s=time.monotonic() - self._begin,
            peak_mib=self._peak / MIB,
            reason=reason,
            files=self._folders.read(self._call.collect, limits.output_kib * KIB),
        )
