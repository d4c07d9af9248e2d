"""One call: start a sandbox, put files in, say go, watch, end it, and judge from outside."""

import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from zerogym.envs.tools.sandbox.execution.capture import Pipes
from zerogym.envs.tools.sandbox.execution.started import NoStart, Started
from zerogym.envs.tools.sandbox.execution.watch import Watch
from zerogym.envs.tools.sandbox.kernel.bubblewrap import Programs
from zerogym.envs.tools.sandbox.limits import KIB, MIB, Limits
from zerogym.envs.tools.sandbox.result import Result, Verdict
from zerogym.errors import SandboxUnavailable

# Of the CPU seconds. The kernel's limit counts by ticks, and on a busy machine it may come early.
NEARLY: dict[int | None, float] = {signal.SIGXCPU: 0.5, signal.SIGKILL: 0.9}


@dataclass(frozen=True)
class Call:
    """What to run: a command, its input, its files, its budget."""

    argv: Sequence[str]
    limits: Limits
    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    collect: Sequence[str] = ()
    readable: Sequence[str] = ()


def execute(programs: Programs, call: Call) -> Result:
    """Run a call; a failure of the sandbox itself is the verdict `unavailable`."""
    begin = time.monotonic()
    try:
        with Started(programs, call.argv, call.limits, call.readable, call.stdin) as started:
            watch = Watch(
                started.pid, started.inside, started.folders, call.limits, group=started.group
            )
            return run_started(started, watch, call, begin)
    except (NoStart, SandboxUnavailable, OSError) as error:
        return unavailable(error, begin)


def unavailable(error: Exception, begin: float) -> Result:
    """What is said when the sandbox itself failed."""
    wall = time.monotonic() - begin
    return Result("unavailable", reason=f"the sandbox failed: {error}"[:2000], wall_s=wall)


def judge(
    code: int, over: tuple[Verdict, str] | None, watch: Watch, pipes: Pipes, limits: Limits
) -> tuple[Verdict, str, int | None]:
    """The verdict, the reason and the signal of a program that has ended with `code`.

    `code` follows the shell's convention: 128 + n after signal n.
    """
    killed_by = code - 128 if 128 < code < 128 + signal.NSIG else None
    if over is None and (pipes.out.truncated or pipes.err.truncated):
        over = watch.too_much_output()
    over = over or watch.killed_by_the_kernel()
    if over is not None:
        return *over, killed_by
    if killed_by in NEARLY and watch.cpu_s >= NEARLY[killed_by] * limits.cpu_s:
        return "time", f"{limits.cpu_s:g} CPU seconds", killed_by
    if killed_by == signal.SIGKILL:
        return "killed", "SIGKILL that the sandbox did not send", killed_by
    return ("error", f"exit status {code}", killed_by) if code else ("ok", "", None)


def run_started(started: Started, watch: Watch, call: Call, begin: float) -> Result:
    """The whole course of a call in a sandbox that has come up."""
    started.folders.write(call.files, started.uid)
    started.go()
    over = watch.until(started.pipes, started.end)
    started.finish()
    watch.cpu_s = max(watch.cpu_s, started.cpu_s)
    watch.peak = max(watch.peak, started.peak)
    over = over or watch.too_much_time()  # what was used since the last look
    assert started.code is not None
    verdict, reason, killed_by = judge(started.code, over, watch, started.pipes, call.limits)
    out, err = started.pipes.out, started.pipes.err
    return Result(
        verdict=verdict,
        stdout=out.text(),
        stderr=err.text(),
        stdout_truncated=out.truncated,
        stderr_truncated=err.truncated,
        exit_code=None if verdict in ("time", "memory", "output") else started.code,
        signal=killed_by,
        cpu_s=watch.cpu_s,
        wall_s=time.monotonic() - begin,
        peak_mib=watch.peak / MIB,
        reason=reason,
        files=started.folders.read(call.collect, call.limits.output_kib * KIB),
    )
