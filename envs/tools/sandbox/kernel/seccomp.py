"""The filter of system calls, as a program for the kernel's packet filter machine.

System calls of another architecture end the process. Numbers newer than those that
were looked at when this was written answer "no such call", so what the next kernel brings is closed
until someone looks at it. Sockets are local ones only (a network namespace covers neither AF_VSOCK
nor netlink). No new namespaces: `clone3` answers "no such call", because its flags lie in memory
that a filter cannot read, and the C library then takes `clone`, whose flags it can. No key presses
into a terminal. No limits for the first process, which is ours. No leases and no watch on files,
which may be the host's. No memory that no process shows: larger buffers of sockets, shared memory
without a file (it stays when its pages are unmapped), huge pages, lists of rights (64 KiB a file)
and other attributes, and pages lent to pipes and sockets; of these calls some answer what makes a
program take another way. The calls in `syscalls.FORBIDDEN` answer "not permitted". All else is
allowed.

Left out: machines other than x86_64 and aarch64.
"""

import errno
import platform
import socket
import struct
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache

from zerogym.envs.tools.sandbox.kernel.syscalls import (
    ATTRIBUTES,
    FORBIDDEN,
    JUDGED,
    LENDING,
    ON_PROCESSES,
)

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NEWEST = 462  # mseal, Linux 6.10
X32 = 0x40000000  # bit of x86_64's third calling convention: above NEWEST, so refused

LOAD, EQUAL, _ABOVE, _ANY_BIT, RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_NUMBER, _ARCHITECTURE, FIRST, SECOND, _THIRD, _FOURTH = 0, 4, 16, 24, 32, 40  # low halves
ALLOW, _KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000

# CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET
_NEW_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x60000000
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_SOCKET_LEVEL, _SEND_BUFFERS = 1, (7, 32)  # SOL_SOCKET; SO_SNDBUF, SO_SNDBUFFORCE
_ON_FILES = (10, 1024, 1026)  # F_SETSIG, F_SETLEASE, F_NOTIFY
_SHARED, _ANONYMOUS = 0x01, 0x20  # of mmap; MAP_SHARED_VALIDATE has the first bit, too
_UNLIMITED = 0x100 | 0x40000  # MAP_GROWSDOWN, MAP_HUGETLB: RLIMIT_DATA does not count them
_PERSONALITIES = (0, 0xFFFFFFFF)  # the default, and the question

Instruction = tuple[int, int, int, int]
ALLOWED: Instruction = (RETURN, 0, 0, ALLOW)


@lru_cache(maxsize=4)
def compile_filter(
    machine: str | None = None, further: Callable[[int], list[Instruction]] | None = None
) -> bytes:
    """Compile the filter for a machine (this one by default) to an array of `struct sock_filter`.

    Args:
        machine: A value of `platform.machine()`.
        further: Returns rules that go before the others, blocks made by `when`, from the column of
            the machine in the tables of numbers.
    """
    machine = machine or platform.machine()
    if machine not in ARCHITECTURES:
        raise ValueError(f"no table of system calls for {machine!r}")
    column = list(ARCHITECTURES).index(machine)
    eperm, enosys = refuse(errno.EPERM), refuse(errno.ENOSYS)
    local_only = by_argument(FIRST, EQUAL, [socket.AF_UNIX], ALLOWED, refuse(errno.EAFNOSUPPORT))
    judged = {
        "clone3": [enosys],
        "socket": local_only,
        "socketpair": local_only,
        "clone": by_argument(FIRST, _ANY_BIT, [_NEW_NAMESPACES], eperm),
        "ioctl": by_argument(SECOND, EQUAL, _TERMINAL_INPUT, eperm),
        "setsockopt": [
            (LOAD, 0, 0, SECOND),
            (EQUAL, 1, 0, _SOCKET_LEVEL),
            ALLOWED,
            *by_argument(_THIRD, EQUAL, _SEND_BUFFERS, eperm),
        ],
        "personality": by_argument(FIRST, EQUAL, _PERSONALITIES, ALLOWED, eperm),
        "fcntl": by_argument(SECOND, EQUAL, _ON_FILES, eperm),
        "mmap": [
            (LOAD, 0, 0, _FOURTH),
            *when(_ANY_BIT, _UNLIMITED, [refuse(errno.ENOMEM)]),
            *when(_ANY_BIT, _ANONYMOUS, [*when(_ANY_BIT, _SHARED, [eperm]), ALLOWED]),
            ALLOWED,
        ],
    }
    # The limits of the first process are those of every later call of a zygote.
    not_the_first_process = by_argument(FIRST, EQUAL, [1], eperm)
    program: list[Instruction] = [
        (LOAD, 0, 0, _ARCHITECTURE),
        (EQUAL, 1, 0, ARCHITECTURES[machine]),
        (RETURN, 0, 0, _KILL),
        (LOAD, 0, 0, _NUMBER),
        *when(_ABOVE, NEWEST, [enosys]),
        *(further(column) if further is not None else ()),
    ]
    for name, block in judged.items():
        program += when(EQUAL, JUDGED[name][column], block)
    program += when(EQUAL, ON_PROCESSES["prlimit64"][column], not_the_first_process)
    for pair in ATTRIBUTES.values():  # what copies a file goes on without them
        program += when(EQUAL, pair[column], [refuse(errno.EOPNOTSUPP)])
    for pair in LENDING.values():  # and reads and writes instead
        program += when(EQUAL, pair[column], [refuse(errno.EINVAL)])
    for pair in FORBIDDEN.values():
        program += when(EQUAL, pair[column], [eperm])
    program.append(ALLOWED)
    order = "<" if sys.byteorder == "little" else ">"
    return b"".join(struct.pack(order + "HBBI", *instruction) for instruction in program)


def when(test: int, value: int | None, then: list[Instruction]) -> list[Instruction]:
    """Return a block that is run if the test holds; empty for a call that the machine lacks."""
    return [] if value is None else [(test, 0, len(then), value), *then]


def refuse(error: int) -> Instruction:
    """Return the instruction that answers a call with an error."""
    return (RETURN, 0, 0, ERROR | error)


def by_argument(
    offset: int,
    test: int,
    values: Iterable[int],
    answer: Instruction,
    otherwise: Instruction = ALLOWED,
) -> list[Instruction]:
    """Return a block that answers by one argument: if the test holds for one of the values."""
    program: list[Instruction] = [(LOAD, 0, 0, offset)]
    for value in values:
        program += when(test, int(value), [answer])
    return [*program, otherwise]
