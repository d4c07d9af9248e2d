"""Run the checks one by one; each that ends is a line of a JSON file, and is not run again.

A line has the numbers or the error, the date, the seconds, the peak memory, versions and hardware.
A check that fails or takes too long does not stop the others.
"""

import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from zerogym.benchmarks.gpu.setup import NotHere, Numbers, Setup
from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.results.results_file import ResultsFile
from zerogym.errors import ZerogymError

Checks = Mapping[str, Callable[[Setup], Numbers]]
LIMIT = 120.0  # seconds of one check


class TooLong(Exception):
    """A check took longer than its limit."""


def run(
    checks: Checks,
    setup: Setup,
    path: Path,
    seconds: float,
    report: Callable[[str, dict[str, Any]], object],
    limit: float = LIMIT,
) -> list[str]:
    """Run the checks that have no line in the file yet; return those that there was no time for.

    Args:
        checks: By name, in their order.
        setup: The device and the sizes.
        path: The file, JSON lines.
        seconds: After so many no further check begins.
        report: Called with name and line of each check that ended.
        limit: Most seconds of one check.
    """
    file, origin = ResultsFile(path), provenance() | {"cuda": torch.version.cuda}
    same = {"device": setup.device, "smoke": setup.smoke, "gpu": origin["gpu"]}
    done = {
        line.get("check")
        for line in file
        if "error" not in line and all(line.get(k) == v for k, v in same.items())
    }
    torch.set_float32_matmul_precision("highest")  # TF32 keeps 10 of 23 bits
    left, end = [], time.monotonic() + seconds
    for name, check in checks.items():
        if name in done:
            continue
        if time.monotonic() >= end:
            left.append(name)
            continue
        begun = time.monotonic()
        numbers = _outcome(check, setup, min(limit, max(1.0, end - begun)))
        line = {"check": name, **same, **numbers, "seconds": round(time.monotonic() - begun, 1)}
        file.append(origin | {"date": provenance()["date"]} | line)
        report(name, line)
    return left


def _outcome(check: Callable[[Setup], Numbers], setup: Setup, limit: float) -> dict[str, Any]:
    """Return the numbers of a check with its peak memory, or its error as a line."""
    cuda = setup.device == "cuda"
    try:
        if cuda:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
        with _alarm(limit):
            numbers = check(setup)
        peak = {"peak GiB": round(torch.cuda.max_memory_allocated() / 2**30, 2)} if cuda else {}
        return {"numbers": numbers | peak}
    except NotHere as reason:
        return {"numbers": {}, "not here": str(reason)}
    except KeyboardInterrupt:
        raise
    except Exception as error:  # of a device that nobody has tried: whatever it is
        kind = "" if isinstance(error, ZerogymError) else f"{type(error).__name__}: "
        return {"error": f"{kind}{error}".partition("\n")[0][:300]}


@contextmanager
def _alarm(limit: float) -> Iterator[None]:
    """Raise `TooLong` in the block after so many seconds, as soon as Python has control."""

    def stop(number: int, frame: Any) -> None:
        raise TooLong(f"not done after {limit:.0f} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
