"""Torch's counter sees every product of a packed training pass on a CPU: the formula by hand."""

from contextlib import nullcontext
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from torch.utils.flop_counter import FlopCounterMode

from helpers.llm.tiny_llamas import SIZES, llama
from zerogym.agents.llm.learner.packed_row import PackedRow
from zerogym.agents.llm.learner.packing import packed_attention, packed_logits
from zerogym.agents.llm.models import onednn_linear

EPISODES = ((3, 1, 4, 1, 5), (3, 1, 4, 7), (9, 2, 6))
PROMPTS = (3, 3, 1)  # the first two share theirs, so their queries are fewer than their keys


def by_hand(row: PackedRow, kept: int) -> int:
    """Two operations a product; twice as many again for gradients, 2.5 times for attention."""
    hidden, wide, layers = (
        SIZES[name] for name in ("hidden_size", "intermediate_size", "num_hidden_layers")
    )
    keys = hidden * SIZES["num_key_value_heads"] // SIZES["num_attention_heads"]
    of_a_token = layers * (2 * hidden * hidden + 2 * hidden * keys + 3 * hidden * wide)
    linear = 2 * (len(row.ids) * of_a_token + kept * hidden * SIZES["vocab_size"])
    pairs = sum(block.rows * (block.width - block.first) * block.width for block in row.blocks)
    attention = 2 * 2 * layers * pairs * hidden  # scores, and what they weigh
    return 3 * linear + attention * 7 // 2


def counted(model: Any, row: PackedRow, keep: torch.Tensor) -> int:
    with packed_attention(model), FlopCounterMode(display=False) as counter:
        packed_logits(model, row, keep).sum().backward()
    return int(counter.get_total_flops())


@pytest.mark.parametrize("onednn", [False, True])
def test_a_packed_training_pass_has_the_operations_of_its_formula(
    monkeypatch: pytest.MonkeyPatch, onednn: bool
) -> None:
    if onednn and not onednn_linear.has_onednn():
        pytest.skip("this torch has no oneDNN")
    monkeypatch.setattr(onednn_linear, "other_maker", lambda: onednn)
    model, row = llama(), PackedRow.make(EPISODES, PROMPTS)
    assert any(block.first for block in row.blocks), "no query stands behind its first key"
    keep = torch.arange(2, len(row.ids))
    with onednn_linear.fast_products(model, least=1) if onednn else nullcontext():
        assert counted(model, row, keep) == by_hand(row, len(keep))
