"""Formulas of floating-point operations that torch's counter lacks.

`torch.utils.flop_counter` knows attention on a GPU, but not the kernel that it uses on a CPU, nor
the products of oneDNN (`onednn_linear.py`); what it does not know it counts as nothing. As there, a
multiplication and an addition are two operations, masked scores count, and a backward pass of
attention computes the scores again.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.flop_counter import flop_registry, register_flop_formula


def attention_flops(query: Sequence[int], key: Sequence[int], *_: Any, **__: Any) -> int:
    """Return the operations of attention: scores, and what they weigh; shapes (B, H, T, D)."""
    return 2 * _product(query, key)


def attention_backward_flops(
    gradient: Sequence[int], query: Sequence[int], key: Sequence[int], *_: Any, **__: Any
) -> int:
    """Return the operations of its backward pass: scores again, then gradients of two products."""
    return 5 * _product(query, key)


def linear_flops(x: Sequence[int], weight: Sequence[int], *_: Any, **__: Any) -> int:
    """Return the operations of a linear layer: x (..., I), weight (O, I)."""
    return 2 * torch.Size(x).numel() * weight[0]


def _product(query: Sequence[int], key: Sequence[int]) -> int:
    batch, heads, queries, size = query  # heads that share a key compute with it all the same
    return 2 * batch * heads * queries * size * key[2]


def _register() -> None:
    attention = "_scaled_dot_product_flash_attention_for_cpu"
    formulas = (
        (torch.ops.aten, attention, attention_flops),
        (torch.ops.aten, f"{attention}_backward", attention_backward_flops),
        (torch.ops.mkldnn, "_linear_pointwise", linear_flops),
    )
    for namespace, name, formula in formulas:
        operator = getattr(namespace, name, None)  # not every build of torch has all
        if operator is not None and operator not in flop_registry:
            register_flop_formula(operator)(formula)


_register()
