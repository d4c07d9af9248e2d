"""The result of one call in the sandbox, judged from outside of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal["ok", "error", "time", "memory", "output", "killed", "unavailable"]
# From the strongest to the weakest.
Level = Literal["strong", "landlock", "monty", "unsafe-local"]


@dataclass(frozen=True)
class Result:
    """The result of one call.

    The text is whatever the program wrote, escape sequences included: a page or a terminal that
    shows it has to escape it.

    Attributes:
        verdict: `ok` (exit status 0), `error` (another status, or a crash), `time` (CPU or wall),
            `memory` (memory, disk or files; processes too, where no namespace counts them),
            `output` (wrote too much), `killed` (SIGKILL that the sandbox did not send),
            `unavailable` (the sandbox failed: the program was not run, and this says nothing about
            it).
        stdout, stderr: What was written, undecodable bytes replaced.
        stdout_truncated, stderr_truncated: Whether there was more.
        exit_code: The exit status, 128 + n after signal n; None if the sandbox ended the call.
        signal: The signal that ended the program, by that convention, or None.
        cpu_s: CPU seconds of all processes, the sandbox's own few milliseconds included.
        wall_s: Seconds on the clock, from start to end.
        peak_mib: The most memory measured, in MiB: sums over the processes at samples in time.
        reason: Why the verdict is not `ok`, in words, for people and logs.
        files: The files to collect that exist, are regular, and fit; by name.
        level: The level of the sandbox that ran it.
    """

    verdict: Verdict
    stdout: str = ""
    stderr: str = ""
    stdout_truncated: bool = False
    stderr_truncated: bool = False
    exit_code: int | None = None
    signal: int | None = None
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_mib: float = 0.0
    reason: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    level: Level = "strong"
