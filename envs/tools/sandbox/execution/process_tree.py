"""What all processes of one sandbox use, read from `/proc` of the host.

The processes are found as descendants: what loses its parent inside goes to the sandbox's own first
process, never to the host's. No rlimit adds up over processes; this does.
"""

import os
import re
from dataclasses import dataclass

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_UNSEEN = re.compile(rb"^(VmPTE|VmSwap):\s*(\d+)", re.MULTILINE)  # beside resident memory; KiB


@dataclass(frozen=True)
class Use:
    """What a tree of processes uses: bytes of memory, CPU seconds so far, and its threads."""

    memory: int
    cpu_s: float
    threads: int


def children(pid: int) -> list[int]:
    """The processes that a process (any of its threads) started and that are still there."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        pass  # it ended while it was read
    return found


def descendants(pid: int) -> list[int]:
    """The processes below one, itself included."""
    found = [pid]
    for one in found:  # grows while it is read
        found += children(one)
    return found


def use(pid: int, memory_limit: int) -> Use:
    """What `pid` and its descendants use.

    Page tables and what is swapped out count, too; they are read only where the address space is
    large enough for them to matter. Resident memory counts a page once for every process that
    shares it, so a sum above the limit is counted again, slower, with shared pages divided.
    """
    pids = descendants(pid)
    memory, space, cpu, threads = 0, 0, 0, 0
    for one in pids:
        try:
            fields = _read(f"/proc/{one}/stat").rpartition(b")")[2].split()
        except OSError:
            continue
        cpu += sum(map(int, fields[11:15]))  # own and waited-for children's, user and system
        threads += int(fields[17])
        space += int(fields[20])
        memory += int(fields[21]) * _PAGE
    tables, swapped = _unseen(pids) if space > memory_limit else (0, 0)
    memory += tables + swapped
    if memory > memory_limit:
        memory = tables + sum(map(_proportional, pids))
    return Use(memory, cpu / _TICKS, threads)


def sockets(pid: int) -> int:
    """How much the sockets of a process's network namespace may hold in the kernel, in bytes.

    No process shows that memory. What each holds cannot be read, so each counts in full: the bytes
    that may be sent to it, doubled for what the kernel adds to short messages.
    """
    try:
        count = int(_read(f"/proc/{pid}/net/sockstat").split(maxsplit=3)[2])
        return count * 2 * int(_read("/proc/sys/net/core/wmem_default"))
    except OSError:
        return 0  # it ended


def _unseen(pids: list[int]) -> tuple[int, int]:
    """Bytes of page tables (a page of zeros costs nothing else), and bytes swapped out."""
    found = {b"VmPTE": 0, b"VmSwap": 0}
    for pid in pids:
        try:
            for name, count in _UNSEEN.findall(_read(f"/proc/{pid}/status")):
                found[name] += int(count) * 1024
        except OSError:
            continue  # it ended
    return found[b"VmPTE"], found[b"VmSwap"]


def _proportional(pid: int) -> int:
    """The proportional share of a process, in bytes."""
    try:
        rollup = _read(f"/proc/{pid}/smaps_rollup")
        lines = [line.split() for line in rollup.splitlines()]
        return sum(int(line[1]) for line in lines if line[0] in (b"Pss:", b"SwapPss:")) * 1024
    except ProcessLookupError:
        return 0
    except OSError:  # forbidden: count all of it
        try:
            return int(_read(f"/proc/{pid}/statm").split()[1]) * _PAGE
        except OSError:
            return 0


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()
