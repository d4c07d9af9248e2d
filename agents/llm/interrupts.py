"""Ctrl-C that waits for the end of a block which must not be half done."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def finish_first() -> Iterator[None]:
    """Inside the block Ctrl-C is only noted; at its end it takes effect.

    Outside the main thread, where Python delivers no signals, the block just runs.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    noted: list[int] = []
    previous = signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if previous is None else previous)
    if noted and callable(previous):
        previous(signal.SIGINT, None)
