"""The number of torch's threads while a small network is trained or acts.

In a small network torch's threads wait for each other at every operation; where others use the
processors too, each wait lasts until they give one back.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch

_SMALL = 20_000_000  # parameters below which a second thread costs more than it saves
_LITTLE = 10**9  # products below which a call is over before a second thread has helped


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread inside the block, so that sums have one order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def few_threads(model: Any) -> AbstractContextManager[None]:
    """Use one thread inside the block for a small model on the CPU; else nothing changes."""
    small = sum(p.numel() for p in model.parameters()) < _SMALL and model.device.type == "cpu"
    return one_thread() if small else nullcontext()


def threads_for(parameters: int, rows: int) -> AbstractContextManager[None]:
    """Use one thread inside the block for a forward pass of little work; else nothing changes.

    Nothing changes either where `OMP_NUM_THREADS` says how many threads there are.
    """
    little = parameters * rows < _LITTLE and "OMP_NUM_THREADS" not in os.environ
    return one_thread() if little and torch.get_num_threads() > 1 else nullcontext()
