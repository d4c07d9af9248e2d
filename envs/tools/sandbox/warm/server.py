"""The first process of a warm sandbox: starts the process of a call, and reports how it ended.

This is a program of its own on the standard library alone. The launcher reads it as text and gives
it to the interpreter inside the sandbox; nothing imports it. As the first process of its process
namespace it gets no signal from inside, and its memory is closed to the others, which have the
same uid. So its answers can be trusted, although a model's code runs beside it.

A `zygote` forks a process for each call (`program.py`, also read as text) and ends everything else
when that has ended. A `session` forks one process for all calls (`cells.py`), and stops everything
between them.

The launcher's packets: `run N` with four descriptors (the request, standard input, output, errors);
`interrupt`; `kill N`. The answer to packet N: `N kept|lost STATUS MICROSECONDS`.
"""

import contextlib
import ctypes
import fcntl
import gc
import json
import os
import random
import resource
import select
import signal
import socket
import struct
import sys
import time
from typing import Any

DUMPABLE, SECCOMP, FILTER = 4, 22, 2  # of prctl
STOP_S = 5.0  # for all to have stopped
PACKET = 64  # bytes; all are shorter

Descriptors = list[int]


_library = ctypes.CDLL(None)


def set_dumpable(value: int) -> None:
    """Set whether other processes of the same user may look into this one."""
    if _library.prctl(DUMPABLE, value, 0, 0, 0) != 0:
        raise OSError("prctl")


def add_filter(program: bytes) -> None:
    """Add a filter of system calls, for this process and what it starts."""
    kept = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HP", len(program) // 8, ctypes.addressof(kept))
    if _library.prctl(SECCOMP, FILTER, ctypes.c_char_p(header), 0, 0) != 0:
        raise OSError("prctl")


def receive(channel: socket.socket) -> tuple[list[bytes], Descriptors]:
    """Return the words of the next packet and its descriptors; end the process if there is none."""
    packet, descriptors, _, _ = socket.recv_fds(channel, PACKET, 4)
    if not packet:
        os._exit(0)
    return packet.split(), descriptors


class Worker:
    """The server's side of the process that keeps a session's variables."""

    def __init__(self, pid: int, channel: socket.socket) -> None:
        self.pid, self.channel = pid, channel

    def end_of(self, number: int) -> int | None:
        """Return the status that it sends for a cell; None for anything else that it sends."""
        words = self.channel.recv(PACKET, socket.MSG_DONTWAIT).split()
        if not words:
            raise ConnectionError
        valid = len(words) == 2 and all(word.isdigit() and len(word) < 9 for word in words)
        return int(words[1]) & 0xFF if valid and int(words[0]) == number else None


class Server:
    """Waits for the launcher's packets and for the ends of processes."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.alarm, self._ring = os.pipe()  # can be read when a child has ended
        for descriptor in (self.alarm, self._ring):
            os.set_blocking(descriptor, False)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._ring, warn_on_full_buffer=False)

    def fork(self) -> int:
        """Start a process; in the new one, undo what makes this one the server."""
        child = os.fork()
        if child == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self.control.close()
            os.close(self.alarm)
            os.close(self._ring)
            set_dumpable(1)
            os.setsid()
        return child

    def reap(self, awaited: int) -> int | None:
        """Reap all that have ended; return the status of the awaited one if it is among them."""
        found = None
        with contextlib.suppress(BlockingIOError):
            os.read(self.alarm, 4096)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return found
            if pid == 0:
                return found
            if pid == awaited:
                found = os.waitstatus_to_exitcode(status)

    def end_all(self) -> None:
        """End every other process of the sandbox at one moment, and wait for all of them."""
        signal_all(signal.SIGKILL)
        while True:
            try:
                os.wait()
            except ChildProcessError:
                return

    def end_worker(self, worker: Worker | None) -> None:
        """End a session's processes, the worker too if there is one."""
        self.end_all()
        if worker is not None:
            worker.channel.close()

    def answer(self, number: int, state: str, code: int, spent_s: float) -> None:
        """Report how a call ended; a process ended by signal n has the status 128 + n."""
        status = 128 - code if code < 0 else code
        self.control.send(b"%d %s %d %d" % (number, state.encode(), status, spent_s * 1e6))


def signal_all(number: int) -> None:
    """Signal every process of the sandbox but this one."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, number)


def stop_all() -> bool:
    """Stop every other process of the sandbox; return whether none runs any more."""
    until = time.monotonic() + STOP_S
    while time.monotonic() < until:
        signal_all(signal.SIGSTOP)
        if all_stopped() and all_stopped():  # the first may have missed what another one woke
            return True
        time.sleep(0.0001)
    return False


def all_stopped() -> bool:
    """Return whether all threads of all other processes have stopped, or ended."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if pid == "1":
            continue
        with contextlib.suppress(OSError):  # it ended
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/stat", "rb", buffering=0) as file:
                    state = file.read(4096).rpartition(b") ")[2][:1]
                if state not in b"TtZXD":
                    return False
    return True


def spent(living: int | None = None) -> float:
    """Return the CPU seconds of all that have ended, and of a process that has not."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock = 0 if living is None else time.clock_gettime(~living << 3 | 2)
    return used.ru_utime + used.ru_stime + clock


def serve_calls(server: Server) -> Descriptors:
    """Serve a zygote's calls; returns in each new process, with the call's descriptors."""
    poll = select.poll()
    poll.register(server.control, select.POLLIN)
    poll.register(server.alarm, select.POLLIN)
    while True:
        words, descriptors = receive(server.control)
        number, before = int(words[1]), spent()
        if words[0] == b"kill":  # it came when its call had already ended
            server.answer(number, "lost", 0, 0)
            continue
        child = server.fork()
        if child == 0:
            return descriptors
        close_all(descriptors)
        code = None
        while code is None:
            if server.control.fileno() in dict(poll.poll()):
                words, _ = receive(server.control)
                number = int(words[1])
                signal_all(signal.SIGKILL)
            code = server.reap(child)
        server.end_all()
        server.answer(number, "lost", code, spent() - before)


def serve_cells(server: Server, stop_filter: bytes) -> socket.socket:
    """Serve a session's calls; returns in each new process, with its end of a channel."""
    worker = None
    while True:
        words, descriptors = receive(server.control)
        if words[0] == b"interrupt":  # it came when its call had already ended
            continue
        number = int(words[1])
        if words[0] == b"kill":
            server.end_worker(worker)
            worker = None
            server.answer(number, "lost", 0, 0)
            continue
        if worker is None:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            child = server.fork()
            if child == 0:
                ours.close()
                close_all(descriptors)
                add_filter(stop_filter)
                return theirs
            theirs.close()
            worker = Worker(child, ours)
        before = spent(worker.pid)
        number, code, kept = run_cell(server, worker, number, descriptors)
        if not kept:
            server.end_worker(worker)
            worker = None
        after = spent(worker.pid if worker else None)
        server.answer(number, "kept" if kept else "lost", code, after - before)


def run_cell(
    server: Server, worker: Worker, number: int, descriptors: Descriptors
) -> tuple[int, int, bool]:
    """Let the worker run a cell; return the number to answer, the status, and if it is left."""
    poll = select.poll()
    for waited in (server.control, server.alarm, worker.channel):
        poll.register(waited, select.POLLIN)
    signal_all(signal.SIGCONT)
    try:
        socket.send_fds(worker.channel, [b"run %d" % number], descriptors, socket.MSG_DONTWAIT)
    except OSError:  # it closed the channel, or reads nothing
        return number, 1, False
    finally:
        close_all(descriptors)
    while True:
        ready = dict(poll.poll())
        if server.control.fileno() in ready:
            words, _ = receive(server.control)
            if words[0] == b"kill":
                return int(words[1]), -signal.SIGKILL, False
            with contextlib.suppress(ProcessLookupError):
                os.killpg(worker.pid, signal.SIGINT)
        ended = server.reap(worker.pid)
        if ended is not None:
            return number, ended, False
        if worker.channel.fileno() in ready:
            try:
                code = worker.end_of(number)
            except OSError:  # it ends, or goes on as another program, without the channel
                poll.unregister(worker.channel)
                continue
            if code is not None:
                return number, code, stop_all()


def close_all(descriptors: Descriptors) -> None:
    """Close the descriptors of a packet."""
    for descriptor in descriptors:
        os.close(descriptor)


def take(descriptors: Descriptors) -> tuple[dict[str, Any], bytes]:
    """Set a call's streams and limits in a forked process; return its head and source."""
    request, *standard = [fcntl.fcntl(one, fcntl.F_DUPFD, 3) for one in descriptors]
    close_all(descriptors)  # some may be below 3, if a cell closed those
    for number, descriptor in enumerate(standard):
        os.dup2(descriptor, number)
    close_all(standard)
    with open(request, "rb") as file:
        head = json.loads(file.readline())
        source = file.read()
    for name, (soft, hard) in head["limits"].items():
        kind = getattr(resource, name)
        most = resource.getrlimit(kind)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), most if hard is None else min(hard, most)
        resource.setrlimit(kind, (soft, most if hard is None else hard))
    return head, source


def main() -> None:
    """Run the server; the processes that it forks return from it and run a model's programs."""
    descriptor, kind, seed, source_of_forked, stop_filter = sys.argv[1:]
    set_dumpable(0)
    sys.path[:] = [folder for folder in sys.path if folder]
    forked: dict[str, Any] = {"__name__": "forked"}
    exec(compile(source_of_forked, "<forked>", "exec"), forked)
    server = Server(socket.socket(fileno=int(descriptor)))
    gc.collect()
    gc.freeze()  # what is here now is shared with what is forked
    server.control.send(b"ready")
    if kind == "session":
        channel = serve_cells(server, bytes.fromhex(stop_filter))
        random.seed(seed)
        forked["run_cells"](channel, receive, take)
    head, source = take(serve_calls(server))
    random.seed(f"{seed} {head['call']}")
    forked["run_program"](head, source)


if __name__ == "__main__":
    main()
