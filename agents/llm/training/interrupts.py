"""Ctrl-C that waits for the end of a block which must not be half done."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Inside the block Ctrl-C is only noted; at its end it takes effect.

    Outside the main thread, where Python delivers no signals, the block just runs.
    """
    with deferred_interrupts() as told:
        yield
    handler = signal.getsignal(signal.SIGINT)
    if told and callable(handler):
        handler(signal.SIGINT, None)


@contextmanager
def deferred_interrupts() -> Iterator[list[int]]:
    """Inside the block Ctrl-C only adds to the list; nothing else comes of it.

    Outside the main thread, where Python delivers no signals, the list stays empty.
    """
    told: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield told
        return
    previous = signal.signal(signal.SIGINT, lambda number, frame: told.append(number))
    try:
        yield told
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if previous is None else previous)
