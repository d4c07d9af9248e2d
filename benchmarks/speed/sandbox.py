"""Calls of the sandbox, beside the same program in a bare process.

    python -m zerogym.benchmarks.speed.sandbox [--calls 50] [--callers 2] [--sessions 64]

Units: milliseconds on the clock and of CPU (the launcher's and that of all it started) a call, the
kinds taken in turns in the same run; and calls a second with several callers at once, each with a
zygote or session of its own. The floor is `python -I -S -c "print(6*7)"` without a sandbox. A busy
machine makes the clock's numbers larger: the smallest is shown beside the median. Processes of a
zygote are not the launcher's children, so their CPU time is the one in the result.

Below: what many sessions open at once hold, in MiB of memory, shared pages divided among those that
share them; and how much memory was in use when a bomb of twenty processes was ended, by the
kernel's group where one can be made, else between two samples of the watcher.
"""

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import rich

from zerogym.benchmarks.speed.loops import in_turn, options, show
from zerogym.envs.tools.sandbox import Limits, Result, Sandbox
from zerogym.envs.tools.sandbox.execution import process_tree
from zerogym.envs.tools.sandbox.kernel import cgroup
from zerogym.envs.tools.sandbox.monty.monty import probe_monty

SOURCE = "print(6*7)"
BOMB = """
import os, time
for _ in range(20):
    if os.fork() == 0:
        kept = bytearray(os.urandom(2**20) * 60)
        time.sleep(100)
time.sleep(100)
"""
MIB = 2**20

Call = Callable[[], object]


def kinds(stack: ExitStack) -> dict[str, Callable[[], Call]]:
    """Return the calls to measure, the floor first; each makes the call of one caller."""
    sandbox = Sandbox()
    bare = [sandbox.python, "-I", "-S", "-c", SOURCE]
    small = Sandbox(level="monty") if probe_monty()[0] else None

    def zygote(shell: str | None = None) -> Call:
        one = stack.enter_context(sandbox.zygote(total_cpu_s=1e6))
        return lambda: one.run(shell=shell) if shell else one.run(python=SOURCE)

    def session() -> Call:
        one = stack.enter_context(sandbox.session(total_cpu_s=1e6))
        return lambda: one.run(SOURCE)

    return {
        "bare process": lambda: lambda: subprocess.run(bare, stdout=subprocess.PIPE, check=True),
        "sandbox, the same": lambda: lambda: sandbox.run(bare),
        "sandbox, python source": lambda: lambda: sandbox.run(python=SOURCE),
        "sandbox, shell source": lambda: lambda: sandbox.run(shell="echo 42"),
        "zygote, python source": zygote,
        "zygote, shell source": lambda: zygote("echo 42"),
        "session, a cell": session,
        **({"monty": lambda: lambda: small.run(python=SOURCE)} if small else {}),
    }


def milliseconds(call: Call) -> tuple[float, float]:
    """On the clock and of CPU."""
    cpu, clock = os.times(), time.perf_counter()
    result = call()
    taken, used = time.perf_counter() - clock, os.times()
    ended = sum(used[2:4]) - sum(cpu[2:4])  # of children that were waited for
    if isinstance(result, Result) and not ended:
        ended = result.cpu_s
    return taken * 1e3, (sum(used[:2]) - sum(cpu[:2]) + ended) * 1e3


def rate(callers: list[Call], calls: int) -> float:
    """Calls a second, several at once."""
    with ThreadPoolExecutor(len(callers)) as pool:
        begin = time.perf_counter()
        list(pool.map(lambda call: [call() for _ in range(calls)], callers))
        return calls * len(callers) / (time.perf_counter() - begin)


def memory_of_sessions(count: int) -> float:
    """MiB a session, beside the launcher."""
    sandbox = Sandbox()
    before = process_tree.descendants(os.getpid())
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(sandbox.session()).run(SOURCE)
        held = [pid for pid in process_tree.descendants(os.getpid()) if pid not in before]
        return sum(map(proportional, held)) / MIB / count


def peaks(bombs: int, limits: Limits) -> list[float]:
    """Return the peak MiB of each of the bombs, all of which are ended, in order of size."""
    results = [Sandbox(limits=limits).run(python=BOMB) for _ in range(bombs)]
    if any(result.verdict != "memory" for result in results):
        raise RuntimeError(f"a bomb was not ended for its memory: {results}")
    return sorted(result.peak_mib for result in results)


def proportional(pid: int) -> int:
    """The share of a process, in bytes."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def rows(calls: int, callers: int) -> Iterator[tuple[str, ...]]:
    """Measure the calls of all kinds in turn; yield the rows of the table."""
    with ExitStack() as stack:
        made = {name: [make() for _ in range(callers)] for name, make in kinds(stack).items()}
        for all_callers in made.values():
            for call in all_callers:
                call()  # what stays from call to call is there
        times = in_turn({name: partial(milliseconds, made[name][0]) for name in made}, calls)
        floor = statistics.median(clock for clock, _ in times["bare process"])
        for name, all_callers in made.items():
            clocks, cpus = zip(*times[name], strict=True)
            median = statistics.median(clocks)
            mean, per_second = statistics.mean(cpus), rate(all_callers, calls)
            row = (median, min(clocks), mean, median / floor, per_second)
            yield name, *(f"{value:.1f}" for value in row)


def main(given: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    arguments = options(
        __doc__,
        given,
        calls=(50, "calls of each kind"),
        callers=(2, "at once, for the rate"),
        sessions=(64, "open at once, for the memory; 0: none"),
        bombs=(20, "of memory; 0: none"),
    )
    if arguments.calls < 1 or arguments.callers < 1:
        raise SystemExit("--calls and --callers are 1 or more")
    columns = ("call", "ms, median", "ms, least", "CPU ms, mean", "ratio of medians", "calls/s")
    user = "root" if os.geteuid() == 0 else "ordinary user"
    title = f"{user}, {arguments.callers} callers"
    show(columns, rows(arguments.calls, arguments.callers), title=title)
    if arguments.sessions > 0:
        each = memory_of_sessions(arguments.sessions)
        total = each * arguments.sessions
        rich.print(f"{arguments.sessions} sessions: {total:.0f} MiB, {each:.1f} each")
    if arguments.bombs > 0:
        limits = Limits(memory_mib=192)
        used = peaks(arguments.bombs, limits)
        by = "the kernel's group" if cgroup.place() else "the watcher"
        rich.print(
            f"{arguments.bombs} bombs of {limits.memory_mib} MiB, ended by {by}: "
            f"{statistics.median(used):.0f} MiB used, at most {used[-1]:.0f}"
        )


if __name__ == "__main__":
    main()
