"""Looks at what a sandbox uses, and says which limit is passed."""

import time
from typing import Literal

from zerogym.envs.tools.sandbox.execution import process_tree
from zerogym.envs.tools.sandbox.execution.capture import Pipes
from zerogym.envs.tools.sandbox.execution.folders import Folders
from zerogym.envs.tools.sandbox.kernel.cgroup import Group
from zerogym.envs.tools.sandbox.limits import MIB, Limits

LOOKS_S = (0.005, 0.01, 0.02)  # between two looks at what is used: soon at first, for short calls
GROWTH = 4096 * MIB  # bytes a second that programs take on a fast machine

Over = tuple[Literal["time", "memory", "output"], str]  # the verdict, and why


class Watch:
    """What one call uses, of all its processes together.

    Args:
        pid: The launcher's child, below which all processes are.
        inside: Any process of the sandbox, for its network namespace.
        folders: The folders for writing.
        limits: What the call may use.
        spent_s: CPU seconds that the processes showed before the call.
        group: The kernel's group of the processes, which has a limit of its own.
    """

    def __init__(
        self,
        pid: int,
        inside: int,
        folders: Folders,
        limits: Limits,
        spent_s: float = 0.0,
        group: Group | None = None,
    ) -> None:
        self._pid, self._inside, self._folders, self._limits = pid, inside, folders, limits
        self._spent_s = self.shown_s = spent_s  # less than before where a process hid its own
        self._group, self._killed_before = group, group.kills() if group else 0
        self.peak = self._memory = 0  # bytes
        self.cpu_s = 0.0

    def until(self, pipes: Pipes, end: int) -> Over | None:
        """Keep the pipes flowing until `end` can be read, or until a limit is passed."""
        start = time.monotonic()
        looks, look_at = 0, start + LOOKS_S[0]
        while True:
            now = time.monotonic()
            if now >= look_at:
                looks += 1
                over = self.look()
                if over is not None:
                    return over
                look_at = time.monotonic() + self._pause(looks)
            if now - start > self._limits.wall_s:
                return "time", f"{self._limits.wall_s:g} s on the clock"
            if pipes.out.truncated or pipes.err.truncated:
                return self.too_much_output()
            if pipes.wait(look_at - now, end):
                return None

    def _pause(self, looks: int) -> float:
        """Seconds to the next look: shorter where what is left of the memory may go sooner."""
        left = self._limits.memory_mib * MIB - self._memory
        return max(LOOKS_S[0], min(LOOKS_S[min(looks, len(LOOKS_S) - 1)], left / GROWTH))

    def look(self) -> Over | None:
        """Add up what is used; the limit that is passed, if any."""
        limits = self._limits
        memory, disk, files = self._measure()
        self._memory, self.peak = memory, max(self.peak, memory)
        if memory > limits.memory_mib * MIB:
            return "memory", f"more than {limits.memory_mib} MiB of memory"
        if disk > limits.disk_mib * MIB:
            return "memory", f"more than {limits.disk_mib} MiB on disk"
        if files > limits.files:
            return "memory", f"more than {limits.files} files"
        return self.too_much_time() or self.killed_by_the_kernel()

    def too_much_time(self) -> Over | None:
        """What is said when more CPU seconds were used than allowed."""
        if self.cpu_s <= self._limits.cpu_s:
            return None
        return "time", f"{self._limits.cpu_s:g} CPU seconds"

    def killed_by_the_kernel(self) -> Over | None:
        """The limit of the group is passed: the kernel has killed a process, not all of them."""
        if self._group is None or self._group.kills() == self._killed_before:
            return None
        return "memory", f"more than {self._limits.memory_mib} MiB of memory"

    def _measure(self) -> tuple[int, int, int]:
        """Bytes of memory, bytes on disk, and files; notes the CPU seconds."""
        used = process_tree.use(self._pid, self._limits.memory_mib * MIB)
        self.shown_s = used.cpu_s
        self.cpu_s = max(self.cpu_s, used.cpu_s - self._spent_s)
        disk, files = self._folders.used()
        memory = used.memory + process_tree.sockets(self._inside)
        return memory, disk, files - len(self._folders.descriptors)

    def too_much_output(self) -> Over:
        """What is said when a stream's cap is passed."""
        return "output", f"more than {self._limits.output_kib} KiB of output"
