"""Level `monty`: pure Python computation in another interpreter, half a millisecond a call.

The interpreter (`pydantic-monty`, from the extra `[tools]`) has no socket, process, environment or
file to give but those it is handed: what it does not have cannot be reached. It runs in worker
processes that are kept warm; one that dies takes nothing with it. Each call has a session of its
own in one, and nothing stays from call to call.

Its price is a part of Python: `MISSING` lists which, in words for a model. `random` starts the
same way in every call. Files can be read, not written. `Limits.processes`, `open_files`, `disk_mib`
and `files` have nothing to limit.

CPU seconds are those of the worker on Linux; elsewhere the clock stands for them while code runs.
A program that itself raises an error in the words of a passed limit gets the verdict of that limit.
Memory is not reported (`Result.peak_mib` is 0): a worker keeps what earlier calls made it take.
The launcher holds the text of the last error for a moment, up to half of what a call may use: so a
call uses at most `MEMORY_MIB`, whatever its limits say.

Left out: results in files, and silence about a worker that ends itself when it takes too much
memory: it prints a line on the launcher's standard error.
"""

import math
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from zerogym.envs.tools.sandbox.execution.folders import check_name
from zerogym.envs.tools.sandbox.limits import MIB, Limits
from zerogym.envs.tools.sandbox.monty import workers
from zerogym.envs.tools.sandbox.monty.after_fork import run_elsewhere
from zerogym.envs.tools.sandbox.monty.workers import Run, watched
from zerogym.envs.tools.sandbox.result import Result, Verdict
from zerogym.errors import ZerogymError

MISSING = """\
Your Python is a small interpreter for computation, not CPython. What it lacks:
- most of the standard library and all packages. It has math, re, json, random, datetime, time,
  itertools, functools, collections, decimal, bisect, copy, dataclasses, typing, hashlib, csv and a
  few more. It has no numpy, fractions, statistics, heapq, operator, string, enum, io or threading.
- classes: no inheritance (not even from Exception), no property, staticmethod or classmethod, no
  super(); only some special methods work (not __len__ or __lt__).
- no `yield` (return a list; a generator expression is a list), no `del` statement, no bytearray,
  no globals(), no callable().
- input() reads a line, but there is no sys.stdin, no EOFError (RuntimeError instead), no sys.exit.
- files can be read, not written; there is no environment, no network and no other program.
- an integer of more than 4300 digits has no str(); calls nest at most 1000 deep."""

MEMORY_MIB = 64  # the most that a call may use
LINE = 400  # characters of a line that an error shows
MAX_SLEEPS = 10_000  # the launcher does the sleeping
# The value of a last expression stays inside: it is not needed, and it can be large.
NO_VALUE = "\n\nNone"
INPUT = """
def input(prompt=''):
    print(prompt, end='')
    if not _lines:
        raise RuntimeError('EOF when reading a line')
    return _lines.pop()
"""
OVER: dict[str, Verdict] = {
    "TimeoutError: feed time limit exceeded": "time",
    "TimeoutError: sleep limit exceeded": "time",
    "MemoryError: memory limit exceeded": "memory",
    "MemoryError: the worker exceeded its memory limit": "memory",
}


def run_python(source: str, stdin: bytes, files: Mapping[str, bytes], limits: Limits) -> Result:
    """Run a Python source, and wait for it; calls from several threads run side by side.

    Args:
        source: The program, in the Python that the interpreter knows.
        stdin: What `input()` reads, line by line.
        files: Files to read, by relative name, in `/task`, where the program starts.
        limits: The budget.

    Raises:
        ValueError: If a file has no proper name. Nothing that the program does raises.
    """
    begin = time.monotonic()
    for name in files:
        check_name(name)
    failures: tuple[type[BaseException], ...] = (ZerogymError, OSError, RuntimeError)
    try:
        if workers.is_forked():
            return run_elsewhere(f"{__name__}:run_python", source, stdin, files, limits)
        return _call(source, stdin, files, limits, begin)
    except (*failures, *workers.errors()) as error:
        reason = f"the interpreter failed: {error}"[:2000]
        wall = time.monotonic() - begin
        return Result("unavailable", reason=reason, wall_s=wall, level="monty")


def _call(
    source: str, stdin: bytes, files: Mapping[str, bytes], limits: Limits, begin: float
) -> Result:
    with ExitStack() as stack:
        pool = workers.pool()
        where = stack.enter_context(_shown(files)) if files else {}
        session = stack.enter_context(pool.checkout(**_settings(limits)))
        lines = stdin.decode("utf-8", "replace").splitlines()[::-1]
        session.feed_run(INPUT, inputs={"_lines": lines})  # as well the sign that it works
        with watched(session.worker_pid, limits) as run:
            verdict, reason, said = _feed(session, run, source, where)
    run.take("stderr", said)
    if verdict in ("ok", "error") and run.truncated:
        verdict, reason = "output", f"more than {limits.output_kib} KiB of output"
    return Result(
        verdict=verdict,
        stdout=run.text("stdout"),
        stderr=run.text("stderr"),
        stdout_truncated="stdout" in run.truncated,
        stderr_truncated="stderr" in run.truncated,
        exit_code={"ok": 0, "error": 1}.get(verdict),
        cpu_s=run.cpu_s,
        wall_s=time.monotonic() - begin,
        reason=reason,
        level="monty",
    )


def _feed(session: Any, run: Run, source: str, where: dict[str, Any]) -> tuple[Verdict, str, str]:
    """Run the source; the verdict, why, and what the interpreter said about an error."""
    try:
        session.feed_run(source + NO_VALUE, print_callback=run.take, **where)
    except workers.errors() as error:
        if run.over is not None:
            return *run.over, ""
        text = error.display() if hasattr(error, "display") else str(error)
        if not hasattr(error, "display"):  # the worker is gone
            timed_out = getattr(error, "timed_out", False)
            return ("time" if timed_out else "killed"), text, ""
        lines = [line[:LINE] + " ..." * (len(line) > LINE) for line in text.split("\n")]
        text, last = "\n".join(lines) + "\n", lines[-1]
        for begin, verdict in OVER.items():
            if last.startswith(begin):
                return verdict, last, text
        return "error", last, text
    return "ok", "", ""


def _settings(limits: Limits) -> dict[str, Any]:
    """Return the settings of a session for these limits."""
    clock_s = limits.wall_s if workers.CPU_CLOCK else min(limits.cpu_s, limits.wall_s)
    return {
        "limits": {
            "max_feed_duration_secs": clock_s,
            "max_total_sleep_secs": limits.wall_s,
            "max_suspensions": MAX_SLEEPS,
            "max_memory": min(limits.memory_mib, MEMORY_MIB) * MIB,
        },
        # A longer sleep than is left ends the program at once, instead of being made shorter.
        "os_policy": {"sleep_system_max": math.inf, "random_start": {"seed": 0}},
        "assert_message_annotations": False,  # as in CPython
    }


@contextmanager
def _shown(files: Mapping[str, bytes]) -> Iterator[dict[str, Any]]:
    """Put files into a folder of their own; yield the arguments of a call that may read them."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        with workers.read_only(folder, "/task") as mount:
            yield {"mount": mount, "cwd": "/task"}


def probe_monty() -> tuple[bool, str]:
    """Try the level here, with a control and attacks, really run; return if it holds, and why."""
    limits = Limits(cpu_s=0.2, wall_s=10, memory_mib=16)
    control = run_python("print(6 * 7)", b"", {}, limits)
    if (control.verdict, control.stdout) != ("ok", "42\n"):
        return False, f"no program runs: {control.reason or control.verdict}"
    with tempfile.NamedTemporaryFile("w", suffix=".secret") as file:
        secret = os.urandom(16).hex()
        file.write(secret)
        file.flush()
        for act in (f"open({file.name!r}).read()", "__import__('os').environ"):
            result = run_python(f"print({act})", b"", {}, limits)
            if result.verdict != "error" or secret in result.stdout:
                return False, f"{act}: {result.verdict}"
    for act, verdict in (("'x' * 10**8", "memory"), ("sum(range(10**12))", "time")):
        result = run_python(act, b"", {}, limits)
        if result.verdict != verdict:
            return False, f"{act}: {result.verdict}, not {verdict}"
    return True, "a program runs; files, environment, memory and time are kept"
