"""Ctrl-C that is deferred to the end of a block."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Defer Ctrl-C to the end of the block.

    Outside the main thread, where Python delivers no signals, the block just runs.
    """
    with deferred_interrupts() as interrupts:
        yield
    handler = signal.getsignal(signal.SIGINT)
    if interrupts and callable(handler):
        handler(signal.SIGINT, None)


@contextmanager
def deferred_interrupts() -> Iterator[list[int]]:
    """Append each Ctrl-C inside the block to the list, and do nothing else about it.

    Outside the main thread, where Python delivers no signals, the list stays empty.
    """
    interrupts: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return
    previous = signal.signal(signal.SIGINT, lambda number, frame: interrupts.append(number))
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if previous is None else previous)
