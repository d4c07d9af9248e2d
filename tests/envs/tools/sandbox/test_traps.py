"""Traps that sandboxes fell into when they were tried, and what keeps this one out of each.

The table is checked: every name on the right is an attack of the range, or a test.

| trap | kept out by |
| --- | --- |
| bubblewrap as root keeps every capability | hold a capability; become root; write kernel settings |
| setuid programs give rights back | become root by setuid programs |
| `--clearenv` leaves process 1 the environment | read all environments; test_the_launchers_child_has_no_environment |
| inherited descriptors are open inside | read inherited descriptors; read the first process's descriptors |
| a limit on processes counts the whole user | test_processes_elsewhere_do_not_count; test_no_more_processes_than_allowed |
| slow reaping makes calls fail at two callers | test_no_call_fails_for_what_another_leaves |
| `--die-with-parent` is tied to a thread | test_a_thread_that_ends_takes_no_sandbox_with_it |
| a killed launcher leaves its sandboxes | test_a_launcher_that_is_killed_leaves_nothing; test_what_a_killed_launcher_left_is_removed |
| RLIMIT_AS leaves few threads | test_threads_up_to_the_limit_start |
| rlimits do not count shared mappings | take shared memory; take shared memory in a file |
| rlimits do not add up over processes | take memory in many processes; test_the_kernel_holds_what_is_between_two_looks |
| pipes and sockets hold memory of the kernel | fill pipes; fill sockets; lend pages to pipes and sockets; test_memory_of_the_kernel_counts |
| no process shows page tables and lists of rights | fill page tables; fill lists of rights |
| Landlock does not cover rights, owners and times | change rights, owner, times and attributes of a file by name |
| Landlock does not cover sockets and datagrams | reach a socket in a folder from a pair; send a datagram |
| network namespaces do not cover AF_VSOCK | make a socket of any other family; make a socket with high bits set |
| `clone3` hides its flags from a filter | make a namespace by clone3 |
| other calling conventions pass a filter | make calls of another architecture; make calls that are not known |
| background children outlive the call | leave a child; leave a daemon; leave a time bomb |
| a background child holds the pipes | leave a child that holds the pipes; test_the_pipes_of_a_child_do_not_hold_the_launcher |
| `yes` fills the launcher's memory | flood the output; flood from a child; flood the errors |
| `preexec_fn` hangs in a threaded launcher | test_nothing_runs_between_fork_and_exec |
| a result is a link to a secret | result is a link; result lies in a linked folder; result is a link to the launcher's root |
| a result is a FIFO, a socket or a folder | result is a FIFO; result is a socket; result is a folder |
| a result is sparse and huge | result is sparse |
| a result lies thousands of folders deep | result lies deep; make many folders |
| a result cannot be read or removed | result is not readable; leave what cannot be removed |
| a result changes while it is read | result changes while it is read; folder is replaced |
| limits on the clock depend on who else computes | test_cpu_seconds_do_not_run_while_others_compute |
| a program hides its CPU seconds in children | compute in children that nobody counts; compute in many processes; test_no_child_hides_what_it_took; test_short_calls_add_up |
| a time-out waits for what it should end | sleep for ever; match a hard pattern; take a big power; hang the exit |
| what cannot run holds every attack | test_what_should_run_runs; test_the_range_sees_an_attack_that_succeeds |
| exit codes and words can be faked | test_a_program_cannot_play_a_failure_of_the_sandbox; test_a_kill_that_was_not_ours |
| escape sequences reach a terminal | type into a terminal |
| a weaker level is taken silently | test_no_silent_step_down |
| a value made outside grows without end | test_hostile_sources_end_in_their_limits |
| sessions are shared by episodes | test_each_call_starts_empty; test_nothing_stays_between_calls |
"""  # noqa: E501

import ast
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helpers.sandbox.attack_range import needs_sandbox
from helpers.sandbox.attacks import ATTACKS, SHARED
from zerogym.envs.tools.sandbox import Limits, Sandbox

ROWS = re.findall(r"^\| (.+?) \| (.+?) \|$", __doc__ or "", re.MULTILINE)[2:]


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox(Limits(cpu_s=5, wall_s=30, memory_mib=192, disk_mib=8, processes=40))


@pytest.fixture(scope="module")
def known() -> set[str]:
    """The names of all attacks and tests."""
    names = {attack.name for attack in (*ATTACKS, *SHARED)}
    for path in Path(__file__).parent.rglob("test_*.py"):
        tree = ast.parse(path.read_text())
        names |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return names


@pytest.mark.parametrize(("trap", "kept"), ROWS, ids=[trap for trap, _ in ROWS])
def test_each_trap_has_its_test(known: set[str], trap: str, kept: str) -> None:
    assert [name for name in kept.split("; ") if name not in known] == []


def test_the_table_is_read() -> None:
    assert len(ROWS) > 30


@needs_sandbox
def test_processes_elsewhere_do_not_count(sandbox: Sandbox) -> None:
    """Neither those of the launcher's user nor those of sandboxes beside it."""
    limits = Limits(memory_mib=64, disk_mib=1, processes=3)
    others = [subprocess.Popen(["sleep", "100"]) for _ in range(30)]
    try:
        with ThreadPoolExecutor(4) as threads:
            results = threads.map(
                lambda _: sandbox.run(shell="sleep 0.2 & sleep 0.2 & wait", limits=limits), range(8)
            )
            assert [result.verdict for result in results] == ["ok"] * 8
        result = sandbox.run(shell="for i in 1 2 3 4; do sleep 1 & done; wait", limits=limits)
        assert "fork" in result.stderr, "and those inside do"
    finally:
        for other in others:
            other.kill()
            other.wait()


@needs_sandbox
def test_no_call_fails_for_what_another_leaves(sandbox: Sandbox) -> None:
    limits = Limits(memory_mib=64, disk_mib=1, processes=6)
    source = "(setsid sleep 100 &); for i in 1 2 3; do true & done; wait; echo done"
    with ThreadPoolExecutor(2) as threads:
        results = threads.map(lambda _: sandbox.run(shell=source, limits=limits), range(40))
        assert {(result.verdict, result.stdout) for result in results} == {("ok", "done\n")}


@needs_sandbox
def test_threads_up_to_the_limit_start(sandbox: Sandbox) -> None:
    """Beside memory that is used; each stack takes 8 MiB of the 512 that are allowed."""
    source = """
import threading
stay = threading.Event()
threads = [threading.Thread(target=stay.wait, daemon=True) for _ in range(40)]
for thread in threads: thread.start()
kept = bytearray(100_000_000)
print(threading.active_count())
stay.set()
"""
    result = sandbox.run(python=source, limits=Limits(processes=41))
    assert (result.verdict, result.stdout) == ("ok", "41\n"), result


@needs_sandbox
def test_the_pipes_of_a_child_do_not_hold_the_launcher(sandbox: Sandbox) -> None:
    result = sandbox.run(shell="sleep 100 & yes > /dev/null & echo started")
    assert (result.verdict, result.stdout) == ("ok", "started\n")
    assert result.wall_s < 60


@needs_sandbox
def test_cpu_seconds_do_not_run_while_others_compute(sandbox: Sandbox) -> None:
    """Together they take longer on the clock than each may take of CPU."""
    source = "import time\nwhile time.process_time() < 0.3: pass\nprint('done')"
    limits = Limits(cpu_s=0.9, wall_s=60, memory_mib=64)
    with ThreadPoolExecutor(8) as threads:
        results = [*threads.map(lambda _: sandbox.run(python=source, limits=limits), range(8))]
    assert [(result.verdict, result.stdout) for result in results] == [("ok", "done\n")] * 8
    assert sum(result.cpu_s for result in results) > 8 * 0.3


def test_nothing_runs_between_fork_and_exec(root: Path) -> None:
    for path in (root / "envs" / "tools").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.keyword):
                assert node.arg != "preexec_fn", path
