"""Shared by benchmarks of language models: models that never end, times, and their tables."""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table

from zerogym.agents.llm.models.loading import load_model

TOKENS = 32  # of a prompt
Timed = tuple[float, float]  # seconds of the CPU and on the clock


def digits(rng: np.random.Generator) -> str:
    """All of a prompt but its line break."""
    return "".join(map(str, rng.integers(10, size=TOKENS - 1)))


def endless(name: str) -> tuple[Any, Any]:
    """A model and its tokenizer, whose end is a token that the model does not have."""
    model, tokenizer = load_model(name, "cpu", "float32")
    tokenizer.add_special_tokens({"eos_token": "<|never|>"})
    tokenizer.bos_token = None  # a prompt is as long for all
    model.generation_config.eos_token_id = model.config.eos_token_id = tokenizer.eos_token_id
    return model, tokenizer


def timed(call: Callable[[], Any]) -> Timed:
    """Once."""
    cpu, clock = time.process_time(), time.perf_counter()
    call()
    return time.process_time() - cpu, time.perf_counter() - clock


def compared(title: str, names: tuple[str, str], first: list[Timed], second: list[Timed]) -> Table:
    """Medians of both, and of the ratio of the second's CPU seconds to the first's."""
    table = Table("whose", "CPU s", "fastest", "clock s", "times the first", title=title)
    for name, times in zip(names, (first, second), strict=True):
        if not times:
            table.add_row(name, "not installed")
            continue
        cpu, clock = ([each[kind] for each in times] for kind in (0, 1))
        ratio = statistics.median(a / b[0] for a, b in zip(cpu, first, strict=True))
        middle, elapsed = statistics.median(cpu), statistics.median(clock)
        table.add_row(name, f"{middle:.3f}", f"{min(cpu):.3f}", f"{elapsed:.3f}", f"{ratio:.2f}")
    return table
