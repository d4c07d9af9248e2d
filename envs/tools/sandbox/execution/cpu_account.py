"""CPU seconds of one sandbox, those of processes included that nobody waits for.

What a process took is known while it lives, and afterwards if another waited for it. A program that
ignores the end of its children hides what they took, for they leave nothing behind. Where a control
group counts (`kernel/cpu_group.py`) its number is the account. Elsewhere it is estimated:

Samples are taken at the points of a Poisson process, which nothing inside can foresee. A process
that runs at a sample, has taken c seconds by then and runs at no later one counts as c plus
the mean time between samples. The expectation of that is what it took, however short it lived
(what it took since its last sample is distributed as what it took before its first, and the ones
that no sample meets are counted by those that one meets). The account is the larger of what
processes show and the estimate less `SIGMAS` of its standard deviations: a program that waits for
its children is charged what it used, and one that hides H seconds may hide `SIGMAS` times the
square root of H times `MEAN_S` of them: 0.5 of 1.5 seconds, 1 of 6.

Whether a process runs is measured by its CPU clock over a short time after the sample, since one
that is ready may have to wait for a processor. One that ends in that time counts as if all that
are ready shared the processors, which is too little where it got one at once: on a busy machine
children of less than a millisecond may hide two thirds of what they take.
"""

import math
import os
import random
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from zerogym.envs.processors import processors
from zerogym.envs.tools.sandbox.execution.process_tree import GONE, Process
from zerogym.envs.tools.sandbox.kernel.cpu_group import CpuGroup

MEAN_S = 0.02  # between samples
SIGMAS = 3.0
RUNNING_S = 0.0003  # over which it is measured whether a process runs


@dataclass
class _Record:
    """A process that was there at the last look, or the one before."""

    start: int
    own_s: float = 0.0  # CPU seconds that it had taken
    estimate_s: float = 0.0  # CPU seconds that it counts as, if it has ended
    deviation_s: float = 0.0  # of the estimate
    missing: bool = False


class CpuAccount:
    """CPU seconds of all processes of a sandbox so far; the sum never falls.

    Args:
        undisturbed: Number of processes that are there when the program has no children; the
            launcher waits for all of these.
        group: The kernel's group of the processes, if there is one.
    """

    def __init__(self, undisturbed: int, group: CpuGroup | None = None) -> None:
        self.total_s = 0.0
        self._undisturbed, self._group = undisturbed, group
        self._random = random.Random(os.urandom(16))
        self._records: dict[int, _Record] = {}
        self._ended_s = self._variance = 0.0  # of the estimates of those that have ended
        self.resume()

    @property
    def sample_at(self) -> float:
        """The time of the next sample, on `time.monotonic`."""
        return self._next

    def resume(self) -> None:
        """Begin to sample, after a time in which nothing ran."""
        self._next = math.inf if self._group else time.monotonic() + self._gap()

    def look(self, processes: Mapping[int, Process]) -> None:
        """Count what the processes of the sandbox took, sampled if a sample is due."""
        shown = sum(process.own_s + process.waited_s for process in processes.values())
        if self._group is not None:
            self.total_s = max(self.total_s, shown, self._group.used_s())
            return
        due_s = self._due() * MEAN_S
        running = self._running(processes) if due_s else {}
        for pid, process in processes.items():
            self._note(pid, process, due_s, running.get(pid))
        for pid in [pid for pid in self._records if pid not in processes]:
            if self._records[pid].missing:  # twice: it had not only changed its parent meanwhile
                self._retire(self._records.pop(pid))
            else:
                self._records[pid].missing = True
        alive = sum(process.own_s for process in processes.values())
        self.total_s = max(self.total_s, shown, self._at_least(alive))

    def close(self, shown_s: float) -> float:
        """Return the CPU seconds in the end, when those waited for took so many."""
        if self._group is not None:
            shown_s = max(shown_s, self._group.used_s())
        for record in self._records.values():
            self._retire(record)
        self._records.clear()
        self.total_s = max(self.total_s, shown_s, self._at_least(0.0))
        return self.total_s

    def _note(
        self, pid: int, process: Process, due_s: float, running: tuple[float, float] | None
    ) -> None:
        """Keep what is known of a process that is there."""
        record = self._records.get(pid)
        if record is not None and process.state != GONE and record.start != process.start:
            self._retire(record)  # its number is another's now
            record = None
        if record is None:
            record = self._records[pid] = _Record(process.start)
        record.missing = False
        record.own_s = max(record.own_s, process.own_s)
        if process.state == "Z":
            record.estimate_s, record.deviation_s = record.own_s, 0.0
        elif running is not None:
            own_s, rate = running
            record.own_s = max(record.own_s, own_s)
            record.deviation_s = due_s * rate
            record.estimate_s = record.own_s + record.deviation_s

    def _retire(self, record: _Record) -> None:
        """Add what is estimated of a process that has ended."""
        self._ended_s += record.estimate_s
        self._variance += record.deviation_s**2

    def _at_least(self, alive_s: float) -> float:
        """Return the estimate, less what it may be too high by chance."""
        return alive_s + self._ended_s - SIGMAS * math.sqrt(self._variance)

    def _running(self, processes: Mapping[int, Process]) -> dict[int, tuple[float, float]]:
        """Return CPU seconds of the processes that run, and how many processors each is using."""
        ready = [pid for pid, process in processes.items() if process.state in ("R", GONE)]
        if len(processes) <= self._undisturbed:
            return {pid: (processes[pid].own_s, 1.0) for pid in ready}
        share = _share(len(ready))
        begun = {pid: (time.perf_counter(), clock(pid)) for pid in processes}
        time.sleep(RUNNING_S)
        found = dict[int, tuple[float, float]]()
        for pid, (at, before) in begun.items():
            after = clock(pid)
            if before is None or after is None:
                rate = share if pid in ready else 0.0
            else:
                rate = (after - before) / (time.perf_counter() - at)
            if rate or pid in ready:
                found[pid] = before or 0.0, rate
        return found

    def _due(self) -> int:
        """Return how many samples were due since the last look."""
        count, now = 0, time.monotonic()
        while self._next <= now:
            self._next += self._gap()
            count += 1
        return count

    def _gap(self) -> float:
        return self._random.expovariate(1 / MEAN_S)


def clock(pid: int) -> float | None:
    """Return the CPU seconds of a process; None if it has ended."""
    try:
        return time.clock_gettime(~pid << 3 | 2)  # the kernel numbers its clock after it
    except OSError:
        return None


def _share(ready: int) -> float:
    """Return the part of a processor that each of so many ready processes is likely to get."""
    share = processors() / max(1, ready)
    with suppress(OSError, ValueError), open("/proc/loadavg", "rb", buffering=0) as file:
        everywhere = int(file.read().split()[3].partition(b"/")[0]) - 1  # without this one
        share = min(share, (os.cpu_count() or 1) / max(1, everywhere))
    return min(1.0, share)
