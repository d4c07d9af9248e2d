"""Audit several environments, each in a process of its own; write the findings as JSON.

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

from zerogym.benchmarks.auditing.checks import CHECKS
from zerogym.benchmarks.auditing.subject import Finding, Size, Subject
from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.results.results_file import write_whole

GRACE = 3.0  # seconds for a child to end after the signal


@dataclass
class Report:
    """The findings about one environment."""

    subject: Subject
    findings: list[Finding] = field(default_factory=list)
    checks: Sequence[str] = tuple(CHECKS)

    @property
    def clean(self) -> bool:
        """True if no check failed and all ran, or the sandbox was missing."""
        done = {finding.check for finding in self.findings}
        made = self.of("make")
        complete = done >= set(self.checks) or (made is not None and made.status == "skip")
        return complete and all(f.status != "fail" for f in self.findings)

    def of(self, check: str) -> Finding | None:
        """The finding of one check."""
        return next((f for f in self.findings if f.check == check), None)


OnFinding = Callable[[Report, Finding], None]


def audit(
    subjects: Sequence[Subject],
    size: Size,
    seconds: float,
    processes: int,
    on_finding: OnFinding,
    checks: Sequence[str] = tuple(CHECKS),
) -> list[Report]:
    """Audit all; a report for each, in the given order.

    Args:
        subjects: What to audit.
        size: How much is drawn.
        seconds: Wall time for one check.
        processes: Environments audited at once.
        on_finding: Called with each finding, from several threads.
        checks: Names of the checks; by default all.
    """
    reports = [Report(subject, checks=checks) for subject in subjects]
    running: dict[int, subprocess.Popen[str]] = {}
    stop = threading.Event()

    def run(index: int) -> None:
        if not stop.is_set():
            _audit_one(reports[index], size, seconds, on_finding, running, stop)

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
    on_finding: OnFinding,
    running: dict[int, Any],
    stop: threading.Event,
) -> None:
    """Run the child and read a finding from each of its lines."""
    command = [
        sys.executable, "-m", "zerogym.benchmarks.auditing.checks",
        report.subject.to_json(), json.dumps(asdict(size)), str(seconds), str(os.getpid()),
        json.dumps(list(report.checks)),
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
                    on_finding(report, report.findings[-1])
            if child.wait() and not stop.is_set():
                errors.seek(0)
                last_line = errors.read().strip().rpartition("\n")[2]
                message = last_line or f"exit code {child.returncode}"
                report.findings.append(Finding("make", "fail", message))
                on_finding(report, report.findings[-1])
        finally:
            _kill(child)
            del running[child.pid]


def _kill(child: "subprocess.Popen[str]") -> None:
    """Terminate a child, which ends its running check; kill it after `GRACE` seconds."""
    child.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(GRACE)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def write_json(reports: Iterable[Report], path: Path) -> None:
    """Write every finding with its numbers, and the provenance."""
    write_whole(path, json.dumps(as_document(reports), indent=1, sort_keys=True) + "\n")


def as_document(reports: Iterable[Report]) -> dict[str, Any]:
    """Return every finding with its numbers, and the provenance, as JSON values."""
    return {
        "provenance": provenance(),
        "reports": {
            str(report.subject): {f.check: asdict(f) for f in report.findings} for report in reports
        },
    }


def read_json(path: Path) -> dict[str, dict[str, Finding]]:
    """Read the findings in a file of `write_json`: by subject, then by check."""
    reports = json.loads(path.read_text("utf-8"))["reports"]
    return {
        subject: {check: Finding(**found) for check, found in findings.items()}
        for subject, findings in reports.items()
    }
