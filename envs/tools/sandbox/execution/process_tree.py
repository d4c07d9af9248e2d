"""Memory, CPU time and threads of all processes of one sandbox, read from `/proc` of the host.

The processes are found as descendants: what loses its parent inside goes to the sandbox's own first
process, never to the host's. No rlimit adds up over processes; this does.
"""

import os
import re
from contextlib import suppress
from dataclasses import dataclass

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
GONE = ""
_HIDDEN = re.compile(rb"^(VmPTE|VmSwap):\s*(\d+)", re.MULTILINE)  # beside resident memory; KiB


@dataclass(frozen=True)
class Process:
    """CPU seconds of a process: its own, and of those that it waited for.

    Attributes:
        start: When it started, which tells it from an earlier one of its number; 0 if it is gone.
        state: The kernel's letter; `GONE` if it ended between being found and being read.
    """

    start: int
    state: str
    own_s: float
    waited_s: float


@dataclass(frozen=True)
class Use:
    """Bytes of memory, threads and processes of a tree of processes."""

    memory: int
    threads: int
    processes: dict[int, Process]

    @property
    def cpu_s(self) -> float:
        """CPU seconds that the processes show."""
        return sum(one.own_s + one.waited_s for one in self.processes.values())


def children(pid: int) -> list[int]:
    """Return the processes that a process (any of its threads) started and that are still there."""
    found: list[int] = []
    with suppress(OSError):  # it ended while it was read
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    return found


def descendants(pid: int) -> list[int]:
    """Return the processes below one, itself included."""
    found = [pid]
    for one in found:  # grows while it is read
        found += children(one)
    return found


def use(pid: int, memory_limit: int) -> Use:
    """Add up what `pid` and its descendants use.

    Page tables and what is swapped out count, too; they are read only where the address space is
    large enough for them to matter. Resident memory counts a page once for every process that
    shares it, so a sum above the limit is counted again, slower, with shared pages divided.
    """
    pids = descendants(pid)
    memory, space, threads = 0, 0, 0
    processes: dict[int, Process] = {}
    for one in pids:
        try:
            fields = _read(f"/proc/{one}/stat").rpartition(b")")[2].split()
        except OSError:
            processes[one] = Process(0, GONE, 0.0, 0.0)
            continue
        own, waited = (sum(map(int, fields[at : at + 2])) / _TICKS for at in (11, 13))
        processes[one] = Process(int(fields[19]), fields[0].decode(), own, waited)
        threads += int(fields[17])
        space += int(fields[20])
        memory += int(fields[21]) * _PAGE
    hidden = {b"VmPTE": 0, b"VmSwap": 0}  # a page of zeros costs nothing but its table
    for one in pids if space > memory_limit else ():
        with suppress(OSError):  # it ended
            for name, count in _HIDDEN.findall(_read(f"/proc/{one}/status")):
                hidden[name] += int(count) * 1024
    memory += sum(hidden.values())
    if memory > memory_limit:  # shares move while processes are read one after the other
        memory = hidden[b"VmPTE"] + min(sum(map(_proportional, pids)) for _ in range(2))
    return Use(memory, threads, processes)


def _proportional(pid: int) -> int:
    """Return the proportional share of a process, in bytes."""
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
