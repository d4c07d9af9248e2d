"""Measures what a sandbox uses, and reports which limit is passed."""

import time
from typing import Literal

from zerogym.envs.tools.sandbox.execution import kernel_buffers, process_tree
from zerogym.envs.tools.sandbox.execution.capture import Pipes
from zerogym.envs.tools.sandbox.execution.cpu_account import CpuAccount
from zerogym.envs.tools.sandbox.execution.folders import Folders
from zerogym.envs.tools.sandbox.kernel.cgroup import Group
from zerogym.envs.tools.sandbox.limits import MIB, Limits

LOOKS_S = (0.005, 0.01, 0.02)  # between two looks at what is used: soon at first, for short calls
GROWTH = 4096 * MIB  # bytes a second that programs take on a fast machine

Over = tuple[Literal["time", "memory", "output"], str]  # the verdict, and why


class Watch:
    """Measures what all processes of one call use together.

    Args:
        pid: The launcher's child, below which all processes are.
        inside: Any process of the sandbox, for its network namespace.
        folders: The folders for writing.
        limits: What the call may use.
        account: The CPU seconds of all processes; what is on it before the call does not count.
        group: The kernel's group of the processes, which has a limit of its own.
    """

    def __init__(
        self,
        pid: int,
        inside: int,
        folders: Folders,
        limits: Limits,
        account: CpuAccount,
        group: Group | None = None,
    ) -> None:
        self._pid, self._inside, self._folders, self._limits = pid, inside, folders, limits
        self._account, self._spent_s = account, account.total_s
        account.resume()
        self._group, self._killed_before = group, group.kills() if group else 0
        self.peak = self._memory = 0  # bytes
        self.cpu_s = 0.0

    def until(self, pipes: Pipes, end: int) -> Over | None:
        """Keep the pipes flowing until `end` can be read, or until a limit is passed."""
        start = time.monotonic()
        looks, look_at = 0, start + LOOKS_S[0]
        while True:
            now = time.monotonic()
            if now >= min(look_at, self._account.sample_at):
                looks += 1
                over = self.look()
                if over is not None:
                    return over
                # Sooner where what is left of the memory may go sooner.
                left = self._limits.memory_mib * MIB - self._memory
                pause = min(LOOKS_S[min(looks, len(LOOKS_S) - 1)], left / GROWTH)
                look_at = time.monotonic() + max(LOOKS_S[0], pause)
            if now - start > self._limits.wall_s:
                return "time", f"{self._limits.wall_s:g} s on the clock"
            if pipes.out.truncated or pipes.err.truncated:
                return self.too_much_output()
            if pipes.wait(min(look_at, self._account.sample_at) - now, end):
                return None

    def look(self) -> Over | None:
        """Add up what is used, and return the limit that is passed, if any."""
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

    def close(self, cpu_s: float, peak: int) -> Over | None:
        """Take what the kernel says when all has ended; return the limit on time, if passed."""
        self.cpu_s = max(self.cpu_s, self._account.close(cpu_s) - self._spent_s)
        self.peak = max(self.peak, peak)
        return self.too_much_time()

    def too_much_time(self) -> Over | None:
        """Return the limit on CPU seconds, if it is passed."""
        if self.cpu_s <= self._limits.cpu_s:
            return None
        return "time", f"{self._limits.cpu_s:g} CPU seconds"

    def killed_by_the_kernel(self) -> Over | None:
        """Return the limit of the group, if the kernel has killed a process (not all of them)."""
        if self._group is None or self._group.kills() == self._killed_before:
            return None
        return "memory", f"more than {self._limits.memory_mib} MiB of memory"

    def _measure(self) -> tuple[int, int, int]:
        """Return bytes of memory, bytes on disk, and files; note the CPU seconds."""
        sockets = kernel_buffers.count_sockets(self._inside) * kernel_buffers.bytes_of_a_socket()
        used = self._use(sockets)
        disk, files = self._folders.used()
        return used.memory + sockets, disk, files - len(self._folders.descriptors)

    def _use(self, beside: int) -> process_tree.Use:
        """Return what the processes use; note the CPU seconds.

        Args:
            beside: Bytes that count beside the processes, so that a sum which only they carry over
                the limit is counted with shared pages divided, too.
        """
        used = process_tree.use(self._pid, self._limits.memory_mib * MIB - beside)
        self._account.look(used.processes)
        self.cpu_s = max(self.cpu_s, self._account.total_s - self._spent_s)
        return used

    def too_much_output(self) -> Over:
        """Return the limit on output, for a stream whose cap is passed."""
        return "output", f"more than {self._limits.output_kib} KiB of output"
