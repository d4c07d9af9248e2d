"""Import time of zerogym, beside the two libraries that it cannot do without.

    python -m zerogym.benchmarks.speed.import_time [--repeats 10]

Unit: CPU seconds (user and system) of a new Python process, median over the repeats; what an
empty process takes is subtracted. The floor is `import gymnasium, pettingzoo` in the same run, so
the ratio is what zerogym adds: 1.1 means ten per cent.
"""

import os
import statistics
import subprocess
import sys
from functools import partial

from zerogym.benchmarks.speed.loops import in_turn, options, show

FLOOR = "import gymnasium, pettingzoo"
PROGRAMS = {"empty": "pass", "floor": FLOOR, "zerogym": "import zerogym"}


def cpu_seconds(program: str) -> float:
    """CPU time of a new Python that runs `program`."""
    before = os.times()
    subprocess.run([sys.executable, "-c", program], check=True)
    after = os.times()
    spent = after.children_user + after.children_system
    return spent - before.children_user - before.children_system


def medians(repeats: int) -> dict[str, float]:
    """Median CPU seconds of each program; taken in turns, so that drift hits all alike."""
    for program in PROGRAMS.values():
        cpu_seconds(program)  # a cold disk is not what is measured
    measures = {name: partial(cpu_seconds, program) for name, program in PROGRAMS.items()}
    times = in_turn(measures, repeats)
    return {name: statistics.median(taken) for name, taken in times.items()}


def main() -> None:
    """Measure and print the table."""
    taken = medians(options(__doc__, repeats=(10, "processes of each kind")).repeats)
    floor = taken["floor"] - taken["empty"]
    ours = taken["zerogym"] - taken["empty"]
    rows = [
        (f"(floor: {FLOOR})", f"{floor:.3f}", "1"),
        ("import zerogym", f"{ours:.3f}", f"{ours / floor:.2f}"),
    ]
    show(("import", "CPU seconds", "ratio to the floor"), rows)


if __name__ == "__main__":
    main()
