"""The number of torch's threads while a model is trained."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch

_SMALL = 20_000_000  # parameters below which a second thread costs more than it saves


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
