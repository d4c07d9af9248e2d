"""Gradient checkpointing: activations are recomputed instead of kept.

"Training Deep Nets with Sublinear Memory Cost" (2016, arXiv 1604.06174): of each layer only its
input is kept, and the backward pass computes the layer once more. The switch of `transformers` is
for models in training mode, where dropout is on, and it takes the cache from generation; so we wrap
the layers ourselves, and only where there is a backward pass. Left out: several layers together,
layers of which a part is kept, activations in the CPU's memory.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch.utils.checkpoint import checkpoint
from transformers.modeling_layers import GradientCheckpointingLayer


def layers_of(model: Any) -> list[torch.nn.Module]:
    """Return the layers that can be checkpointed.

    Raises:
        ValueError: If the model has none.
    """
    layers = [layer for layer in model.modules() if isinstance(layer, GradientCheckpointingLayer)]
    if not layers:
        raise ValueError(
            f"gradient_checkpointing=True: {type(model).__name__} does not mark its layers"
        )
    return layers


@contextmanager
def checkpointed(layers: Sequence[Any]) -> Iterator[None]:
    """Let layers keep their input alone inside the block; backward passes belong in it."""
    for layer in layers:
        # nothing is random in evaluation mode, so the generator's state need not be kept
        layer.forward = partial(
            checkpoint, layer.forward, use_reentrant=False, preserve_rng_state=False
        )
    try:
        yield
    finally:
        for layer in layers:
            del layer.forward  # that of its class is visible again
