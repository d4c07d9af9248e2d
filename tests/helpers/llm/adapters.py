"""Models with LoRA adapters that change what they compute."""

from collections.abc import Sequence
from typing import Any

import pytest

from zerogym.agents.llm.grpo_config import GRPOConfig

torch = pytest.importorskip("torch")

from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.models.lora import SOLE, attach, trained  # noqa: E402

IDS = torch.arange(20)[None] + 5


def moved(config: GRPOConfig, size: float, seats: Sequence[str] = (SOLE,)) -> Any:
    """Return a model whose adapters all change something, each something else; its tokenizer."""
    model, tokenizer = load_model(config.model, "cpu")
    attach(model, config, seats)
    numbers = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in trained(model).values():
            parameter.copy_(torch.randn(parameter.shape, generator=numbers) * size)
    return model, tokenizer


def logits(model: Any) -> Any:
    """Return what a model computes for the same twenty tokens."""
    with torch.no_grad():
        return model(IDS).logits
