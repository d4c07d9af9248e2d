"""Out of memory, told as what can be done about it."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from zerogym.errors import ZerogymError


class OutOfMemory(ZerogymError, MemoryError):
    """A device or the machine has not the memory that was asked for; says what to lower."""


@contextmanager
def explained_out_of_memory(advice: str) -> Iterator[None]:
    """Turn what torch raises inside the block, on a GPU or a CPU, into `OutOfMemory`."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        gpu = isinstance(error, torch.OutOfMemoryError | MemoryError)
        if not gpu and "can't allocate memory" not in str(error):
            raise
        raise OutOfMemory(f"out of memory: {advice}") from error
