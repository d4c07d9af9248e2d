"""Functions that may hang, crash or eat memory, run in a child process that can be killed.

It bounds time and memory; it is no sandbox: called code may read and write what the user may.
Left out: results other than JSON (nothing is pickled), Windows, and limits on disk or network.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zerogym.envs.worker_child import HEADER, MAX_RESULT_BYTES
from zerogym.errors import ZerogymError

_SCRIPT = Path(__file__).with_name("worker_child.py")
_CHUNK = 2**16
MAX_SECONDS = 86_400
_workers: "weakref.WeakSet[Worker]" = weakref.WeakSet()


class WorkerTimeout(ZerogymError, TimeoutError):
    """A call did not end in its time; its process was killed."""


class WorkerCrashed(ZerogymError):
    """The process of a call ended without an answer."""


class WorkerError(ZerogymError):
    """The called function raised.

    Attributes:
        kind: Name of the exception's type.
        message: Its text.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind, self.message = kind, message


class Worker:
    """A child process that runs named functions within limits, and is replaced when it had to die.

    It starts at the first call and stays warm. Any thread may call; calls queue. A forked copy
    starts a process of its own. The child ends with `close()`, with this object or with this
    process, whichever is first; what the child started itself is killed along with it.

    Args:
        memory_mib: Address space of the child in MiB; None for no limit.
        import_path: Folders to import from before those of this process (`sys.path`).
        environment: Environment variables set on top of those of this process.
        start_seconds: Limit for starting the child and importing a function's module. This time
            does not count as the call's: a slow import must not look like a slow function.

    Example:
        >>> with Worker() as worker:
        ...     worker.call("math:comb", 5, 2, seconds=1)
        10
    """

    def __init__(
        self,
        memory_mib: int | None = 2048,
        import_path: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        start_seconds: float = 60.0,
    ) -> None:
        self.memory_mib, self.start_seconds = memory_mib, start_seconds
        self.import_path, self.environment = tuple(import_path), dict(environment or {})
        self._lock = threading.Lock()
        self._child: _Child | None = None
        _workers.add(self)

    def call(self, function: str, *arguments: Any, seconds: float) -> Any:
        """Call `function` ("module:name") with JSON arguments and return its result through JSON.

        Tuples come back as lists and keys as strings. What it prints is thrown away; what it
        writes to stderr goes there.

        Args:
            function: Where it is, for example `"math:comb"`.
            arguments: JSON values; NaN and infinities are allowed.
            seconds: Wall-clock limit, without waiting for other threads' calls.

        Raises:
            WorkerTimeout: If it took longer. The next call starts a new process.
            WorkerCrashed: If the process ended. The next call starts a new process.
            WorkerError: If the function raised, cannot be found or gave no JSON value.
            TypeError: If an argument is no JSON value.
            ValueError: If `seconds` is not positive or is more than a day.
        """
        if not 0 < seconds < MAX_SECONDS:
            raise ValueError(f"seconds must be positive and below {MAX_SECONDS}, got {seconds!r}")
        request = {"function": function, "arguments": arguments, "seconds": seconds}
        message = json.dumps(request).encode()
        with self._lock:
            child = self._ready_child()
            try:
                if function not in child.loaded:
                    load = json.dumps({"function": function}).encode()
                    _result(child.exchange(load, function, self.start_seconds))
                    child.loaded.add(function)
                return _result(child.exchange(message, function, seconds))
            except WorkerError as error:
                if error.kind == "MemoryError":  # the rest of the child may not work
                    self._stop()
                raise
            except BaseException:  # also KeyboardInterrupt: its answer must not meet the next call
                self._stop()
                raise

    def close(self) -> None:
        """End the child, after a running call. A later call would start a new one."""
        with self._lock:
            self._stop()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ready_child(self) -> "_Child":
        if self._child is not None and not self._child.is_idle():
            self._stop()
        if self._child is None:
            self._child = _Child(self.memory_mib, self.import_path, self.environment)
            # When this object is collected, and at exit.
            self._finalizer = weakref.finalize(self, self._child.kill)
        return self._child

    def _stop(self) -> None:
        if self._child is not None:
            self._finalizer.detach()
            self._child.kill()
            self._child = None

    def _after_fork(self) -> None:
        self._lock = threading.Lock()  # another thread may have held the old one
        if self._child is not None:
            self._finalizer.detach()
            self._child.abandon()
            self._child = None


class _Child:
    """A running process and the two pipes to it."""

    def __init__(
        self, memory_mib: int | None, import_path: Sequence[str], environment: Mapping[str, str]
    ) -> None:
        self.loaded: set[str] = set()
        self._closed = False
        requests, self._send = os.pipe()
        self._receive, replies = os.pipe()
        os.set_blocking(self._send, False)
        settings = {
            "path": [*import_path, *sys.path],
            "memory": None if memory_mib is None else memory_mib * 2**20,
            "requests": requests,
            "replies": replies,
        }
        try:
            # A session of its own: Ctrl-C does not reach it, and its group can be killed.
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_SCRIPT), json.dumps(settings)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, **environment},
                pass_fds=(requests, replies),
                start_new_session=True,
            )
        except BaseException:
            self._close_pipes()
            raise
        finally:
            os.close(requests)
            os.close(replies)

    def is_idle(self) -> bool:
        """Return True if the process is alive and the pipe is empty."""
        return not _wait(self._receive, select.POLLIN, 0.0)

    def exchange(self, message: bytes, function: str, seconds: float) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        deadline = time.monotonic() + seconds
        try:
            self._write(HEADER.pack(len(message)) + message, deadline)
            (length,) = HEADER.unpack(self._read(HEADER.size, deadline))
            if length > MAX_RESULT_BYTES:
                raise EOFError  # called code wrote into the pipe
            answer: dict[str, Any] = json.loads(self._read(length, deadline))
        except TimeoutError:
            raise WorkerTimeout(f"{function} took longer than {seconds:g} s") from None
        except (EOFError, OSError, ValueError):
            raise WorkerCrashed(f"{function} ended its process ({self.kill()})") from None
        return answer

    def _write(self, data: bytes, deadline: float) -> None:
        rest = memoryview(data)
        while rest:
            if not _wait(self._send, select.POLLOUT, deadline - time.monotonic()):
                raise TimeoutError
            rest = rest[os.write(self._send, rest[:_CHUNK]) :]

    def _read(self, size: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            if not _wait(self._receive, select.POLLIN, deadline - time.monotonic()):
                raise TimeoutError
            piece = os.read(self._receive, min(size - len(data), _CHUNK))
            if not piece:
                raise EOFError
            data += piece
        return bytes(data)

    def kill(self) -> str:
        """End the process and all it started; return how it had ended, if it had."""
        if not self._closed:
            self._close_pipes()
            # Before it is waited for: until then nobody else can have its number.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        code = self._process.returncode
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def abandon(self) -> None:
        """Release the process in a forked copy; it belongs to the original."""
        self._close_pipes()
        self._process.returncode = 0  # not ours to wait for

    def _close_pipes(self) -> None:
        self._closed = True
        os.close(self._send)
        os.close(self._receive)


def _wait(pipe: int, event: int, seconds: float) -> bool:
    """Return True if the pipe is ready or broken within the time."""
    poll = select.poll()
    poll.register(pipe, event)
    return bool(poll.poll(max(0.0, seconds) * 1000))


def _result(answer: dict[str, Any]) -> Any:
    if "error" in answer:
        raise WorkerError(answer["error"], answer["message"])
    return answer["result"]


def _abandon_all() -> None:
    for worker in list(_workers):
        worker._after_fork()


os.register_at_fork(after_in_child=_abandon_all)
