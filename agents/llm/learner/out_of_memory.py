"""Out-of-memory errors with advice."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from zerogym.errors import ZerogymError


class OutOfMemory(ZerogymError, MemoryError):
    """A device or the machine has too little memory; the message names what to lower."""


@contextmanager
def explained_out_of_memory(advice: str) -> Iterator[None]:
    """Turn torch's out-of-memory errors inside the block, on GPU or CPU, into `OutOfMemory`."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        gpu = isinstance(error, torch.OutOfMemoryError | MemoryError)
        if not gpu and "can't allocate memory" not in str(error):
            raise
        raise OutOfMemory(f"out of memory: {advice}") from error
