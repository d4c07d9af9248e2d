"""Progress bars of transformers, switched off while it reads or writes weights."""

from collections.abc import Iterator
from contextlib import contextmanager

from zerogym.errors import require


@contextmanager
def no_progress_bars() -> Iterator[None]:
    """Switch transformers' progress bars off inside the block, and back as they were."""
    require("transformers", "llm", "language models")
    from transformers.utils import logging

    was_on = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_on:
            logging.enable_progress_bar()
