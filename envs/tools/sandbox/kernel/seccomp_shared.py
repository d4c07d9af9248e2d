"""Further rules of the filter for a program that shares the host's processes, files and network.

Landlock says which files may be opened, which processes may be signalled and which abstract sockets
reached. It does not cover the calls here. Limits, priorities and processors can be set for the
caller itself only. Local sockets come in connected pairs of streams only, which have no way to a
socket in a folder.

Times and attributes of a file that may be written can be changed by name, wherever it is, and so
can rights and owner of one's own; and a filter cannot see a name. So these calls answer "done" and
do nothing: an error would end honest programs that copy files. As root the program has a uid of its
own, which owns nothing on the host, and rights and owners can be changed.
"""

import errno
import socket

from zerogym.envs.tools.sandbox.kernel.seccomp import (
    ALLOW,
    EQUAL,
    ERROR,
    FIRST,
    LOAD,
    RETURN,
    SECOND,
    Instruction,
    compile_filter,
    refuse,
    when,
)
from zerogym.envs.tools.sandbox.kernel.syscalls import (
    JUDGED,
    ON_FILES,
    ON_OTHERS,
    ON_OWN_FILES,
    ON_PROCESSES,
)

_DONE = (RETURN, 0, 0, ERROR | 0)
_NONBLOCK, _CLOEXEC = 0x800, 0x80000
_STREAMS = [int(socket.SOCK_STREAM) | a | b for a in (0, _NONBLOCK) for b in (0, _CLOEXEC)]


def compile_shared_filter(owns_files: bool, machine: str | None = None) -> bytes:
    """The filter of `seccomp.compile_filter` with the rules of this file before its own.

    Args:
        owns_files: The program's uid has files on the host.
        machine: As `platform.machine()` says it.
    """

    def further(column: int) -> list[Instruction]:
        program: list[Instruction] = []
        for name, numbers in ON_PROCESSES.items():
            which = [SECOND] if name == "setpriority" else []
            program += when(EQUAL, numbers[column], _zero(FIRST, *which))
        for numbers in ON_OTHERS.values():
            program += when(EQUAL, numbers[column], [refuse(errno.EPERM)])
        for numbers in (*ON_FILES.values(), *(ON_OWN_FILES.values() if owns_files else ())):
            program += when(EQUAL, numbers[column], [_DONE])
        program += when(EQUAL, JUDGED["socket"][column], [refuse(errno.EAFNOSUPPORT)])
        return [*program, *when(EQUAL, JUDGED["socketpair"][column], _pairs_of_streams())]

    return compile_filter(machine, further)


def _zero(*arguments: int) -> list[Instruction]:
    """Allowed if these arguments are 0: the caller itself."""
    program: list[Instruction] = []
    for argument in arguments:
        program += [(LOAD, 0, 0, argument), (EQUAL, 1, 0, 0), refuse(errno.EPERM)]
    return [*program, (RETURN, 0, 0, ALLOW)]


def _pairs_of_streams() -> list[Instruction]:
    program: list[Instruction] = [
        (LOAD, 0, 0, FIRST),
        (EQUAL, 1, 0, int(socket.AF_UNIX)),
        refuse(errno.EAFNOSUPPORT),
        (LOAD, 0, 0, SECOND),
    ]
    for kind in _STREAMS:
        program += when(EQUAL, kind, [(RETURN, 0, 0, ALLOW)])
    return [*program, refuse(errno.EPROTONOSUPPORT)]
