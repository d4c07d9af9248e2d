"""The filter of system calls that keeps a session's processes stopped between its calls.

The server stops them with SIGSTOP. What could continue one is SIGCONT, and none of them may send it
or have it sent: not to another process, and not to itself later, by a clock or by a file that gets
ready (that one the common filter refuses). What else only continues processes when one ends, and
then none does.
"""

import errno
import signal

from zerogym.envs.tools.sandbox.kernel.seccomp import (
    ALLOW,
    EQUAL,
    LOAD,
    RETURN,
    Instruction,
    compile_filter,
    refuse,
    when,
)

# (x86_64, aarch64), and which of the arguments is the signal, the first being 0
_SENDING = {
    "kill": (62, 129, 1),
    "tkill": (200, 130, 1),
    "tgkill": (234, 131, 2),
    "rt_sigqueueinfo": (129, 138, 1),
    "rt_tgsigqueueinfo": (297, 240, 2),
    "pidfd_send_signal": (424, 424, 1),
}
_TIMER_CREATE = (222, 107)
_ARGUMENTS = 16  # offset of the first; each has 8 bytes


def compile_rest_filter(machine: str | None = None) -> bytes:
    """The whole filter, with the rules on SIGCONT."""
    return compile_filter(machine, _rules)


def _rules(column: int) -> list[Instruction]:
    rules: list[Instruction] = []
    for *numbers, place in _SENDING.values():
        rules += when(EQUAL, numbers[column], _refuse_if(place, signal.SIGCONT))
    return rules + when(EQUAL, _TIMER_CREATE[column], [refuse(errno.EPERM)])


def _refuse_if(place: int, value: int) -> list[Instruction]:
    """Refuse a call with this argument; allow it otherwise."""
    load = (LOAD, 0, 0, _ARGUMENTS + 8 * place)
    return [load, *when(EQUAL, value, [refuse(errno.EPERM)]), (RETURN, 0, 0, ALLOW)]
