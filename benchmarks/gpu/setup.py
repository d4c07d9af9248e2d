"""The device, the sizes, the models and the clock that all checks share."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from zerogym.agents.llm.models.loading import load_model
from zerogym.agents.llm.models.smollm2 import model_status
from zerogym.benchmarks.speed.llm.compile import model_of
from zerogym.benchmarks.speed.llm.timing import endless

Numbers = dict[str, Any]
ROUNDS = 3


class NotHere(Exception):
    """The check needs what this device does not have; the message says what."""


class Ids:
    """The part of a tokenizer that an engine needs, for a model without one: no token ends."""

    pad_token_id, eos_token_id = 0, None

    def decode(self, ids: Any, **how: Any) -> str:
        """Return no text."""
        return ""


@dataclass(frozen=True)
class Setup:
    """Device and sizes of a run.

    Attributes:
        device: `cuda` or `cpu`.
        smoke: Tiny sizes and the tiny model alone, to try the code: the rates mean nothing.
        smollm2: Folder of SmolLM2's weights; None: the prepared ones, else random ones.
    """

    device: str
    smoke: bool = False
    smollm2: Path | None = None

    @property
    def seconds(self) -> float:
        """The seconds of one measurement."""
        return 0.0 if self.smoke else 2.0

    def model(self, name: str, dtype: str = "float32", device: str = "") -> tuple[Any, Any]:
        """Return a model whose replies do not end, on this device or another, and its tokenizer."""
        where, kind = device or self.device, getattr(torch, dtype)
        if name == "tiny" or self.smoke:
            model, tokenizer = endless("tiny")
            return model.to(where, kind), tokenizer
        folder = self.smollm2 or (model_status().directory if model_status().ready else None)
        if folder is not None:
            return load_model(folder, where, dtype)[0], Ids()
        return model_of("smollm2").to(where, kind), Ids()

    def need_graphs(self) -> None:
        """Raise `NotHere` where there are no CUDA graphs."""
        if self.device != "cuda":
            raise NotHere("a CPU has no CUDA graphs")

    def rate(self, call: Callable[[], Any], amount: float = 1.0) -> float:
        """Return the median over rounds of `amount` a second, by the clock.

        Args:
            call: What is measured; one call warms up, but where sizes are tiny.
            amount: What one call makes, such as tokens.
        """
        if not self.smoke:
            call()
        found = []
        for _ in range(1 if self.smoke else ROUNDS):
            self.wait()
            begun, count = time.perf_counter(), 0
            while not count or time.perf_counter() - begun < self.seconds:
                call()
                count += 1
            self.wait()
            found.append(amount * count / (time.perf_counter() - begun))
        return float(f"{statistics.median(found):.4g}")

    def wait(self) -> None:
        """Wait until the device has done what it was given: a GPU works behind Python."""
        if self.device == "cuda":
            torch.cuda.synchronize()
