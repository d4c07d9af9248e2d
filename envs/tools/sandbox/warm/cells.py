"""The program of a session's process: an interpreter that runs cell after cell.

It runs inside the sandbox, forked from `server.py`, and is read as text as that is. Code of a model
shares the process, and may break it: then the server detects its end, or that its channel closed,
and starts another one, without variables.

Left out: `await` outside of a function, magics, and a history of results.
"""

import __future__

import ast
import linecache
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from types import CodeType, ModuleType, TracebackType
from typing import IO, Any, NoReturn

_FEATURES = [getattr(__future__, name).compiler_flag for name in __future__.all_feature_names]

Receive = Callable[[socket.socket], tuple[list[bytes], list[int]]]
Take = Callable[[list[int]], tuple[dict[str, Any], bytes]]


def run_cells(channel: socket.socket, receive: Receive, take: Take) -> NoReturn:
    """Run a cell for each packet, and answer it with the cell's status."""
    sys.argv, mine = [""], os.getpid()
    sys.path.insert(0, "")
    cells = Cells()
    while True:
        words, descriptors = receive(channel)
        head, source = take(descriptors)
        status = cells.run(head["call"], source)
        if os.getpid() != mine:  # a process that a cell forked came to the end of the cell
            os._exit(status)
        channel.send(b"%d %d" % (int(words[1]), status))


class Cells:
    """Runs cells one after the other, in one namespace."""

    def __init__(self) -> None:
        main = sys.modules["__main__"] = ModuleType("__main__")
        self._variables = main.__dict__
        self._variables["__builtins__"] = sys.modules["builtins"]
        self._features = 0
        self._on_interrupt: Any = signal.default_int_handler
        self._streams: dict[str, Any] = {"stdout": sys.stdout, "stderr": sys.stderr}

    def run(self, number: int, source: bytes) -> int:
        """Run a cell and return its status; an interruption counts only while it runs."""
        self._renew_streams()
        try:
            signal.signal(signal.SIGINT, self._on_interrupt)
            try:
                code = self._run(f"<cell {number}>", source)
                for stream in (sys.stdout, sys.stderr):
                    if stream is not None and not getattr(stream, "closed", False):
                        stream.flush()
                return code
            finally:
                self._on_interrupt = signal.getsignal(signal.SIGINT)
                signal.signal(signal.SIGINT, signal.SIG_IGN)
        except BaseException as error:  # of a stream or a hook of the cell's own
            traceback.print_exception(error, file=self._streams["stderr"])
            return 1

    def _run(self, name: str, source: bytes) -> int:
        text = source.decode("utf-8", "replace")
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        try:
            parts = self._compile(name, source)
        except Exception as error:
            _show(error, None)
            return 1
        try:
            for code in parts:
                exec(code, self._variables)
        except SystemExit as error:
            return _exit_status(error.code)
        except BaseException as error:
            trace = error.__traceback__
            _show(error, trace and trace.tb_next)  # without this frame
            return 1
        return 0

    def _compile(self, name: str, source: bytes) -> list[CodeType]:
        """Compile the statements, and the last expression by itself: its value is shown."""
        flags = ast.PyCF_ONLY_AST | self._features
        tree: ast.Module = compile(source, name, "exec", flags, dont_inherit=True)
        last: list[ast.stmt] = []
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last.append(tree.body.pop())
        codes = []
        for part, mode in ((tree, "exec"), (ast.Interactive(last), "single")):
            if part.body:
                codes.append(compile(part, name, mode, self._features, dont_inherit=True))
                self._features |= sum({flag & codes[-1].co_flags for flag in _FEATURES})
        return codes

    def _renew_streams(self) -> None:
        """Open standard input anew, and outputs that were closed, but never a cell's own."""
        if sys.stdin is self._streams.get("stdin", sys.stdin):
            sys.stdin = self._streams["stdin"] = _open(0, "r", "surrogateescape")
        for number, name in ((1, "stdout"), (2, "stderr")):
            if self._streams[name].closed:
                errors = "backslashreplace" if name == "stderr" else "surrogateescape"
                stream = _open(number, "w", errors)
                for known in (name, f"__{name}__"):
                    if getattr(sys, known) is self._streams[name]:
                        setattr(sys, known, stream)
                self._streams[name] = stream


def _open(number: int, mode: str, errors: str) -> IO[str]:
    return open(number, mode, buffering=1, errors=errors, closefd=False)


def _show(error: BaseException, trace: TracebackType | None) -> None:
    """Print an exception with its lines, or in the way that the cells have set."""
    if sys.excepthook is sys.__excepthook__:
        traceback.print_exception(type(error), error, trace)
    else:
        sys.excepthook(type(error), error, trace)


def _exit_status(code: object) -> int:
    """Return the status for an argument of `sys.exit`; a text is shown."""
    if code is None or isinstance(code, int):
        return (code or 0) & 0xFF if abs(code or 0) < 2**63 else 0xFF
    sys.stderr.write(f"{code}\n")
    return 1
