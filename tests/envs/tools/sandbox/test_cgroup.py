"""The kernel's groups: an exact limit where one can be had, and nothing left of them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.sandbox.attack_range import needs_sandbox
from zerogym.envs.tools.sandbox import Limits, Sandbox
from zerogym.envs.tools.sandbox.execution import watch
from zerogym.envs.tools.sandbox.kernel import cgroup

LIMITS = Limits(cpu_s=5, wall_s=20, memory_mib=48, disk_mib=8, processes=40)
ALL_MIB = LIMITS.memory_mib + LIMITS.disk_mib + cgroup.OWN_MIB


def made_by_hand() -> bool:
    """Return whether a group can be made here, found without any code of ours."""
    groups = Path("/proc/self/cgroup")
    for line in groups.read_text().splitlines() if groups.exists() else ():
        if ":memory:" in line:
            folder = Path("/sys/fs/cgroup/memory" + line.split(":", 2)[2], f"by-hand-{os.getpid()}")
            try:
                folder.mkdir()
                folder.rmdir()
            except OSError:
                return False
            return True
    return False


needs_groups = pytest.mark.skipif(not made_by_hand(), reason="no group can be made here")


def in_a_group(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test of a sandbox whose processes are in a group."""
    return needs_sandbox(needs_groups(test))


def held_by_the_kernel(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test of a group, without the looks of the watcher."""
    return in_a_group(pytest.mark.usefixtures("slow_watcher")(test))


# Each takes a part; together it is too much.
PIPES = """
import fcntl, os
total = 0
for _ in range(100):
    pair = os.pipe()
    try:
        fcntl.fcntl(pair[1], fcntl.F_SETPIPE_SZ, 2 ** 20)
    except OSError:
        break
    os.set_blocking(pair[1], False)
    total += os.write(pair[1], bytes(2 ** 20))
print(total)
"""
SOCKETS = """
import socket
total, pairs = 0, []
while len(pairs) < 400:
    pairs.append(socket.socketpair())
    pairs[-1][0].setblocking(False)
    try:
        while True: total += pairs[-1][0].send(bytes(32768))
    except BlockingIOError:
        pass
print(total)
"""
PROCESSES = """
import os, time
for _ in range(10):
    if os.fork() == 0:
        kept = bytearray(b"x" * 20_000_000)
        time.sleep(100)
os.wait()
"""
DISK_AND_MEMORY = """
open("file", "wb").write(bytes(7 * 2 ** 20))
kept = bytearray(b"x" * (20 * 2 ** 20))
print("kept")
"""
V1 = """31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 {root} /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
"""
V2 = "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox(LIMITS)


@pytest.fixture
def slow_watcher(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The watcher does not look: what is held is held by the kernel."""
    monkeypatch.setattr(watch, "LOOKS_S", (100.0,))
    yield


Left = Callable[[], set[str]]


def groups() -> set[str]:
    """Groups that are there."""
    where = cgroup.place()
    assert where is not None
    return {name for name in os.listdir(where) if name.startswith(cgroup.PREFIX)}


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> Left:
    """Groups of this test: others run beside it, and another's may be open in this process."""
    monkeypatch.setattr(cgroup, "PREFIX", f"{cgroup.PREFIX}{os.getpid()}-")
    before = groups()
    return lambda: groups() - before


@pytest.fixture
def left_by_any() -> Left:
    """Groups that any process has begun since."""
    before = groups()
    return lambda: groups() - before


@pytest.mark.parametrize(
    ("mounts", "own", "folder"),
    [
        (V1.format(root="/"), "4:memory:/a/b\n0::/\n", "/sys/fs/cgroup/memory/a/b"),
        (V1.format(root="/"), "4:memory:/\n", "/sys/fs/cgroup/memory"),
        (V1.format(root="/docker/x"), "4:memory:/docker/x\n", "/sys/fs/cgroup/memory"),
        (V1.format(root="/docker/x"), "4:memory:/docker/x/y\n", "/sys/fs/cgroup/memory/y"),
        (V1.format(root="/docker/x"), "4:memory:/other\n", None),
        (V1.format(root="/"), "3:cpu,cpuacct:/a\n0::/\n", None),
        (V2, "0::/user.slice/one.scope\n", None),
        ("", "", None),
    ],
)
def test_the_own_group_is_found(mounts: str, own: str, folder: str | None) -> None:
    assert cgroup.own_folder(mounts, own) == (Path(folder) if folder else None)


def name_of(pid: str) -> str:
    """Name of a process; "" if it has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


@in_a_group
def test_everything_of_a_call_is_in_a_group_of_its_own(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[cgroup.Group] = []
    real = cgroup.group
    monkeypatch.setattr(cgroup, "group", lambda limits: made.append(real(limits)) or made[-1])
    with ThreadPoolExecutor(1) as thread:
        # The program goes on when its child is ended, from outside.
        running = thread.submit(sandbox.run, shell="sleep 100 & wait; echo; cat /proc/1/cgroup")
        until, inside = time.monotonic() + 15, {}
        while "sleep" not in inside and time.monotonic() < until:
            time.sleep(0.05)
            pids = (made[0].folder / "cgroup.procs").read_text().split() if made else []
            inside = {name_of(pid): int(pid) for pid in pids}
        limit, many = (made[0].folder / "memory.limit_in_bytes").read_text(), len(pids)
        os.kill(inside["sleep"], signal.SIGKILL)
        observed = running.result()
    assert {"bwrap", "sleep"} <= set(inside) and many >= 4
    assert int(limit) == ALL_MIB * 2**20
    assert "memory:/\n" in observed.stdout, "and inside its name cannot be seen"
    assert str(os.getpid()) in (made[0]._place / "cgroup.procs").read_text().split()
    assert not made[0].folder.exists()


@held_by_the_kernel
def test_the_kernel_holds_what_is_between_two_looks(sandbox: Sandbox, left: Left) -> None:
    result = sandbox.run(python=PROCESSES)
    assert (result.verdict, result.exit_code) == ("memory", None), result
    assert result.reason == f"more than {LIMITS.memory_mib} MiB of memory"
    assert not left()


@held_by_the_kernel
@pytest.mark.parametrize("source", [PIPES, SOCKETS], ids=["pipes", "sockets"])
def test_memory_of_the_kernel_counts(sandbox: Sandbox, source: str) -> None:
    """No process shows it: the kernel ends the program, or refuses it more."""
    enough = Limits(memory_mib=256, disk_mib=8, open_files=1000)
    large = sandbox.run(python=source, limits=enough)
    small = sandbox.run(python=source, limits=replace(enough, memory_mib=16, disk_mib=1))
    assert large.verdict == "ok" and int(large.stdout) > 50e6, large
    assert small.verdict in ("memory", "error"), small


@held_by_the_kernel
def test_memory_and_disk_within_their_limits_are_given(sandbox: Sandbox) -> None:
    result = sandbox.run(python=DISK_AND_MEMORY)
    assert (result.verdict, result.stdout) == ("ok", "kept\n"), result


@in_a_group
def test_parallel_calls_do_not_share_a_group(sandbox: Sandbox, left: Left) -> None:
    bomb, good = PROCESSES, "print(6 * 7)"
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda one: sandbox.run(python=one), [bomb, good] * 4))
    assert [result.verdict for result in results] == ["memory", "ok"] * 4
    assert not left()


@held_by_the_kernel
def test_a_zygote_says_in_which_call_memory_ran_out(sandbox: Sandbox, left: Left) -> None:
    with sandbox.zygote() as zygote:
        assert zygote.run(python="print(1)").verdict == "ok"
        assert zygote.run(python=PROCESSES).verdict == "memory"
        assert zygote.run(python="print(1)").verdict == "ok"
    assert not left()


@in_a_group
def test_what_a_killed_launcher_left_is_removed(tmp_path: Path, left_by_any: Left) -> None:
    source = (
        "from zerogym.envs.tools.sandbox import Sandbox\n"
        "Sandbox().run(shell='echo > running; sleep 100')"
    )
    launcher = subprocess.Popen([sys.executable, "-c", source])
    until = time.monotonic() + 30
    while not (observed := left_by_any()) and time.monotonic() < until:
        time.sleep(0.05)
    assert observed
    launcher.send_signal(signal.SIGKILL)
    launcher.wait()
    while left_by_any() & observed and time.monotonic() < until:
        cgroup.place.cache_clear()  # as in a process that starts
        cgroup.place()
        time.sleep(0.05)
    assert not left_by_any() & observed


@needs_sandbox
def test_without_groups_the_watcher_is_alone(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroup, "place", lambda: None)
    assert sandbox.run(python="print(1)").verdict == "ok"
    result = sandbox.run(python=PROCESSES)
    assert result.verdict == "memory", result


@needs_sandbox
def test_a_group_that_is_taken_away_is_no_failure(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By another launcher that starts, and takes it for one that was left."""
    monkeypatch.setattr(cgroup, "place", lambda: tmp_path)  # no such file can be written in it
    assert cgroup.group(LIMITS) is None
    assert sandbox.run(python="print(1)").verdict == "ok"
    assert list(tmp_path.iterdir()) == []
