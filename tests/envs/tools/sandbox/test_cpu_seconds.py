"""CPU seconds of children that nobody waits for are counted by the kernel, or estimated.

`test_as_user.py` runs this file once more as an ordinary user, who has no control groups.
"""

import os
import random
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers.sandbox.attack_range import needs_sandbox, open_python
from zerogym.envs.tools.sandbox import Limits, Sandbox
from zerogym.envs.tools.sandbox.execution import cpu_account
from zerogym.envs.tools.sandbox.execution.cpu_account import MEAN_S, SIGMAS, CpuAccount
from zerogym.envs.tools.sandbox.execution.process_tree import GONE, Process
from zerogym.envs.tools.sandbox.kernel import cpu_group
from zerogym.envs.tools.sandbox.kernel.cgroup import own_folder
from zerogym.envs.tools.sandbox.unprivileged.supervisor import OLDEST_ABI, abi

LIMITS = Limits(cpu_s=0.3, wall_s=60)
IGNORE = "import ctypes, os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
NOBODY_WAITS = """
import ctypes, os, time
class Action(ctypes.Structure):  # handler, mask, flags (SA_NOCLDWAIT), restorer
    _fields_ = [("handler", ctypes.c_void_p), ("mask", ctypes.c_ulong * 16),
                ("flags", ctypes.c_int), ("restorer", ctypes.c_void_p)]
action = Action(flags=2)
assert ctypes.CDLL(None).sigaction(17, ctypes.byref(action), None) == 0
"""
BURN = """
def burn(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until: pass
"""
CHILDREN = """
while True:
    if os.fork() == 0:
        burn(0.004)
        os._exit(0)
    time.sleep(0.004)
"""
ATTACKS = {
    "ignored": IGNORE + BURN + CHILDREN,
    "no zombies": NOBODY_WAITS + BURN + CHILDREN,
    "sessions": IGNORE + BURN + CHILDREN.replace("burn", "os.setsid(); burn"),
    "children of children": IGNORE + BURN + CHILDREN.replace("burn", "os.fork(); burn"),
    "first asleep": IGNORE + BURN + CHILDREN.replace("burn", "time.sleep(0.03); burn"),
    "long ones": IGNORE + BURN + CHILDREN.replace("0.004", "0.1"),
    "threads": IGNORE + BURN + "import threading\n" + CHILDREN.replace(
        "burn(0.004)", "t = threading.Thread(target=burn, args=(0.004,)); t.start(); t.join()"),
    "other programs": IGNORE + CHILDREN.replace(
        "burn(0.004)", "os.execv('/bin/sh', ['sh', '-c', 'i=0; while [ $i -lt 4000 ]; do i=$((i+1)); done'])"),  # noqa: E501
}  # fmt: skip


@pytest.fixture(params=["counted", "estimated"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """By a control group, where one can be had, or by samples."""
    if request.param == "estimated":
        monkeypatch.setattr(cpu_group, "place", lambda: None)
    elif cpu_group.place() is None:
        pytest.skip("no group can be made here")
    return str(request.param)


@needs_sandbox
@pytest.mark.parametrize("name", ATTACKS)
def test_no_child_hides_what_it_took(sandbox: Sandbox, way: str, name: str) -> None:
    result = sandbox.run(python=ATTACKS[name], limits=LIMITS)
    assert (result.verdict, result.reason) == ("time", "0.3 CPU seconds"), result
    assert result.cpu_s > 0.3


@needs_sandbox
def test_children_of_4_ms_take_no_more_than_security_md_says(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They report what they took themselves; without a count they ran 7.8 seconds of 1.

    Up to 1.5 on an idle machine; SECURITY.md has 1.7 beside two busy processes on two cores, and
    3.1 beside five. The bar lies between that and what no count allows.
    """
    monkeypatch.setattr(cpu_group, "place", lambda: None)
    report = "burn(0.004); os.write(1, b'%.4f ' % time.process_time())"
    source = ATTACKS["ignored"].replace("burn(0.004)", report)
    result = sandbox.run(python=source, limits=Limits(cpu_s=1, wall_s=60))
    assert (result.verdict, result.reason) == ("time", "1 CPU seconds"), result
    taken = [float(seconds) for seconds in result.stdout.split()[:-1]]  # the last may be cut
    assert min(taken) >= 0.004 and len(taken) > 50
    assert sum(taken) < 5


@pytest.mark.skipif(abi() < OLDEST_ABI, reason="the kernel has too little")
@pytest.mark.parametrize("name", ["ignored", "children of children"])
def test_nor_without_namespaces(way: str, name: str) -> None:
    sandbox = Sandbox(level="landlock", python=open_python())
    result = sandbox.run(python=ATTACKS[name], limits=LIMITS)
    assert (result.verdict, result.reason) == ("time", "0.3 CPU seconds"), result


@needs_sandbox
@pytest.mark.parametrize("kind", ["zygote", "session"])
def test_short_calls_add_up(sandbox: Sandbox, way: str, kind: str) -> None:
    """Each hides too little to be noticed by itself."""
    few = CHILDREN.replace("while True:", "for _ in range(8):").replace("0.004", "0.012")
    few += "try: os.wait()\nexcept ChildProcessError: pass\n"  # until all have ended
    with getattr(sandbox, kind)(total_cpu_s=0.3) as warm:
        run = (lambda s: warm.run(python=s)) if kind == "zygote" else warm.run
        assert run(IGNORE + BURN + few).verdict == "ok"
        # Ten calls take 1 CPU second; an estimate may need a few more to be sure of 0.3.
        reasons = (run(IGNORE + BURN + few).reason for _ in range(25))
        assert f"all 0.3 CPU seconds of the {kind} are spent" in reasons


@needs_sandbox
def test_what_is_waited_for_counts_once(sandbox: Sandbox, way: str) -> None:
    source = BURN.replace("\n", "import os, time\n", 1) + (
        "before = os.times()\n"
        "for _ in range(30):\n"
        "    for _ in range(2):\n"
        "        if os.fork() == 0:\n"
        "            burn(0.004)\n"
        "            os._exit(0)\n"
        "    for _ in range(2): os.wait()\n"
        "print(sum(os.times()[:4]))"
    )
    result = sandbox.run(python=source, limits=Limits(cpu_s=5, wall_s=60))
    assert result.verdict == "ok"
    assert 0.24 < result.cpu_s < 1.25 * float(result.stdout) + 0.1  # with the sandbox's own


V2 = "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"


@pytest.mark.skipif(cpu_group.place() is None, reason="no group can be made here")
@pytest.mark.parametrize("kind", [cpu_group.CpuGroup, cpu_group.ThreadedCpuGroup])
def test_a_group_counts_what_ran_in_it(kind: type[cpu_group.CpuGroup]) -> None:
    where = cpu_group.find_place("cpuacct" if kind is cpu_group.CpuGroup else "")
    if where is None:
        pytest.skip("this version is not mounted")
    group = kind(where)
    group.enter()
    try:
        before = os.times()
        while os.times().user - before.user < 0.05:
            pass
    finally:
        group.leave()
    assert 0.04 < group.used_s() < 1
    group.remove()
    assert not group.folder.exists() and group.used_s() > 0.04


class Machine:
    """Processes on a clock of their own, one after the other, each of which runs for a while."""

    def __init__(self, lasts: float, waited_for: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.lasts, self.waited_for = 0.0, lasts, waited_for
        clock = types.SimpleNamespace(
            monotonic=lambda: self.now, perf_counter=lambda: self.now, sleep=self.sleep
        )
        monkeypatch.setattr(cpu_account, "time", clock)
        monkeypatch.setattr(cpu_account, "clock", self.clock)
        monkeypatch.setattr(cpu_account, "_share", lambda ready: 1.0)  # nobody else computes

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def clock(self, pid: int) -> float | None:
        number, taken = divmod(self.now, self.lasts)
        return 0.0 if pid < 10 else taken if pid == 10 + int(number) else None

    def processes(self) -> dict[int, Process]:
        """Two of the sandbox, one that starts others, and the one that runs."""
        number, taken = divmod(self.now, self.lasts)
        waited = self.now - taken if self.waited_for else 0.0
        shown = {pid: Process(1, "S", 0.0, waited * (pid == 3)) for pid in (1, 2, 3)}
        return {**shown, 10 + int(number): Process(int(number), "R", taken, 0.0)}


@pytest.fixture
def observe(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float, bool, float], float]]:
    """Look at a machine for some seconds; return what is on the account in the end."""

    def run(lasts: float, waited_for: bool, seconds: float) -> float:
        machine = Machine(lasts, waited_for, monkeypatch)
        account = CpuAccount(3)
        account._random = random.Random(0)
        account.resume()
        while machine.now < seconds:
            machine.now = max(machine.now, min(machine.now + 0.02, account.sample_at))
            account.look(machine.processes())
        return account.total_s

    yield run


@pytest.mark.parametrize("lasts", [0.0007, 0.004, 0.03, 0.5])
def test_the_estimate_is_right_but_for_its_deviation(
    observe: Callable[[float, bool, float], float], lasts: float
) -> None:
    hidden = observe(lasts, False, 20.0)
    allowed = SIGMAS * (20.0 * MEAN_S) ** 0.5
    assert 20.0 - 1.5 * allowed - lasts < hidden < 20.0 + lasts
    assert observe(lasts, True, 20.0) == pytest.approx(20.0, abs=0.03)


def test_a_number_that_is_used_again_is_another_process() -> None:
    account = CpuAccount(1)
    account._next = 0.0
    for start in (1, 2, 3):
        account.look({7: Process(start, "Z", 1.0, 0.0)})
    assert account.total_s == 3.0
    account.look({7: Process(0, GONE, 0.0, 0.0)})
    assert account.close(0.0) == 3.0


def test_a_process_that_changes_its_parent_is_not_counted_twice() -> None:
    """A walk through the tree may miss it, once."""
    account = CpuAccount(1)
    for found in (True, False, True):
        account.look({7: Process(1, "Z", 1.0, 0.0)} if found else {})
    assert account.total_s == account.close(0.0) == 1.0


def test_the_folder_of_the_second_version_is_found() -> None:
    assert own_folder(V2, "0::/user.slice/one.scope\n", "") == Path(
        "/sys/fs/cgroup/user.slice/one.scope"
    )
    assert own_folder(V2, "0::/a\n", "cpuacct") is None
