"""The filter of system calls that keeps a session's processes stopped between its calls.

The server stops them with SIGSTOP. What could continue one is SIGCONT, and none of them may send it
or have it sent: not to another process, and not to itself later, by a clock or by a file that gets
ready (that one the common filter refuses). What else only continues processes when one ends, and
then none does.
"""

import errno
import signal

from zerogym.envs.tools.sandbox.kernel.seccomp import (
    EQUAL,
    Instruction,
    by_argument,
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


def compile_stop_filter(machine: str | None = None) -> bytes:
    """Compile the whole filter, with the rules on SIGCONT."""
    return compile_filter(machine, _rules)


def _rules(column: int) -> list[Instruction]:
    rules: list[Instruction] = []
    eperm = refuse(errno.EPERM)
    for *numbers, place in _SENDING.values():
        block = by_argument(_ARGUMENTS + 8 * place, EQUAL, [signal.SIGCONT], eperm)
        rules += when(EQUAL, numbers[column], block)
    return rules + when(EQUAL, _TIMER_CREATE[column], [eperm])
