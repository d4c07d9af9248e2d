"""Processes of our own that end with the process that started them, however that one ends.

Without it a killed run leaves workers behind, which go on beside those of the run that continues.
`workers.py` and the sandbox have ways of their own: their callers are threads that may end earlier.
"""

import ctypes
import os
import signal
import sys
import threading
import time

_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl
_SECONDS = 1.0  # between two looks, where the kernel sends no signal


def end_with_parent(parent: int, number: int = signal.SIGKILL) -> None:
    """Send this process a signal as soon as its parent has ended.

    On Linux the kernel does so, also when the *thread* that started this process ends.

    Args:
        parent: The process that started this one; it may have ended already.
        number: The signal.
    """
    if sys.platform != "linux" or _prctl(_DEATH_SIGNAL, number) != 0:
        threading.Thread(target=_watch, args=(parent, number), daemon=True).start()
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def _prctl(*arguments: int) -> int:
    return int(ctypes.CDLL(None).prctl(*map(ctypes.c_ulong, (*arguments, 0, 0, 0))))


def _watch(parent: int, number: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os.kill(os.getpid(), number)
