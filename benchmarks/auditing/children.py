"""Run functions in forked children that can be killed: by time, by memory, or by their own crash.

For a process with one thread only (the audit's own child): a fork does not copy other threads.
"""

import contextlib
import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from typing import Any, Literal

from zerogym.envs.parent_death import end_with_parent

MEMORY = 4 * 2**30  # bytes a child may map above what it starts with


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
    reader, writer = Pipe(duplex=False)
    sys.stdout.flush()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        end_with_parent(parent)
        reader.close()
        _serve(function, items, writer)
    writer.close()
    try:
        for _ in items:
            if not reader.poll(seconds):
                yield Result("hung")
                return
            yield Result(**json.loads(reader.recv_bytes()))
    except (EOFError, OSError):
        yield Result("crashed")
    finally:
        for kill in (os.killpg, os.kill):  # the group may not exist yet
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)
        reader.close()
        os.waitpid(pid, 0)


def _serve(function: Callable[[Any], Any], items: list[Any], writer: Connection) -> None:
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
        writer.send_bytes(json.dumps({"verdict": verdict, "value": value}).encode())
    os._exit(0)
