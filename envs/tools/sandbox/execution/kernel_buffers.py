"""Sockets and removed files, which neither the memory of a process nor a folder shows.

A file that was removed while it is open still takes its space, and a socket holds what was sent to
it. In a sandbox with file systems and a network of its own the kernel reports both; elsewhere they
are found by looking at every descriptor.
"""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def open_things(pids: Iterable[int]) -> tuple[int, int, int]:
    """Return the sockets, the bytes of removed files, and how many processes cannot be read."""
    sockets: set[int] = set()
    removed: dict[tuple[int, int], int] = {}
    closed = 0
    for pid in pids:
        try:
            names = os.listdir(f"/proc/{pid}/fd")
        except PermissionError:
            closed += 1
            continue
        except OSError:
            continue  # it ended
        for name in names:
            try:
                found = os.stat(f"/proc/{pid}/fd/{name}")
            except OSError:
                continue
            if stat.S_ISSOCK(found.st_mode):
                sockets.add(found.st_ino)
            elif stat.S_ISREG(found.st_mode) and found.st_nlink == 0:
                removed[found.st_dev, found.st_ino] = found.st_blocks * 512
    return len(sockets), sum(removed.values()), closed


def count_sockets(pid: int | str = "self") -> int:
    """Return the number of sockets in the network namespace of a process; 0 if it has ended."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/net/sockstat").read_text().split(maxsplit=3)[2])
    return 0


def bytes_of_a_socket() -> int:
    """Return the most that a socket may hold in the kernel, which no process shows.

    What each holds cannot be read, so each counts in full: the bytes that may be sent to it,
    doubled for what the kernel adds to short messages.
    """
    return 2 * int(Path("/proc/sys/net/core/wmem_default").read_text())
