"""Run functions in forked children that can be killed: by time, by memory, or by their own crash.

For a process with one thread only (the audit's own child): a fork does not copy other threads.
"""

import contextlib
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

MEMORY = 4 * 2**30  # bytes a child may map above what it starts with
_PAGE = 65_536


@dataclass(frozen=True)
class Result:
    """The outcome of one item: the function's JSON value, or the verdict why there is none."""

    verdict: Literal["ok", "raised", "hung", "crashed"]
    value: Any = None


def run_items(
    function: Callable[[Any], Any], items: Iterable[Any], seconds: float
) -> Iterator[Result]:
    """Apply `function` to each item in a child; a child that is lost is replaced.

    Args:
        function: Returns JSON values. An exception becomes a `raised` result.
        items: Any values: the child is a fork, nothing is pickled.
        seconds: Wall time for one item, after which the child is killed.
    """
    todo = list(items)
    while todo:
        finished = 0
        for result in _one_child(function, todo, seconds):
            finished += 1
            yield result
        todo = todo[finished:]


def _one_child(
    function: Callable[[Any], Any], items: list[Any], seconds: float
) -> Iterator[Result]:
    """Results until all items are done or the child is lost; the loss is the last result."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _serve(function, items, writer)
    os.close(writer)
    try:
        buffer = b""
        for _ in items:
            line, buffer = _read_line(reader, buffer, time.monotonic() + seconds)
            if not line:
                yield Result("hung" if line is None else "crashed")
                return
            yield Result(**json.loads(line))
    finally:
        for kill in (os.killpg, os.kill):  # the group may not exist yet
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)
        os.close(reader)
        os.waitpid(pid, 0)


def _serve(function: Callable[[Any], Any], items: list[Any], writer: int) -> None:
    """Apply the function to the items in the child, then exit."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    silent = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(silent, descriptor)
    limit = MEMORY
    with contextlib.suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        limit += int(file.read().split()[0]) * resource.getpagesize()  # mapped already
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for item in items:
        try:
            verdict, value = "ok", function(item)
        except BaseException as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            message = str(error)[:300].encode("utf-8", "backslashreplace").decode()
            place = f"{os.path.basename(where.filename)}:{where.lineno}"
            value = {"type": type(error).__name__, "message": message, "where": place}
            verdict = "raised"
        line = json.dumps({"verdict": verdict, "value": value}) + "\n"
        view = memoryview(line.encode("utf-8", "backslashreplace"))
        while view:
            view = view[os.write(writer, view[:_PAGE]) :]
    os._exit(0)


def _read_line(reader: int, buffer: bytes, deadline: float) -> tuple[bytes | None, bytes]:
    """The next line and what follows it; None after the deadline, empty at the end of the pipe."""
    while b"\n" not in buffer:
        ready, _, _ = select.select([reader], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return None, buffer
        chunk = os.read(reader, _PAGE)
        if not chunk:
            return b"", buffer
        buffer += chunk
    line, _, rest = buffer.partition(b"\n")
    return line, rest
