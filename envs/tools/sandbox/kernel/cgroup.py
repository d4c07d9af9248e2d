"""A control group for the processes of one sandbox, where the kernel lets us make one.

The looks of the watcher (`watch.py`) are 20 ms apart, and see no memory of the kernel. A group has
a limit that is exact, and counts all: pages of every process once, the folders in memory, pipes,
sockets, page tables. The limit is memory and disk of the call together, since the kernel keeps one
sum; the watcher stays, for each of the two by itself, and for CPU, files and output. The kernel's
own peak is not reported: it counts files that were read, which it would give back.

A group is made below the launcher's own, whose limits so hold for it too. The thread that starts
the sandbox enters the group, starts it, and leaves: a process that is born in a group costs 0.3 ms,
while moving one into it takes the kernel 10 ms.

Left out: limits in version 2 of control groups, which hold for whole processes only, and moving one
would make each call half as long again; a limit on the number of processes, which the sandbox's own
rlimit keeps exactly.
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


class EnteredGroup:
    """A group that a thread enters, starts a process in, and leaves; until it is removed.

    Args:
        place: The group of this process, a folder of the kernel.

    Raises:
        OSError: If the kernel refuses to make it.
    """

    threads = "tasks"  # the file into which a thread's number is written

    def __init__(self, place: Path) -> None:
        self._place, self.folder = place, place / (PREFIX + secrets.token_hex(8))
        os.mkdir(self.folder)

    def enter(self) -> None:
        """Move this thread into the group; what it starts from now on is born there.

        Another launcher that starts takes away what is empty. Then the watcher is alone.
        """
        with suppress(OSError):
            write(self.folder / self.threads, b"0")

    def leave(self) -> None:
        """Move this thread back."""
        with suppress(OSError):
            write(self._place / self.threads, b"0")

    def remove(self) -> None:
        """Remove it; its processes have ended."""
        until = time.monotonic() + END_S
        while not _removed(self.folder) and time.monotonic() < until:
            time.sleep(0.001)


class Group(EnteredGroup):
    """A group of its own for one sandbox, with a limit on memory."""

    def __init__(self, place: Path, limits: Limits) -> None:
        """Make it in a folder of the kernel, with its limit.

        Raises:
            OSError: If the kernel refuses.
        """
        super().__init__(place)
        self._events, self._kills = f"{self.folder}/memory.oom_control", 0
        limit = str((limits.memory_mib + limits.disk_mib + OWN_MIB) * MIB).encode()
        try:
            write(self.folder / "memory.limit_in_bytes", limit)
            with suppress(FileNotFoundError):  # a kernel without swap
                write(self.folder / "memory.memsw.limit_in_bytes", limit)
        except OSError:
            self.remove()
            raise

    def kills(self) -> int:
        """Return how many processes the kernel has killed because the limit was reached."""
        with suppress(OSError), open(self._events, "rb", buffering=0) as file:
            _, _, count = file.read().rpartition(b"oom_kill ")
            self._kills = int(count)
        return self._kills  # once it is removed: the last count

    def remove(self) -> None:
        """Remove it, and keep the last count."""
        self.kills()
        super().remove()


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
        folder = find_place("memory")
        if folder is None:
            return None
        tried = Group(folder, Limits(memory_mib=3, disk_mib=1))
        kept = (tried.folder / "memory.limit_in_bytes").read_text().strip()
        tried.remove()
    except (OSError, ValueError):
        return None
    usable = int(kept) == (4 + OWN_MIB) * MIB and os.access(folder / "tasks", os.W_OK)
    return folder if usable else None


def find_place(controller: str) -> Path | None:
    """Find the folder of this process's group, and remove what killed launchers left in it.

    Args:
        controller: Of version 1; empty for version 2.
    """
    mounts = Path("/proc/self/mountinfo").read_text()
    folder = own_folder(mounts, Path("/proc/self/cgroup").read_text(), controller)
    with suppress(OSError):
        for name in os.listdir(folder) if folder else ():
            if name.startswith(PREFIX):
                _removed(Path(str(folder), name))
    return folder


def own_folder(mounts: str, own: str, controller: str = "memory") -> Path | None:
    """Find the folder of this process's group in the texts of `mountinfo` and `cgroup`."""
    groups = (line.split(":", 2) for line in own.splitlines())
    path = next((path for _, names, path in groups if controller in names.split(",")), None)
    for line in mounts.splitlines() if path else ():
        left, _, right = line.partition(" - ")
        root, point = left.split()[3:5]
        kind, _, options = right.split()[:3]
        fits = controller in options.split(",") if controller else True
        if kind == ("cgroup" if controller else "cgroup2") and fits:
            relative = os.path.relpath(str(path), root)  # a part of the tree may be mounted
            return None if relative.startswith("..") else Path(point, relative)
    return None


def _removed(folder: Path) -> bool:
    with suppress(OSError):
        os.rmdir(folder)
    return not folder.exists()


def write(path: Path, text: bytes) -> None:
    """Write to a file that is there."""
    with open(path, "r+b", buffering=0) as file:
        file.write(text)
