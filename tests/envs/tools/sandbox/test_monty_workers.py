"""Processes that run the programs of level `monty`: bounded, separate, replaced, and kept."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import pytest

from zerogym.envs.processors import processors
from zerogym.envs.tools.sandbox import Limits, Result
from zerogym.envs.tools.sandbox.monty import monty, workers
from zerogym.envs.tools.sandbox.monty.monty import MEMORY_MIB, probe_monty, run_python

pytest.importorskip("pydantic_monty")


# The clock is of no account here, and a busy machine may stall a call for seconds.
LIMITS = Limits(cpu_s=5, wall_s=60, memory_mib=32, output_kib=64)


def run(source: str, stdin: bytes = b"", limits: Limits = LIMITS) -> Result:
    return run_python(source, stdin, {}, limits)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc")
def test_the_workers_themselves_stay_in_their_memory() -> None:
    """Whatever the limit says: the launcher may hold half of it as the text of an error."""
    result = run("x = []\nwhile True: x.append(bytes(10000))", limits=Limits(memory_mib=4096))
    assert result.verdict == "memory"
    peaks = []
    for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        status = Path(f"/proc/{pid}/status").read_text()
        if "Name:\tmonty" in status:
            peaks.append(int(status.partition("VmHWM:")[2].split()[0]) / 1024)
    assert peaks and MEMORY_MIB == 64 and max(peaks) < MEMORY_MIB + 24


def test_the_workers_have_no_environment() -> None:
    """For the day on which the interpreter has a hole."""
    if not Path("/proc/self/environ").exists():
        pytest.skip("no /proc")
    source = (
        "import os\n"
        "from zerogym.envs.tools.sandbox.monty.monty import run_python\n"
        "from zerogym.envs.tools.sandbox import Limits\n"
        "run_python('1', b'', {}, Limits())\n"
        "children = open(f'/proc/self/task/{os.getpid()}/children').read().split()\n"
        "assert children\n"
        "for pid in children:\n"
        "    assert b'LEAK' not in open(f'/proc/{pid}/environ', 'rb').read()\n"
        "print('known')"
    )
    environment = {**os.environ, "LEAK": "secret"}
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True)
    assert done.stdout == b"known\n", done.stderr


def test_calls_from_threads_do_not_mix() -> None:
    with ThreadPoolExecutor(8) as threads:
        results = threads.map(
            lambda number: run(f"print(input(), {number})", b"%d" % number), range(200)
        )
    assert [result.stdout for result in results] == [f"{n} {n}\n" for n in range(200)]


def test_killing_one_call_leaves_the_others() -> None:
    with ThreadPoolExecutor(4) as threads:
        bad = [threads.submit(run, "while True: print('x' * 1000)") for _ in range(6)]
        good = [threads.submit(run, "print(sum(range(1000)))") for _ in range(60)]
    assert {one.result().verdict for one in bad} == {"output"}
    assert {one.result().stdout for one in good} == {"499500\n"}


def test_a_dead_worker_is_no_fault_of_the_program_and_is_replaced() -> None:
    """Killed from outside while it runs a program: `killed`, not `error`."""
    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(run, "while True: pass", limits=Limits(cpu_s=60, wall_s=60))
        until = time.monotonic() + 30
        while not workers._running and time.monotonic() < until:
            time.sleep(0.01)
        (one,) = workers._running
        time.sleep(0.1)
        os.kill(one.pid, 9)
        result = future.result(timeout=30)
    assert (result.verdict, result.exit_code) == ("killed", None), result
    assert run("print(1)").stdout == "1\n"


def test_without_the_interpreter_it_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_pool", None)
    monkeypatch.setenv("MONTY_BIN", "/nowhere/monty")
    result = run("print(1)")
    assert result.verdict == "unavailable" and result.reason.startswith("the interpreter failed")
    assert probe_monty()[0] is False
    monkeypatch.setattr(workers, "_pool", None)
    monkeypatch.setitem(sys.modules, "pydantic_monty", cast("None", None))
    result = run("print(1)")
    assert result.verdict == "unavailable" and "zerogym[tools]" in result.reason


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_it_runs_after_a_fork_and_leaves_the_parents_workers() -> None:
    """In the child and in a child of the child, with files and input, and with its limits."""
    assert run("print(1)").stdout == "1\n"
    child = os.fork()
    if child == 0:
        grandchild = 0 if _works_after_a_fork() else 1
        if grandchild == 0 and (pid := os.fork()):
            grandchild = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        elif grandchild == 0:
            grandchild = 0 if _works_after_a_fork() else 1
        os._exit(grandchild)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for _ in range(2 * (os.cpu_count() or 1)):
        assert run("print(1)").stdout == "1\n"


def _works_after_a_fork() -> bool:
    source = "print(input(), open('in.txt').read())"
    limits = Limits(cpu_s=5, wall_s=60)
    found = run_python(source, b"one\n", {"in.txt": b"two"}, limits)
    endless = run_python("while True: pass", b"", {}, Limits(cpu_s=0.3, wall_s=60))
    surrogate = run_python("print('\ud800')", b"", {}, limits)
    shown = (found.verdict, found.stdout, found.level, endless.verdict)
    return shown == ("ok", "one two\n", "monty", "time") and surrogate.verdict != "unavailable"


def test_calls_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is what makes them fast: 300 calls, and no more workers than there are processors."""
    pids, real = set(), workers.watched
    monkeypatch.setattr(monty, "watched", lambda pid, limits: (pids.add(pid), real(pid, limits))[1])
    assert {run("print(6 * 7)").stdout for _ in range(300)} == {"42\n"}
    assert 1 <= len(pids) <= processors()
