"""A control group for the processes of one sandbox, where the kernel lets us make one.

The looks of the watcher (`watch.py`) are 20 ms apart, and see no memory of the kernel. A group has
a limit that is exact, and counts all: pages of every process once, the folders in memory, pipes,
sockets, page tables. The limit is memory and disk of the call together, since the kernel keeps one
sum; the watcher stays, for each of the two by itself, and for CPU, files and output. The kernel's
own peak is not reported: it counts files that were read, which it would give back.

A group is made below the launcher's own, whose limits so hold for it too. The thread that starts
the sandbox enters the group, starts it, and leaves: a process that is born in a group costs 0.3 ms,
while moving one into it takes the kernel 10 ms.

Left out: version 2 of control groups, in which only whole processes can be moved, so that each call
would take half as long again (and none could be tried here); a limit on the number of processes,
which the sandbox's own rlimit keeps exactly.
"""

import os
import secrets
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from zerogym.envs.tools.sandbox.limits import MIB, Limits

PREFIX = "zerogym-"
OWN_MIB = 16  # for the sandbox's own processes, and what the kernel keeps about all of them
END_S = 1.0  # for the kernel to see that the last process has ended


class Group:
    """A group of its own for one sandbox, until it is removed."""

    def __init__(self, place: Path, limits: Limits) -> None:
        """Make it in a folder of the kernel, with its limit.

        Raises:
            OSError: If the kernel refuses.
        """
        self._place, self.folder = place, place / (PREFIX + secrets.token_hex(8))
        self._events, self._kills = f"{self.folder}/memory.oom_control", 0
        limit = str((limits.memory_mib + limits.disk_mib + OWN_MIB) * MIB).encode()
        os.mkdir(self.folder)
        try:
            _write(self.folder / "memory.limit_in_bytes", limit)
            with suppress(FileNotFoundError):  # a kernel without swap
                _write(self.folder / "memory.memsw.limit_in_bytes", limit)
        except OSError:
            self.remove()
            raise

    def enter(self) -> None:
        """Move this thread into the group; what it starts from now on is born there.

        Another launcher that starts takes away what is empty. Then the watcher is alone.
        """
        with suppress(OSError):
            _write(self.folder / "tasks", b"0")

    def leave(self) -> None:
        """Move this thread back."""
        with suppress(OSError):
            _write(self._place / "tasks", b"0")

    def kills(self) -> int:
        """Return how many processes the kernel has killed because the limit was reached."""
        with suppress(OSError), open(self._events, "rb", buffering=0) as file:
            _, _, count = file.read().rpartition(b"oom_kill ")
            self._kills = int(count)
        return self._kills  # once it is removed: the last count

    def remove(self) -> None:
        """Remove it; its processes have ended."""
        self.kills()
        until = time.monotonic() + END_S
        while not _removed(self.folder) and time.monotonic() < until:
            time.sleep(0.001)


def group(limits: Limits) -> Group | None:
    """Make a group for a sandbox that is to be started; None where it cannot be had."""
    where = place()
    with suppress(OSError):
        return Group(where, limits) if where else None
    return None


@lru_cache(maxsize=1)
def place() -> Path | None:
    """Return where this process can make groups, found by making one.

    What launchers left that were killed is removed: the kernel refuses where a process is left.
    """
    try:
        mounts = Path("/proc/self/mountinfo").read_text()
        folder = own_folder(mounts, Path("/proc/self/cgroup").read_text())
        if folder is None:
            return None
        with suppress(OSError):
            for name in os.listdir(folder):
                if name.startswith(PREFIX):
                    _removed(folder / name)
        tried = Group(folder, Limits(memory_mib=3, disk_mib=1))
        kept = (tried.folder / "memory.limit_in_bytes").read_text().strip()
        tried.remove()
    except (OSError, ValueError):
        return None
    usable = int(kept) == (4 + OWN_MIB) * MIB and os.access(folder / "tasks", os.W_OK)
    return folder if usable else None


def own_folder(mounts: str, own: str) -> Path | None:
    """Find the folder of this process's memory group in the texts of `mountinfo` and `cgroup`."""
    groups = (line.split(":", 2) for line in own.splitlines())
    path = next((path for _, names, path in groups if "memory" in names.split(",")), None)
    for line in mounts.splitlines() if path else ():
        left, _, right = line.partition(" - ")
        root, point = left.split()[3:5]
        kind, _, options = right.split()[:3]
        if kind == "cgroup" and "memory" in options.split(","):
            relative = os.path.relpath(str(path), root)  # a part of the tree may be mounted
            return None if relative.startswith("..") else Path(point, relative)
    return None


def _removed(folder: Path) -> bool:
    with suppress(OSError):
        os.rmdir(folder)
    return not folder.exists()


def _write(path: Path, text: bytes) -> None:
    """Write to a file that is there."""
    with open(path, "r+b", buffering=0) as file:
        file.write(text)
