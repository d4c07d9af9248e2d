"""One thread that starts every process of the sandbox.

The kernel ends a sandbox when the *thread* that started it ends (`--die-with-parent`), so a call
from a thread of a pool would take its sandbox with it. The thread here lives as long as the
process. It never runs Python code between fork and exec (no `preexec_fn`), which is not safe
beside other threads.
"""

import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import Future

from zerogym.envs.tools.sandbox.cgroup import Group

_Request = tuple[Sequence[str], Sequence[int], Group | None, "Future[subprocess.Popen[bytes]]"]
_lock = threading.Lock()
_requests: "queue.SimpleQueue[_Request] | None" = None


def spawn(
    command: Sequence[str], pass_fds: Sequence[int], group: Group | None = None
) -> "subprocess.Popen[bytes]":
    """Start a process with an empty environment, three pipes, and a session of its own.

    Raises:
        OSError: If it cannot be started.
    """
    started: Future[subprocess.Popen[bytes]] = Future()
    _queue().put((command, pass_fds, group, started))
    return started.result()


def _queue() -> "queue.SimpleQueue[_Request]":
    global _requests
    with _lock:
        if _requests is None:
            _requests = queue.SimpleQueue()
            threading.Thread(
                target=_serve, args=(_requests,), name="sandbox-spawner", daemon=True
            ).start()
        return _requests


def _serve(requests: "queue.SimpleQueue[_Request]") -> None:
    while True:
        command, pass_fds, group, started = requests.get()
        try:
            started.set_result(_start(command, pass_fds, group))
        except BaseException as error:
            started.set_exception(error)
        del started  # or the last process would be kept until the next one


def _start(
    command: Sequence[str], pass_fds: Sequence[int], group: Group | None
) -> "subprocess.Popen[bytes]":
    if group is not None:
        group.enter()
    try:
        return subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={},  # the sandbox's first process shows its environment inside
            cwd="/",
            pass_fds=pass_fds,
            start_new_session=True,
        )
    finally:
        if group is not None:
            group.leave()


def _forget_after_fork() -> None:
    """The child of a fork has no threads: it starts one of its own."""
    global _lock, _requests
    _lock, _requests = threading.Lock(), None


os.register_at_fork(after_in_child=_forget_after_fork)
