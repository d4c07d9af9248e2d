"""The filter of system calls, as a program for the kernel's packet filter machine.

What it does: system calls of another architecture end the process. Numbers newer than those that
were looked at when this was written answer "no such call", so what the next kernel brings is closed
until someone looks at it. Sockets are local ones only (a network namespace covers neither AF_VSOCK
nor netlink). No new namespaces: `clone3` answers "no such call", because its flags lie in memory
that a filter cannot read, and the C library then takes `clone`, whose flags it can. No key
presses into a terminal. No larger buffers of sockets, whose memory no process shows. The calls in
`syscalls.FORBIDDEN` answer "not permitted". All else is allowed.

What is left out: machines other than x86_64 and aarch64.
"""

import errno
import platform
import socket
import struct
import sys

from zerogym.envs.tools.sandbox.syscalls import FORBIDDEN, JUDGED

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NEWEST = 462  # mseal, Linux 6.10
X32 = 0x40000000  # bit of x86_64's third calling convention: above NEWEST, so refused

_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND, _THIRD = 0, 4, 16, 24, 32  # offsets of the low halves
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000

# CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET
_NEW_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x60000000
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_SOCKET_LEVEL, _SEND_BUFFERS = 1, (7, 32)  # SOL_SOCKET; SO_SNDBUF, SO_SNDBUFFORCE
_PERSONALITIES = (0, 0xFFFFFFFF)  # the default, and the question

_Instruction = tuple[int, int, int, int]


def compile_filter(machine: str | None = None) -> bytes:
    """The filter for a machine (this one by default), as an array of `struct sock_filter`."""
    machine = machine or platform.machine()
    if machine not in ARCHITECTURES:
        raise ValueError(f"no table of system calls for {machine!r}")
    column = list(ARCHITECTURES).index(machine)
    numbers = {name: pair[column] for name, pair in JUDGED.items()}
    program: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        *_if(_ABOVE, NEWEST, [_refuse(errno.ENOSYS)]),
        *_if(_EQUAL, numbers["clone3"], [_refuse(errno.ENOSYS)]),
        *_if(_EQUAL, numbers["socket"], _local_only()),
        *_if(_EQUAL, numbers["socketpair"], _local_only()),
        *_if(_EQUAL, numbers["clone"], _no_namespaces()),
        *_if(_EQUAL, numbers["ioctl"], _no_terminal_input()),
        *_if(_EQUAL, numbers["setsockopt"], _no_larger_buffers()),
        *_if(_EQUAL, numbers["personality"], _only_default_personality()),
    ]
    for pair in FORBIDDEN.values():
        program += _if(_EQUAL, pair[column], [_refuse(errno.EPERM)])
    program.append((_RETURN, 0, 0, _ALLOW))
    order = "<" if sys.byteorder == "little" else ">"
    return b"".join(struct.pack(order + "HBBI", *instruction) for instruction in program)


def _if(test: int, value: int | None, then: list[_Instruction]) -> list[_Instruction]:
    """A block that returns, run if the test holds; nothing for a call the machine lacks."""
    return [] if value is None else [(test, 0, len(then), value), *then]


def _refuse(error: int) -> _Instruction:
    return (_RETURN, 0, 0, _ERROR | error)


def _local_only() -> list[_Instruction]:
    return [
        (_LOAD, 0, 0, _FIRST),
        *_if(_EQUAL, int(socket.AF_UNIX), [(_RETURN, 0, 0, _ALLOW)]),
        _refuse(errno.EAFNOSUPPORT),
    ]


def _no_namespaces() -> list[_Instruction]:
    return [
        (_LOAD, 0, 0, _FIRST),
        *_if(_ANY_BIT, _NEW_NAMESPACES, [_refuse(errno.EPERM)]),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _no_terminal_input() -> list[_Instruction]:
    program: list[_Instruction] = [(_LOAD, 0, 0, _SECOND)]
    for request in _TERMINAL_INPUT:
        program += _if(_EQUAL, request, [_refuse(errno.EPERM)])
    return [*program, (_RETURN, 0, 0, _ALLOW)]


def _no_larger_buffers() -> list[_Instruction]:
    program: list[_Instruction] = [
        (_LOAD, 0, 0, _SECOND),
        (_EQUAL, 1, 0, _SOCKET_LEVEL),
        (_RETURN, 0, 0, _ALLOW),
        (_LOAD, 0, 0, _THIRD),
    ]
    for option in _SEND_BUFFERS:
        program += _if(_EQUAL, option, [_refuse(errno.EPERM)])
    return [*program, (_RETURN, 0, 0, _ALLOW)]


def _only_default_personality() -> list[_Instruction]:
    program: list[_Instruction] = [(_LOAD, 0, 0, _FIRST)]
    for value in _PERSONALITIES:
        program += _if(_EQUAL, value, [(_RETURN, 0, 0, _ALLOW)])
    return [*program, _refuse(errno.EPERM)]
