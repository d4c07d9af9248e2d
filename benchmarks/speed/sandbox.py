"""Calls of the sandbox, beside the same program in a bare process.

    python -m zerogym.benchmarks.speed.sandbox [--calls 50] [--callers 2]

Units: milliseconds on the clock and of CPU (the launcher's and that of all it started) a call, the
kinds taken in turns in the same run; and calls a second with several callers at once. The floor is
`python -I -S -c "print(6*7)"` without a sandbox. A busy machine makes the clock's numbers larger:
the smallest is shown beside the median.
"""

import argparse
import os
import statistics
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from rich.console import Console
from rich.table import Table

from zerogym.envs.tools.sandbox import Sandbox

SOURCE = "print(6*7)"


def kinds() -> dict[str, Callable[[], object]]:
    """What is measured, the floor first."""
    sandbox = Sandbox()
    bare = [sandbox.python, "-I", "-S", "-c", SOURCE]
    return {
        "bare process": lambda: subprocess.run(bare, stdout=subprocess.PIPE, check=True),
        "sandbox, the same": lambda: sandbox.run(bare),
        "sandbox, python source": lambda: sandbox.run(python=SOURCE),
        "sandbox, shell source": lambda: sandbox.run(shell="echo 42"),
    }


def milliseconds(call: Callable[[], object]) -> tuple[float, float]:
    """On the clock and of CPU."""
    cpu, clock = os.times(), time.perf_counter()
    call()
    taken, used = time.perf_counter() - clock, os.times()
    return taken * 1e3, (sum(used[:4]) - sum(cpu[:4])) * 1e3


def rate(call: Callable[[], object], calls: int, callers: int) -> float:
    """Calls a second, several at once."""
    with ThreadPoolExecutor(callers) as pool:
        begin = time.perf_counter()
        list(pool.map(lambda _: call(), range(calls)))
        return calls / (time.perf_counter() - begin)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=50, help="calls of each kind")
    parser.add_argument("--callers", type=int, default=2, help="at once, for the rate")
    arguments = parser.parse_args()
    measured = kinds()
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in measured}
    for _ in range(arguments.calls):
        for name, call in measured.items():
            times[name].append(milliseconds(call))
    table = Table(
        "call", "ms, median", "ms, least", "CPU ms, mean", "ratio of medians", "calls/s",
        title=f"{'root' if os.geteuid() == 0 else 'ordinary user'}, {arguments.callers} callers",
    )  # fmt: skip
    floor = statistics.median(clock for clock, _ in times["bare process"])
    for name, call in measured.items():
        clocks, cpus = zip(*times[name], strict=True)
        median = statistics.median(clocks)
        per_second = rate(call, arguments.calls, arguments.callers)
        row = (median, min(clocks), statistics.mean(cpus), median / floor, per_second)
        table.add_row(name, *(f"{value:.1f}" for value in row))
    Console().print(table)


if __name__ == "__main__":
    main()
