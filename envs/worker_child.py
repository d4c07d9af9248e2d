"""The child's side of `zerogym.envs.workers`: a script that runs named functions for its parent.

It is run by its path, not imported, so that a child costs one interpreter and nothing of zerogym.

Messages are an 8-byte length and JSON in Python's dialect (NaN and infinities are allowed).
"""

import json
import operator
import os
import queue
import resource
import signal
import struct
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

HEADER = struct.Struct(">Q")
MAX_RESULT_BYTES = 64 * 2**20
MAX_MESSAGE_LENGTH = 2000  # characters of an error's message


def serve(requests: int, replies: int) -> None:
    """Answer requests until the parent is gone."""
    inbox: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(requests, inbox), daemon=True).start()
    loaded: dict[str, Callable[..., object]] = {}
    while True:
        body = _answer(inbox.get(), loaded)
        message = memoryview(HEADER.pack(len(body)) + body)
        while message:
            message = message[os.write(replies, message) :]


def _receive(requests: int, inbox: "queue.SimpleQueue[dict[str, Any]]") -> None:
    """A thread of its own: it notices the end of the parent while a called function is busy."""
    with os.fdopen(requests, "rb") as stream:
        while header := stream.read(HEADER.size):
            inbox.put(json.loads(stream.read(HEADER.unpack(header)[0])))
    os.killpg(0, signal.SIGKILL)  # the whole session: also what the called functions started


def _answer(request: dict[str, Any], loaded: dict[str, Callable[..., object]]) -> bytes:
    try:
        name = request["function"]
        if "arguments" not in request:
            loaded[name] = _load(name)
            return b'{"result": null}'
        _limit_cpu(request["seconds"])
        body = json.dumps({"result": loaded[name](*request["arguments"])}).encode()
        if len(body) > MAX_RESULT_BYTES:
            raise ValueError(f"the result has {len(body)} bytes, more than {MAX_RESULT_BYTES}")
        return body
    except BaseException as error:  # SystemExit too: it has to be reported
        return json.dumps({"error": type(error).__name__, "message": _message(error)}).encode()


def _message(error: BaseException) -> str:
    try:
        return str(error)[:MAX_MESSAGE_LENGTH]
    except BaseException:
        return "(its message cannot be shown)"


def _load(name: str) -> Callable[..., object]:
    module, _, attribute = name.partition(":")
    function: Callable[..., object] = operator.attrgetter(attribute)(import_module(module))
    return function


def _limit_cpu(seconds: float) -> None:
    """Let the kernel end the child if the parent dies while a call holds the GIL."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = used.ru_utime + used.ru_stime
    limit = int(spent + (seconds + 1) * (os.cpu_count() or 1)) + 1
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    if hard == resource.RLIM_INFINITY or limit < hard:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


if __name__ == "__main__":
    settings = json.loads(sys.argv[1])
    sys.path[:] = settings["path"]
    if settings["memory"]:
        resource.setrlimit(resource.RLIMIT_AS, (settings["memory"], settings["memory"]))
    serve(settings["requests"], settings["replies"])
