"""A single thread that starts every process of the sandbox.

The kernel ends a sandbox when the *thread* that started it ends (`--die-with-parent`), so a call
from a thread of a pool would take its sandbox with it. The thread here lives as long as the
process. It never runs Python code between fork and exec (no `preexec_fn`), which is not safe
beside other threads.

A process namespace is made by the thread as well (as root): what it starts next is the first
process of one, with which all in it ends. To have two programs do that costs 2 ms.
"""

import ctypes
import os
import queue
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager
from functools import partial

from zerogym.envs.tools.sandbox.kernel.cgroup import EnteredGroup

_NEW_PID_NAMESPACE = 0x20000000  # CLONE_NEWPID
_LIBC = ctypes.CDLL(None, use_errno=True)
_Request = tuple[Callable[[], "subprocess.Popen[bytes]"], "Future[subprocess.Popen[bytes]]"]
_lock = threading.Lock()
_requests: "queue.SimpleQueue[_Request] | None" = None


def spawn(
    command: Sequence[str],
    pass_fds: Sequence[int],
    groups: Sequence[EnteredGroup] = (),
    namespace: bool = False,
) -> "subprocess.Popen[bytes]":
    """Start a process with an empty environment, three pipes, and a session of its own.

    Args:
        command: What to start.
        pass_fds: Descriptors that it inherits.
        groups: The kernel's groups that it is born in.
        namespace: Whether it is the first process of a new process namespace.

    Raises:
        OSError: If it cannot be started.
    """
    started: Future[subprocess.Popen[bytes]] = Future()
    _queue().put((partial(_start, command, pass_fds, groups, namespace), started))
    try:
        return started.result()
    except BaseException:  # interrupted: nobody will ever let go what is started
        if not started.cancel():
            started.add_done_callback(_abandon)
            # The caller closes its descriptors now. Were they not yet inherited, a process would
            # get what has their numbers next, and read the filter of another sandbox.
            wait([started])
        raise


def _abandon(started: "Future[subprocess.Popen[bytes]]") -> None:
    if started.exception() is None:
        with started.result() as process:  # closes its pipes, and waits
            process.kill()


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
        start, started = requests.get()
        if not started.set_running_or_notify_cancel():
            continue
        try:
            started.set_result(start())
        except BaseException as error:
            started.set_exception(error)
        del start, started  # or the last process would be kept until the next one


@contextmanager
def _first_of_a_namespace() -> Iterator[None]:
    """Start what this thread starts in a process namespace of its own."""
    own = os.open("/proc/self/ns/pid", os.O_RDONLY)
    try:
        # First the way back: a thread that cannot go it would start nothing any more.
        _check(_LIBC.setns(own, _NEW_PID_NAMESPACE), "to stay in the process namespace")
        _check(_LIBC.unshare(_NEW_PID_NAMESPACE), "a new process namespace")
        try:
            yield
        finally:
            _check(_LIBC.setns(own, _NEW_PID_NAMESPACE), "back to the process namespace")
    finally:
        os.close(own)


def _check(outcome: int, what: str) -> None:
    if outcome != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


def _start(
    command: Sequence[str],
    pass_fds: Sequence[int],
    groups: Sequence[EnteredGroup],
    namespace: bool,
) -> "subprocess.Popen[bytes]":
    with ExitStack() as stack:
        if namespace:
            stack.enter_context(_first_of_a_namespace())
        for group in groups:
            group.enter()
            stack.callback(group.leave)
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


def _forget_after_fork() -> None:
    """Forget the thread in the child of a fork, which has none and starts its own."""
    global _lock, _requests
    _lock, _requests = threading.Lock(), None


os.register_at_fork(after_in_child=_forget_after_fork)
