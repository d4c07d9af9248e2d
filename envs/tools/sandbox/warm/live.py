"""The launcher's side of a sandbox with our server in it (`server.py`), from start to end.

The launcher takes what comes from inside as hostile all the same: packets are short, of one form,
bring no descriptors, and an answer that does not come in time ends the sandbox.
"""

import json
import os
import re
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from zerogym.envs.tools.sandbox.execution import process_tree
from zerogym.envs.tools.sandbox.execution.arguments import PYTHON_FLAGS
from zerogym.envs.tools.sandbox.execution.capture import Pipes
from zerogym.envs.tools.sandbox.execution.cpu_account import CpuAccount
from zerogym.envs.tools.sandbox.execution.started import (
    END_S,
    START_S,
    UNDISTURBED,
    NoStart,
    Started,
)
from zerogym.envs.tools.sandbox.kernel.bubblewrap import find_programs
from zerogym.envs.tools.sandbox.kernel.seccomp_stop import compile_stop_filter
from zerogym.envs.tools.sandbox.limits import Limits

Kind = Literal["zygote", "session"]

# The server takes the place of the shell, and with it that of the namespace's first process.
_STARTER = 'echo ready; read -r go || exit 1; exec "$@"'
_ANSWER = re.compile(rb"([0-9]{1,9}) (kept|lost) ([0-9]{1,3}) ([0-9]{1,15})")
_FORKED: dict[Kind, str] = {"zygote": "program.py", "session": "cells.py"}
_OWN_FILES = 32  # descriptors that the server needs
_OWN_CPU_S = 30  # of the server itself, beside what calls may use


class Gone(Exception):
    """The sandbox ended, or answers no more."""


@dataclass(frozen=True)
class Setup:
    """The settings of a warm sandbox; `seed` is that of `random` inside."""

    kind: Kind
    python: str
    limits: Limits
    readable: Sequence[str]
    total_cpu_s: float
    seed: int


@dataclass(frozen=True)
class Answer:
    """The end of a call: the status by the shell's convention, and whether its process is kept."""

    code: int
    kept: bool
    cpu_s: float


class Live:
    """A sandbox whose server is ready.

    Raises:
        NoStart: If it does not come up.
    """

    def __init__(self, setup: Setup) -> None:
        self._owner = os.getpid()
        self._number = 0
        limits = replace(
            setup.limits,
            cpu_s=setup.total_cpu_s + _OWN_CPU_S,
            open_files=max(setup.limits.open_files, _OWN_FILES),
        )
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs:
                self.started = Started(
                    find_programs(),
                    _command(setup, theirs.fileno()),
                    limits,
                    setup.readable,
                    starter=_STARTER,
                    pass_fds=[theirs.fileno()],
                )
            self._wait_until_ready()
        except BaseException:
            self._control.close()
            raise
        # With what the processes took to come up.
        self.account = CpuAccount(UNDISTURBED, self.started.cpu_group)
        self.account.look(process_tree.use(self.started.pid, 0).processes)
        self.cpu_s = 0.0  # CPU seconds of all calls so far

    @property
    def control(self) -> int:
        """The descriptor that can be read when there is an answer, or an end."""
        return self._control.fileno()

    def send(self, head: Mapping[str, object], source: bytes, ends: Sequence[int]) -> int:
        """Send a request and its ends of the pipes; return the number of the answer to come."""
        request = os.memfd_create("request")
        try:
            with open(request, "wb", closefd=False) as file:
                file.write(json.dumps(head).encode() + b"\n" + source)
            os.lseek(request, 0, os.SEEK_SET)
            self._number += 1
            self._send(b"run %d" % self._number, [request, *ends])
        finally:
            os.close(request)
        return self._number

    def interrupt(self) -> None:
        """Request a KeyboardInterrupt in the call that runs."""
        self._send(b"interrupt", [])

    def kill(self) -> int:
        """End all processes but the server; return the number of the answer to come."""
        self._number += 1
        self._send(b"kill %d" % self._number, [])
        return self._number

    def answer(self, number: int, pipes: Pipes) -> Answer:
        """Wait for an answer, older ones aside, and keep the pipes flowing.

        Raises:
            Gone: If it does not come in time, or is none.
        """
        until = time.monotonic() + END_S
        while (left := until - time.monotonic()) > 0:
            if not pipes.wait(left, self.control, feed=False):
                continue
            try:
                packet = self._control.recv(64, socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue
            except OSError as error:
                raise Gone(str(error)) from error
            answer = _ANSWER.fullmatch(packet)
            if answer is None:
                raise Gone("the sandbox's first process ended")
            if int(answer[1]) == number:
                return Answer(int(answer[3]), answer[2] == b"kept", int(answer[4]) / 1e6)
        raise Gone(f"the sandbox's first process did not answer in {END_S:g} s")

    def has_children(self) -> bool:
        """Return whether any process but the server is there."""
        return bool(process_tree.children(self.started.inside))

    def close(self) -> None:
        """End everything; in a process that was forked later, only let go of descriptors."""
        self._control.close()
        if os.getpid() == self._owner:
            self.started.close()
        else:
            self.started.let_go()

    def _send(self, packet: bytes, descriptors: Sequence[int]) -> None:
        try:
            socket.send_fds(self._control, [packet], descriptors)
        except OSError as error:
            raise Gone("the sandbox's first process ended") from error

    def _wait_until_ready(self) -> None:
        try:
            self.started.go()
            until, come = time.monotonic() + START_S, False
            while not come and time.monotonic() < until:
                come = self.started.pipes.wait(until - time.monotonic(), self.control, feed=False)
            if not come or self._control.recv(64, socket.MSG_DONTWAIT) != b"ready":
                self.started.pipes.drain()
                raise NoStart(self.started.pipes.err.text().strip() or "no warm interpreter")
        except BaseException:
            self.started.close()
            raise


def _command(setup: Setup, control: int) -> list[str]:
    server, forked = (
        Path(__file__).with_name(name).read_text() for name in ("server.py", _FORKED[setup.kind])
    )
    words = [setup.python, *PYTHON_FLAGS, "-c", server]
    return [*words, str(control), setup.kind, str(setup.seed), forked, compile_stop_filter().hex()]
