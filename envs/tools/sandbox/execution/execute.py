"""One call: start a sandbox, put files in, let it go, watch, end it, and judge from outside."""

import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from zerogym.envs.tools.sandbox.execution.capture import Pipes
from zerogym.envs.tools.sandbox.execution.cpu_account import CpuAccount
from zerogym.envs.tools.sandbox.execution.started import UNDISTURBED, NoStart, Started
from zerogym.envs.tools.sandbox.execution.watch import Watch
from zerogym.envs.tools.sandbox.kernel.bubblewrap import Programs
from zerogym.envs.tools.sandbox.limits import KIB, MIB, Limits
from zerogym.envs.tools.sandbox.result import Result, Verdict
from zerogym.errors import SandboxUnavailable

# Of the CPU seconds. The kernel's limit counts by ticks, and on a busy machine it may come early.
NEARLY: dict[int | None, float] = {signal.SIGXCPU: 0.5, signal.SIGKILL: 0.9}


@dataclass(frozen=True)
class Call:
    """A command to run, with its input, its files and its budget."""

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
            account = CpuAccount(UNDISTURBED, started.cpu_group)
            watch = Watch(
                started.pid, started.inside, started.folders, call.limits, account, started.group
            )
            return run_started(started, watch, call, begin)
    except (NoStart, SandboxUnavailable, OSError) as error:
        return unavailable(error, begin)


def unavailable(error: Exception, begin: float) -> Result:
    """Return the result of a call for which the sandbox itself failed."""
    wall = time.monotonic() - begin
    return Result("unavailable", reason=f"the sandbox failed: {error}"[:2000], wall_s=wall)


def judge(
    code: int, over: tuple[Verdict, str] | None, watch: Watch, pipes: Pipes, limits: Limits
) -> Result:
    """Return the result of a program that has ended with `code`, without its files and wall time.

    `code` follows the shell's convention: 128 + n after signal n. `over` is a passed limit, if any.
    """
    out, err = pipes.out, pipes.err
    killed_by = code - 128 if 128 < code < 128 + signal.NSIG else None
    if over is None and (out.truncated or err.truncated):
        over = watch.too_much_output()
    verdict, reason = over or watch.killed_by_the_kernel() or ("ok", "")
    if verdict == "ok":
        if killed_by in NEARLY and watch.cpu_s >= NEARLY[killed_by] * limits.cpu_s:
            verdict, reason = "time", f"{limits.cpu_s:g} CPU seconds"
        elif killed_by == signal.SIGKILL:
            verdict, reason = "killed", "SIGKILL that the sandbox did not send"
        elif code:
            verdict, reason = "error", f"exit status {code}"
    return Result(
        verdict=verdict,
        stdout=out.text(),
        stderr=err.text(),
        stdout_truncated=out.truncated,
        stderr_truncated=err.truncated,
        exit_code=None if verdict in ("time", "memory", "output") else code,
        signal=killed_by,
        cpu_s=watch.cpu_s,
        peak_mib=watch.peak / MIB,
        reason=reason,
    )


def run_started(started: Started, watch: Watch, call: Call, begin: float) -> Result:
    """Run a call in a sandbox that has come up, from its files to its result."""
    started.folders.write(call.files, started.uid)
    started.go()
    over = watch.until(started.pipes, started.end)
    started.finish()
    last = watch.close(started.cpu_s, started.peak)  # what was used since the last look
    over = over or last
    assert started.code is not None
    result = judge(started.code, over, watch, started.pipes, call.limits)
    files = started.folders.read(call.collect, call.limits.output_kib * KIB)
    return replace(result, wall_s=time.monotonic() - begin, files=files)
