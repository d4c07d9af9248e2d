"""A sandbox that has come up and waits for the word to start, until it is ended."""

import os
import resource
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

from zerogym.envs.tools.sandbox.execution import process_tree
from zerogym.envs.tools.sandbox.execution.capture import Pipes
from zerogym.envs.tools.sandbox.execution.folders import Folders
from zerogym.envs.tools.sandbox.execution.spawner import spawn
from zerogym.envs.tools.sandbox.kernel import cgroup
from zerogym.envs.tools.sandbox.kernel.bubblewrap import (
    GO,
    READY,
    STARTER,
    Programs,
    command,
    own_uid,
)
from zerogym.envs.tools.sandbox.kernel.cpu_group import CpuGroup, new_cpu_group
from zerogym.envs.tools.sandbox.kernel.seccomp import compile_filter
from zerogym.envs.tools.sandbox.limits import KIB, Limits

UNDISTURBED = 3  # bubblewrap, the waiting shell, and the program that it starts
START_S = 30.0  # for the sandbox to come up, on a busy machine
END_S = 10.0  # for a killed sandbox to be gone


class NoStart(Exception):
    """The sandbox did not come up; no code of a model has run."""


class Started:
    """A sandbox whose shell waits for the launcher's word; a context that ends it.

    Attributes:
        uid: Of its processes, where the launcher is root.
        pid: The launcher's child.
        end: A descriptor that can be read once that child has ended.
        inside: The waiting shell, the first process of the sandbox.
        pipes: Its input and outputs.
        folders: Its folders for writing.
        code: The exit status, once it has ended.
        cpu_s, peak: CPU seconds and bytes of memory of what has ended.
        group, cpu_group: The kernel's groups of its processes, where they can be had.
    """

    group: cgroup.Group | None = None
    cpu_group: CpuGroup | None = None

    def __init__(
        self,
        programs: Programs,
        argv: Sequence[str],
        limits: Limits,
        readable: Sequence[str] = (),
        stdin: bytes = b"",
        starter: str = STARTER,
        pass_fds: Sequence[int] = (),
    ) -> None:
        self.uid = own_uid()
        self._make_groups(limits)
        read, write = os.pipe()
        try:
            os.write(write, compile_filter())
            os.close(write)
            words = command(programs, limits, argv, readable, self.uid, read, starter)
            process = spawn(words, [read, *pass_fds], self.groups, namespace=self.uid is not None)
        except BaseException:
            self._remove_groups()
            raise
        finally:
            os.close(read)
        self._adopt(process, stdin, limits)

    def _adopt(self, process: "subprocess.Popen[bytes]", stdin: bytes, limits: Limits) -> None:
        """Take over the launcher's child, and wait until it is ready."""
        self._process = process
        self.pid = process.pid
        self.end = os.pidfd_open(self.pid)
        out, err = process.stdout, process.stderr
        assert out is not None and err is not None
        self.pipes = Pipes(process.stdin, out, err, stdin, limits.output_kib * KIB)
        self.pipes.give(self.uid)
        self.folders = Folders([])
        self.inside = 0
        self.code: int | None = None
        self.cpu_s, self.peak = 0.0, 0
        self._first: int | None = None  # descriptor of the first process of the namespace
        try:
            self._wait_until_ready()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def go(self) -> None:
        """Let the waiting shell start the program."""
        self.pipes.write_line(GO)

    def close(self) -> None:
        """End what may still run, and close everything."""
        try:
            self.finish()
            self._remove_groups()
        finally:
            self.let_go()

    @property
    def groups(self) -> list[cgroup.EnteredGroup]:
        """The kernel's groups that there are."""
        return [group for group in (self.group, self.cpu_group) if group is not None]

    def _make_groups(self, limits: Limits) -> None:
        self.group, self.cpu_group = cgroup.group(limits), new_cpu_group()

    def _remove_groups(self) -> None:
        for group in self.groups:
            group.remove()

    def let_go(self) -> None:
        """Close what is open, and end nothing: all that a process forked later may do."""
        if self._process.returncode is None:
            self._process.returncode = 0  # nobody here waits for it
        self.folders.close()
        self.pipes.close()
        os.close(self.end)
        if self._first is not None:
            os.close(self._first)

    def finish(self) -> None:
        """End all processes, keep what they wrote, and wait for the launcher's own child."""
        if self.code is not None:
            return
        if not self._gone(self.end, 0):
            self._kill()
        self.pipes.drain()
        _, status, used = os.wait4(self.pid, 0)
        self.code = self._process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_s = used.ru_utime + used.ru_stime
        # A child starts with the peak of the process that started it, so only more is its own.
        if used.ru_maxrss > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss:
            self.peak = used.ru_maxrss * KIB

    def _wait_until_ready(self) -> None:
        pipes, until = self.pipes, time.monotonic() + START_S
        ended = False
        while READY not in pipes.out.data and not ended and time.monotonic() < until:
            ended = pipes.wait(until - time.monotonic(), self.end, feed=False)
        pipes.drain()
        inside = process_tree.descendants(self.pid)[1:]
        if pipes.out.data != READY or len(inside) != 1:
            raise NoStart(pipes.err.text().strip() or "it did not start in time")
        pipes.out.data.clear()
        (self.inside,) = inside
        self._first = os.pidfd_open(self.inside)
        self.folders = self._open_folders()

    def _open_folders(self) -> Folders:
        return Folders.open(self.inside)

    def _kill(self) -> None:
        """Kill the first process of the namespace: with it the kernel kills all others.

        The launcher's own child then ends by itself, and leaves neither orphans nor lost CPU times.
        It is held back until all that the program wrote is read, because it writes itself, too.
        """
        if self._first is not None:
            _signal(self.end, signal.SIGSTOP)
            _signal(self._first, signal.SIGKILL)
            self._gone(self._first, END_S)
            self.pipes.drain()
            self.pipes.stop_reading()
            _signal(self.end, signal.SIGCONT)
        if self._first is None or not self._gone(self.end, END_S):
            _signal(self.end, signal.SIGKILL)

    def _gone(self, process: int, seconds: float) -> bool:
        """Return whether a process (its descriptor) ends in time, and keep its pipes flowing."""
        until = time.monotonic() + seconds
        while not self.pipes.wait(until - time.monotonic(), process, feed=False):
            if time.monotonic() >= until:
                return False
        return True


def _signal(process: int, number: int) -> None:
    """Signal a process (its descriptor), which may have ended by now."""
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(process, number)
