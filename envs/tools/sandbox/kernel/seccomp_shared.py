"""Further rules of the filter for a program that shares the host's processes, files and network.

Landlock restricts which files may be opened, which processes signalled and which abstract sockets
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
    ALLOWED,
    EQUAL,
    ERROR,
    FIRST,
    LOAD,
    RETURN,
    SECOND,
    Instruction,
    by_argument,
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
    """Compile the filter of `seccomp.compile_filter` with the rules of this file before its own.

    Args:
        owns_files: The program's uid has files on the host.
        machine: A value of `platform.machine()`.
    """

    def further(column: int) -> list[Instruction]:
        program: list[Instruction] = []
        for name, numbers in ON_PROCESSES.items():
            arguments = [FIRST, SECOND] if name == "setpriority" else [FIRST]
            program += when(EQUAL, numbers[column], _only_zero(arguments))
        for numbers in ON_OTHERS.values():
            program += when(EQUAL, numbers[column], [refuse(errno.EPERM)])
        for numbers in (*ON_FILES.values(), *(ON_OWN_FILES.values() if owns_files else ())):
            program += when(EQUAL, numbers[column], [_DONE])
        no_family = refuse(errno.EAFNOSUPPORT)
        program += when(EQUAL, JUDGED["socket"][column], [no_family])
        streams = by_argument(SECOND, EQUAL, _STREAMS, ALLOWED, refuse(errno.EPROTONOSUPPORT))
        local = [(LOAD, 0, 0, FIRST), (EQUAL, 1, 0, int(socket.AF_UNIX)), no_family]
        return [*program, *when(EQUAL, JUDGED["socketpair"][column], [*local, *streams])]

    return compile_filter(machine, further)


def _only_zero(arguments: list[int]) -> list[Instruction]:
    """Return a block that allows a call only if these arguments are 0: on the caller itself."""
    program: list[Instruction] = []
    for argument in arguments:
        program += [(LOAD, 0, 0, argument), (EQUAL, 1, 0, 0), refuse(errno.EPERM)]
    return [*program, ALLOWED]
