"""A control group that counts the CPU seconds of one sandbox, where the kernel lets us make one.

A process adds up what those took that it waited for. Nobody waits for the children of one that
ignores their end, and `/proc` shows what they took only while they live. A group counts all that
ever ran in it. Both versions of control groups have one: `cpuacct` of version 1, and in version 2 a
group of threads, which a single thread may enter, too. It takes 0.1 to 0.2 ms a call. Elsewhere
`execution/cpu_account.py` estimates it from samples.
"""

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from zerogym.envs.tools.sandbox.kernel.cgroup import EnteredGroup, find_place, write


class CpuGroup(EnteredGroup):
    """A group of version 1 for one sandbox, which counts."""

    counter, unit_s = "cpuacct.usage", 1e-9

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self._used_s = 0.0

    def used_s(self) -> float:
        """Return the CPU seconds of all that ran in it so far."""
        with suppress(OSError, ValueError):
            count = (self.folder / self.counter).read_bytes().split(maxsplit=2)
            self._used_s = int(count[-1 if len(count) == 1 else 1]) * self.unit_s
        return self._used_s  # once it is removed: the last count

    def remove(self) -> None:
        """Remove it, and keep the last count."""
        self.used_s()
        super().remove()


class ThreadedCpuGroup(CpuGroup):
    """A group of version 2."""

    threads = "cgroup.threads"
    counter, unit_s = "cpu.stat", 1e-6  # its first line: usage_usec N

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        try:
            write(self.folder / "cgroup.type", b"threaded")
        except OSError:
            self.remove()
            raise


def new_cpu_group() -> CpuGroup | None:
    """Make a group for a sandbox that is to be started; None where it cannot be had."""
    found = place()
    with suppress(OSError):
        return found[0](found[1]) if found else None
    return None


@lru_cache(maxsize=1)
def place() -> tuple[type[CpuGroup], Path] | None:
    """Return the kind of group that this process can make, and where, found by making one."""
    kinds: tuple[tuple[type[CpuGroup], str], ...] = ((CpuGroup, "cpuacct"), (ThreadedCpuGroup, ""))
    for kind, controller in kinds:
        with suppress(OSError, ValueError):
            folder = find_place(controller)
            if folder is None or not os.access(folder / kind.threads, os.W_OK):
                continue
            tried = kind(folder)
            counts = (tried.folder / tried.counter).exists()
            tried.remove()
            if counts:
                return kind, folder
    return None
