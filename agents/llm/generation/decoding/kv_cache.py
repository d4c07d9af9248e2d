"""KV caches of the rows of a batch, as the decode loop uses them.

`GrowingKVCache` keeps the cache that the model makes itself, whatever it is: prompts are padded on
the left, and each token makes it longer. `slot_cache.py` has the faster one for models that allow
it.
"""

import inspect
from collections.abc import Sequence
from typing import Any, Protocol

import torch
from transformers.cache_utils import DynamicLayer


class KVCache(Protocol):
    """The cache of a batch of rows.

    Attributes:
        joins: Rows may be read while others are being sampled.
    """

    joins: bool

    def read(self, prompts: Sequence[Sequence[int]]) -> torch.Tensor:
        """Add rows after the present ones; logits (B, V) of their first tokens."""

    def keep(self, rows: Sequence[int]) -> Sequence[int]:
        """Drop all rows but these; returns them in the order in which they stand from now on."""

    def step(self, tokens: torch.Tensor) -> torch.Tensor:
        """Add a token of each row (B,); logits (B, V) of the next."""


class Forward:
    """The forward pass of a causal language model, as caches call it.

    Args:
        model: The model; it may lack arguments that others have.
        pad: A token for masked places; any will do.
    """

    def __init__(self, model: Any, pad: int) -> None:
        self.model, self.pad = model, pad
        self.accepts = set(inspect.signature(model.forward).parameters)

    def __call__(
        self, ids: torch.Tensor, mask: torch.Tensor, positions: torch.Tensor, cache: Any
    ) -> tuple[torch.Tensor, Any]:
        """Return logits (B, V) of the next token, and the cache."""
        extra = {"position_ids": positions, "logits_to_keep": 1}
        output = self.model(
            input_ids=ids,
            attention_mask=mask,
            past_key_values=cache,
            use_cache=True,
            **{name: value for name, value in extra.items() if name in self.accepts},
        )
        return output.logits[:, -1].float(), output.past_key_values

    def prefill(
        self, prompts: Sequence[Sequence[int]]
    ) -> tuple[torch.Tensor, Any, torch.Tensor, torch.Tensor | None]:
        """Read each different prompt once.

        Returns:
            Logits (U, V), cache and mask (U, T) of the U different prompts, padded on the left, and
            the place of each prompt among them (B,), None where all are different.
        """
        place: dict[tuple[int, ...], int] = {}
        for prompt in prompts:
            place.setdefault(tuple(prompt), len(place))
        width = max(map(len, place))
        ids = [[self.pad] * (width - len(prompt)) + list(prompt) for prompt in place]
        shown = [[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in place]
        device = self.model.device
        mask = torch.tensor(shown, device=device)  # (U, T)
        positions = (mask.cumsum(1) - 1).clamp(min=0)  # (U, T)
        logits, cache = self(torch.tensor(ids, device=device), mask, positions, None)
        if len(place) == len(prompts):
            return logits, cache, mask, None
        places = [place[tuple(prompt)] for prompt in prompts]
        return logits, cache, mask, torch.tensor(places, device=device)


class GrowingKVCache:
    """The model's own cache; rows are read together or not at all."""

    joins = False

    def __init__(self, forward: Forward) -> None:
        self._forward = forward

    def read(self, prompts: Sequence[Sequence[int]]) -> torch.Tensor:
        """Read all rows; logits (B, V) of their first tokens."""
        logits, self._cache, self._mask, place = self._forward.prefill(prompts)
        if place is not None:
            self._cache.batch_select_indices(place)
            logits, self._mask = logits[place], self._mask[place]  # (B, V), (B, T)
        self._positions = self._mask.sum(1, keepdim=True)  # (B, 1)
        return logits

    @property
    def keeps_everything(self) -> bool:
        """True if each layer holds the keys and values of all tokens, and nothing else."""
        layers = getattr(self._cache, "layers", [])
        return bool(layers) and all(type(layer) is DynamicLayer for layer in layers)

    def keep(self, rows: Sequence[int]) -> Sequence[int]:
        """Drop all rows but these, which stay in order."""
        if len(rows) < len(self._mask):
            index = torch.tensor(rows, dtype=torch.long, device=self._mask.device)
            self._cache.batch_select_indices(index)
            self._mask, self._positions = self._mask[index], self._positions[index]
        return rows

    def step(self, tokens: torch.Tensor) -> torch.Tensor:
        """Add a token of each row (B,); logits (B, V) of the next."""
        self._mask = torch.cat([self._mask, self._mask.new_ones(len(tokens), 1)], 1)  # (B, T + 1)
        logits, self._cache = self._forward(
            tokens[:, None], self._mask, self._positions, self._cache
        )
        self._positions = self._positions + 1
        return logits
