"""A call without namespaces: a supervisor between launcher and program, a folder on the disk.

It serves the levels `landlock`, where the supervisor puts up walls, and `unsafe-local`, where it
does not. Everything else is that of level `strong`: pipes, watch, verdicts, results.
"""

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zerogym.envs.tools.sandbox.execution import kernel_buffers, process_tree
from zerogym.envs.tools.sandbox.execution.cpu_account import CpuAccount
from zerogym.envs.tools.sandbox.execution.execute import Call, run_started, unavailable
from zerogym.envs.tools.sandbox.execution.folders import Folders
from zerogym.envs.tools.sandbox.execution.spawner import spawn
from zerogym.envs.tools.sandbox.execution.started import END_S, NoStart, Started
from zerogym.envs.tools.sandbox.execution.watch import Over, Watch
from zerogym.envs.tools.sandbox.kernel.bubblewrap import ENVIRONMENT, own_uid, rlimits
from zerogym.envs.tools.sandbox.limits import MIB, Limits
from zerogym.envs.tools.sandbox.result import Result
from zerogym.envs.tools.sandbox.unprivileged import supervisor
from zerogym.envs.tools.sandbox.unprivileged.work_folder import WorkFolder
from zerogym.errors import SandboxUnavailable

# Processes of one user beside those of a call: other calls, the user's own programs.
OTHERS = 128
UNDISTURBED = 2  # the supervisor, and the program
LARGEST_FILE = 15 / 16  # of the disk: one file alone gets an error before the watch ends the call
REST = 2  # times the CPU time of a look at the folders, until the next


@dataclass(frozen=True)
class Walls:
    """The walls that the supervisor puts between program and host.

    Attributes:
        shown: Files and folders to read and to run.
        devices: Files to read and write.
        seccomp: The filter of system calls, as `seccomp.compile_filter` writes it.
    """

    shown: tuple[str, ...]
    devices: tuple[str, ...]
    seccomp: bytes


def execute_supervised(call: Call, walls: Walls | None) -> Result:
    """Run a call; a failure of the sandbox itself is the verdict `unavailable`."""
    begin = time.monotonic()
    try:
        with Supervised(call, walls) as started:
            return run_started(started, SupervisedWatch(started, call.limits), call, begin)
    except (NoStart, SandboxUnavailable, OSError) as error:
        return unavailable(error, begin)


class Supervised(Started):
    """A program that waits, below its supervisor; a context that ends both."""

    def __init__(self, call: Call, walls: Walls | None) -> None:
        self.uid = own_uid()
        self.folder = WorkFolder(self.uid)
        self._make_groups(call.limits)
        order = os.memfd_create("order")
        try:
            with open(os.dup(order), "w", encoding="ascii") as file:
                json.dump(_order(call, walls, self.uid, self.folder.paths), file)
            python = os.path.realpath(sys.executable)
            words = [python, "-I", "-S", "-B", supervisor.__file__, str(order)]
            process = spawn(words, [order], self.groups)
        except BaseException:
            self.folder.close()
            self._remove_groups()
            raise
        finally:
            os.close(order)
        self._adopt(process, call.stdin, call.limits)

    def close(self) -> None:
        """End what may still run, and remove the folder."""
        try:
            super().close()
        finally:
            self.folder.close()

    def _open_folders(self) -> Folders:
        return self.folder

    def finish(self) -> None:
        """End all processes.

        Raises:
            NoStart: If the supervisor was killed, and what became of the program is not known.
        """
        super().finish()
        if self.code is None or self.code >= 0:
            return
        if self.uid is not None:
            _end_all_of(self.uid)
        if self.group is None or self.group.kills() == 0:
            raise NoStart(f"its supervisor was ended by signal {-self.code}")

    def _kill(self) -> None:
        """Let the supervisor end everything, and then itself."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.end, signal.SIGTERM)
            if not self._gone(self.end, END_S):
                signal.pidfd_send_signal(self.end, signal.SIGKILL)


class SupervisedWatch(Watch):
    """Looks at what a call uses that shares the disk, the network and the processes of the host."""

    def __init__(self, started: Supervised, limits: Limits) -> None:
        folder, group = started.folder, started.group
        account = CpuAccount(UNDISTURBED, started.cpu_group)
        super().__init__(started.pid, started.inside, folder, limits, account, group)
        self._work = started.folder
        self._sockets = kernel_buffers.count_sockets()
        self._walk_at = 0.0
        self._threads = 0
        self._measured = (0, 0, 0)  # bytes in sockets, bytes on the disk, files

    def look(self) -> Over | None:
        """Return a passed limit, of every level or on processes (a user has one number for all)."""
        over = super().look()
        if over is None and self._threads > self._limits.processes:
            over = "memory", f"more than {self._limits.processes} processes and threads"
        return over

    def _measure(self) -> tuple[int, int, int]:
        if time.monotonic() >= self._walk_at:
            begin = time.thread_time()
            self._measured = self._look_around()
            self._walk_at = time.monotonic() + REST * (time.thread_time() - begin)
        in_sockets, disk, files = self._measured
        used = self._use(in_sockets)
        self._threads = used.threads - 1  # without the supervisor
        return used.memory + in_sockets, disk, files

    def _look_around(self) -> tuple[int, int, int]:
        limits = self._limits
        sockets, removed, closed = kernel_buffers.open_things(
            process_tree.descendants(self._pid)[1:]
        )
        if closed:  # each may have all that are new
            new = kernel_buffers.count_sockets() - self._sockets
            sockets += max(0, min(new, closed * limits.open_files))
        disk, files = self._work.count(limits.disk_mib * MIB, limits.files)
        return sockets * kernel_buffers.bytes_of_a_socket(), disk + removed, files


def _end_all_of(uid: int) -> None:
    """Kill every process of a uid that only one call has, until there is none."""
    until = time.monotonic() + END_S
    while (found := list(_processes_of(uid))) and time.monotonic() < until:
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _processes_of(uid: int) -> Iterator[int]:
    """Yield the processes of a user, on the whole host."""
    for entry in os.scandir("/proc"):
        with suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid == uid:
                yield int(entry.name)


def _order(call: Call, walls: Walls | None, uid: int | None, own: list[str]) -> Mapping[str, Any]:
    """Return the order of a call for the supervisor, as JSON values."""
    return {
        "argv": list(call.argv),
        "environment": {**ENVIRONMENT, "HOME": own[0], "TMPDIR": own[1]},
        "launcher": os.getpid(),
        "uid": uid,
        "walls": walls is not None,
        "own": own,
        "shown": [*walls.shown, *call.readable] if walls else [],
        "devices": walls.devices if walls else [],
        "filter": walls.seccomp.hex() if walls else "",
        "rlimits": {**rlimits(call.limits), **_shared_limits(call.limits, uid)},
    }


def _shared_limits(limits: Limits, uid: int | None) -> dict[str, tuple[int, int]]:
    """Return limits that the kernel counts over a user's processes, or on the host's disk."""
    most = int(limits.disk_mib * MIB * LARGEST_FILE)
    # Of a uid of its own there is the supervisor only.
    room = limits.processes + (1 if uid is not None else _threads_of_user() + OTHERS)
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    room = room if hard == resource.RLIM_INFINITY else min(room, hard)
    return {"FSIZE": (most, most), "NPROC": (room, room)}


def _threads_of_user() -> int:
    """Count the processes and threads of this user, on the whole host."""
    count = 0
    for pid in _processes_of(os.geteuid()):
        with suppress(OSError, ValueError, IndexError):
            stat = Path(f"/proc/{pid}/stat").read_bytes()
            count += int(stat.rpartition(b")")[2].split()[17])
    return count
