"""Audit several environments, each in a process of its own; write table and JSON.

Left out: resuming. An audit takes seconds to a minute for each environment, and a finding about
code that has changed since would be a wrong one; what was finished is kept when it is stopped.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from zerogym.benchmarks.audit.checks import CHECKS
from zerogym.benchmarks.audit.subject import Finding, Size, Subject
from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.results.results_file import write_whole

GRACE = 3.0  # seconds for a child that was told to end
MARKS = {"pass": ("✓", "green"), "fail": ("✗", "bold red"), "skip": ("–", "dim")}


@dataclass
class Report:
    """The findings about one environment."""

    subject: Subject
    findings: list[Finding] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether all checks ran, or could not for want of a sandbox, and none failed."""
        done = {finding.check for finding in self.findings}
        made = self.of("make")
        complete = done >= set(CHECKS) or (made is not None and made.status == "skip")
        return complete and all(f.status != "fail" for f in self.findings)

    def of(self, check: str) -> Finding | None:
        """The finding of one check."""
        return next((f for f in self.findings if f.check == check), None)


Hear = Callable[[Report, Finding], None]


def audit(
    subjects: Sequence[Subject], size: Size, seconds: float, processes: int, hear: Hear
) -> list[Report]:
    """Audit all; a report for each, in the given order.

    Args:
        subjects: What to audit.
        size: How much is drawn.
        seconds: Wall time for one check.
        processes: Environments audited at once.
        hear: Called with each finding, from several threads.
    """
    reports = [Report(subject) for subject in subjects]
    running: dict[int, subprocess.Popen[str]] = {}
    stop = threading.Event()

    def run(index: int) -> None:
        if not stop.is_set():
            _audit_one(reports[index], size, seconds, hear, running, stop)

    with ThreadPoolExecutor(processes) as pool:
        jobs = [pool.submit(run, index) for index in range(len(reports))]
        try:
            for job in jobs:
                job.result()
        except BaseException:
            stop.set()
            for child in list(running.values()):
                _kill(child)
            raise
    return reports


def _audit_one(
    report: Report,
    size: Size,
    seconds: float,
    hear: Hear,
    running: dict[int, Any],
    stop: threading.Event,
) -> None:
    """Run the child and read a finding from each of its lines."""
    command = [
        sys.executable, "-m", "zerogym.benchmarks.audit.checks",
        report.subject.to_json(), json.dumps(asdict(size)), str(seconds),
    ]  # fmt: skip
    paths = os.pathsep.join(path for path in sys.path if path)
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        child = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL,
            text=True, start_new_session=True,
            env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        running[child.pid] = child
        try:
            assert child.stdout is not None
            with child.stdout:
                for line in child.stdout:
                    report.findings.append(Finding(**json.loads(line)))
                    hear(report, report.findings[-1])
            if child.wait() and not stop.is_set():
                errors.seek(0)
                says = errors.read().strip().rpartition("\n")[2] or f"exit code {child.returncode}"
                report.findings.append(Finding("make", "fail", says))
                hear(report, report.findings[-1])
        finally:
            _kill(child)
            del running[child.pid]


def _kill(child: "subprocess.Popen[str]") -> None:
    """End it, and let it end the check that it runs."""
    child.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(GRACE)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def write_json(reports: Iterable[Report], path: Path) -> None:
    """Every finding with its numbers, and where they come from."""
    content = {
        "provenance": provenance(),
        "reports": {
            str(report.subject): {f.check: asdict(f) for f in report.findings} for report in reports
        },
    }
    write_whole(path, json.dumps(content, indent=1, sort_keys=True) + "\n")


def read_json(path: Path) -> dict[str, dict[str, Finding]]:
    """The findings of a file that `write_json` wrote: by subject, then by check."""
    reports = json.loads(path.read_text("utf-8"))["reports"]
    return {
        subject: {check: Finding(**found) for check, found in findings.items()}
        for subject, findings in reports.items()
    }


COLUMNS = {
    "own answer": "own",
    "wrong answers": "wrong",
    "constant answer": "const",
    "hostile replies": "hostile",
    "determinism": "same",
    "seeds overlap": "seeds",
    "splits overlap": "split",
    "difficulty": "diff",
}


def render(reports: Iterable[Report]) -> Table:
    """One row for each environment: a mark and a number for each check."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("audit of", overflow="fold", min_width=12)
    for title in COLUMNS.values():
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("drawn/s", justify="right", no_wrap=True)
    for report in reports:
        rate = report.of("rates")
        numbers = rate.measured if rate else {}
        cells = [_cell(report.of(check)) for check in COLUMNS]
        made = report.of("make")
        if made is not None:
            cells[0] = Text(*MARKS[made.status])
        name = str(report.subject).removeprefix("zerogym/").removesuffix("-v0")
        table.add_row(Text(name), *cells, _short(numbers.get("resets/s")))
    return table


def _short(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if value < 1000 else f"{value / 1000:.3g}k"


def _cell(finding: Finding | None) -> Text:
    if finding is None:
        return Text("")
    mark, style = MARKS[finding.status]
    return Text(f"{number(finding)}{mark}", style)


def number(finding: Finding) -> str:
    """The one number of a finding that a table shows."""
    m = finding.measured
    if finding.check in ("own answer", "wrong answers") and "mean" in m:
        return f"{m['mean']:.2g}"
    if finding.check == "constant answer" and "overall" in m:
        return f"{worst_floor(finding):.2f}"
    if finding.check == "hostile replies":
        return str(len(m.get("faults", ())) or "")
    if finding.check == "determinism" and "ways" in m:
        return f"{sum(way == 'same' for way in m['ways'].values())}/{len(m['ways'])}"
    if finding.check == "seeds overlap" and "next seed" in m:
        return f"{m['next seed']:.0%}"
    if finding.check == "splits overlap" and "shared" in m:
        return str(m["shared"])
    return ""


def worst_floor(finding: Finding) -> float:
    """What the best constant answer earns in the category where it earns most."""
    categories = finding.measured["categories"].values()
    return max(float(floor["mean"]) for floor in categories)


assert set(COLUMNS) < set(CHECKS)
