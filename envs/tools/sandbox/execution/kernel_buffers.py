"""What processes hold open that neither their memory nor a folder shows.

A file that was removed while it is open still takes its space, and a socket holds what was sent to
it. In a sandbox with file systems and a network of its own both can be asked for; elsewhere they
are found by looking at every descriptor.
"""

import os
import stat
from collections.abc import Iterable
from pathlib import Path


def open_things(pids: Iterable[int]) -> tuple[int, int, int]:
    """Sockets, bytes of removed files, and how many of the processes do not let us look."""
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


def sockets_of_the_host() -> int:
    """Sockets in this process's network namespace."""
    return int(Path("/proc/self/net/sockstat").read_text().split(maxsplit=3)[2])


def bytes_of_a_socket() -> int:
    """What one may hold: all that may be sent to it, doubled for what the kernel adds."""
    return 2 * int(Path("/proc/sys/net/core/wmem_default").read_text())
