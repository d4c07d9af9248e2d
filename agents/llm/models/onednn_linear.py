"""Linear layers by oneDNN, on processors where that is faster than torch's default.

On a CPU torch multiplies float32 matrices by MKL, which leaves the wide registers (AVX-512) of
other makers' processors unused. oneDNN comes with torch, too, and uses them: large products take
half the time there. The numbers are the same up to rounding. Each new shape takes a preparation as
long as a product of small models, so that shapes should recur.
Left out: GPUs, other precisions, and small products.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from torch.autograd.function import once_differentiable

LARGE = 4_000_000  # multiplications, from which on oneDNN is faster
SELDOM = 30_000_000  # multiplications that outweigh the preparation of a shape that never recurs


def linear(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    least: int | None = None,
) -> torch.Tensor:
    """As `torch.nn.functional.linear`, large products by oneDNN; for the processors it is for.

    Args:
        x: (..., I).
        weight: (O, I).
        bias: (O,), or None.
        least: Multiplications of a large product; None: where its shape comes again.
    """
    if not _suits(x, weight, least):
        return torch.nn.functional.linear(x, weight, bias)
    if torch.is_grad_enabled() and (x.requires_grad or weight.requires_grad):
        y: torch.Tensor = Linear.apply(x, weight)
    else:
        y = _product(x, weight)
    return y if bias is None else y + bias


@contextmanager
def fast_products(model: torch.nn.Module, least: int | None = None) -> Iterator[None]:
    """Compute the linear layers of a model by `linear` inside the block."""
    parts = model.modules() if other_maker() else ()
    mine = [part for part in parts if type(part) is torch.nn.Linear and "forward" not in vars(part)]
    for layer in mine:
        # not by a mode of torch's: a backward pass that computes layers again would be without it
        layer.forward = partial(_forward, layer, least)  # type: ignore[method-assign]
    try:
        yield
    finally:
        for layer in mine:
            vars(layer).pop("forward", None)


def often(tokens: int, device: torch.device) -> int:
    """Round a number of tokens up to one that recurs; itself where `linear` is not used.

    At most an eighth is added: there are eight of them from one power of two to the next.
    """
    if device.type != "cpu" or not other_maker():
        return tokens
    step = 1 << max(0, tokens.bit_length() - 4)
    return -(-tokens // step) * step


@cache
def other_maker() -> bool:
    """Return whether this processor has AVX-512 and is not of MKL's maker."""
    if torch.backends.cpu.get_cpu_capability() != "AVX512" or not has_onednn():
        return False
    info = Path("/proc/cpuinfo")
    return info.exists() and "AuthenticAMD" in info.read_text("utf-8", errors="replace")


def has_onednn() -> bool:
    """Return whether this torch has oneDNN products."""
    available = torch.backends.mkldnn.is_available()
    return bool(available and hasattr(torch.ops.mkldnn, "_linear_pointwise"))


class Linear(torch.autograd.Function):
    """The product `x @ weight.T` of a linear layer, and its two gradients."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """Return the product (..., O) of x (..., I) and weight (O, I)."""
        ctx.save_for_backward(x, weight)
        return _product(x, weight)

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, gradient: torch.Tensor
    ) -> tuple[torch.Tensor | None, torch.Tensor | None]:
        """Return the gradients of x and of the weight from that of the result (..., O)."""
        x, weight = ctx.saved_tensors
        for_x, for_weight = ctx.needs_input_grad
        flat = gradient.flatten(0, -2)  # (N, O)
        return (
            _product(gradient, weight.T) if for_x else None,
            _product(flat.T, x.flatten(0, -2).T) if for_weight else None,
        )


def _forward(layer: torch.nn.Linear, least: int | None, x: torch.Tensor) -> torch.Tensor:
    return linear(x, layer.weight, layer.bias, least)


def _product(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    y: torch.Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, None, "none", [], "")
    return y


def _suits(x: torch.Tensor, weight: torch.Tensor, least: int | None) -> bool:
    """Return whether oneDNN can compute a product, and is faster."""
    return (
        x.numel() * weight.shape[0] >= (LARGE if least is None else least)
        and x.dim() > 1
        and x.device.type == "cpu"
        and x.dtype == weight.dtype == torch.float32
        and type(weight) in (torch.Tensor, torch.nn.Parameter)
        and not torch.is_autocast_enabled("cpu")
    )
