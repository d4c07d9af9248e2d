"""Memory of one call: pages that processes share count once against the limit."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from zerogym.envs.tools.sandbox import Limits
from zerogym.envs.tools.sandbox.execution import kernel_buffers, process_tree
from zerogym.envs.tools.sandbox.execution.cpu_account import CpuAccount
from zerogym.envs.tools.sandbox.execution.folders import Folders
from zerogym.envs.tools.sandbox.execution.watch import Watch
from zerogym.envs.tools.sandbox.limits import MIB

SHARED_MIB = 64
FAMILY = f"""
import os, sys
shared = b"x" * ({SHARED_MIB} << 20)
reader, writer = os.pipe()
for _ in range(3):
    if os.fork() == 0:
        os.write(writer, b"x")
        sys.stdin.read()
        os._exit(0)
for _ in range(3):
    os.read(reader, 1)
print(flush=True)
sys.stdin.read()
"""


@pytest.fixture
def family() -> Iterator[int]:
    """Four processes which share memory: the number of the one that the others come from."""
    with subprocess.Popen(
        [sys.executable, "-c", FAMILY], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.communicate()


def test_sockets_that_carry_resident_memory_over_the_limit(
    family: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sum of resident memory is just below the limit, and what counts beside it above."""
    resident = limit = process_tree.use(family, 2**40).memory // MIB
    while process_tree.use(family, limit * MIB).memory < 4 * SHARED_MIB * MIB:
        limit += 1  # until page tables fit, too, and shared pages count for each process
        assert limit < 2 * resident
    monkeypatch.setattr(kernel_buffers, "count_sockets", lambda _: 1)
    monkeypatch.setattr(kernel_buffers, "bytes_of_a_socket", lambda: 2 * MIB)
    watch = Watch(family, family, Folders([]), Limits(memory_mib=limit), CpuAccount(1))
    assert watch.look() is None
    assert resident > 4 * SHARED_MIB > 2 * watch.peak / MIB
