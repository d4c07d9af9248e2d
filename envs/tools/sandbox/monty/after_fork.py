"""Level `monty` in a process forked from one that used it.

The interpreter's library serves its workers from threads that it starts once for each process. The
child of a fork has none of them and cannot start them again, so a call there would wait for ever.
Its calls go to a process of its own instead, started by exec at the first one: they cost half a
millisecond more, and calls of several threads run one after another.
"""

import base64
import resource
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib import import_module
from typing import Any

from zerogym.envs.tools.sandbox.limits import Limits
from zerogym.envs.tools.sandbox.result import Result
from zerogym.envs.workers import Worker

ANSWER_S = 30.0  # for a call to come back, beyond its own time on the clock


def run_elsewhere(
    function: str, source: str, stdin: bytes, files: Mapping[str, bytes], limits: Limits
) -> Result:
    """Call a function with the arguments of `monty.run_python` in the process that serves this one.

    Args:
        function: Its place, `module:name`.
        source, stdin, files, limits: Its arguments.

    Raises:
        ZerogymError: If that process fails.
    """
    given = [source, _text(stdin), {name: _text(data) for name, data in files.items()}]
    seconds = limits.wall_s + ANSWER_S
    answer = _server().call(f"{__name__}:answer", function, *given, asdict(limits), seconds=seconds)
    return Result(**answer)


def answer(
    function: str, source: str, stdin: str, files: Mapping[str, str], limits: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the result of a function as JSON values; runs in the process that serves."""
    module, _, name = function.partition(":")
    run_python = getattr(import_module(module), name)
    # The CPU limit of a single call would be inherited by interpreters, which serve many calls.
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
    given = {name: base64.b64decode(data) for name, data in files.items()}
    return asdict(run_python(source, base64.b64decode(stdin), given, Limits(**limits)))


@cache
def _server() -> Worker:
    """Return the process that serves this one; forked again, it starts another child of its own."""
    return Worker(memory_mib=None)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
