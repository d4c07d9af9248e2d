"""A cache of slots: rows of any length side by side, each with its tokens from the first column on.

The model's own cache copies itself for every token, and its rows share one length. Here keys and
values lie in tensors that are allocated in advance: a token is written at its row's end and nothing
else moves, the slot of a finished row is free at once, and no padding is kept. The schedule is that
of "Orca: A Distributed Serving System for Transformer-Based Generative Models" (2022, OSDI). Left
out: pages, and reading a prompt once for rows that begin at different times.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import Cache
from transformers.cache_utils import DynamicLayer

from zerogym.agents.llm.generation.decoding.kv_cache import Forward, GrowingKVCache
from zerogym.agents.llm.generation.decoding.llama_decode import llama_step
from zerogym.agents.llm.generation.decoding.static_shapes import StaticStep

_MORE = 32  # least columns that are added where there are too few; all are zeroed in every call


@dataclass
class Ends:
    """The places of the next token of a batch's rows.

    Attributes:
        places: Places in the flattened slots of H heads of W columns, (B * H,) for each H that a
            layer has.
        width: The columns that any row needs, the new one included.
    """

    places: dict[int, torch.Tensor]
    width: int

    def at(self, places: Sequence[torch.Tensor]) -> "Ends":
        """Return the same with other tensors, in the same order."""
        return Ends(dict(zip(self.places, places, strict=True)), self.width)


class SlotLayer(DynamicLayer):
    """Keys and values of one layer: (S, H, W, D) of S slots and W columns.

    The columns of a head lie side by side, as they are read; a token is written in H pieces.

    Args:
        like: The same layer of the model's own cache.
        slots: S.
    """

    def __init__(self, like: DynamicLayer, slots: int) -> None:
        super().__init__()
        self.keys, self.values = (
            part.new_zeros(slots, part.shape[1], 0, part.shape[3])
            for part in (like.keys, like.values)
        )
        self.is_initialized = True
        self.ends: Ends | None = None  # set before each step

    def fill(self, first: int, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Write new rows from slot `first` on; keys and values are (B, H, T, D)."""
        rows, columns = slice(first, first + len(keys)), keys.shape[2]
        self.widen(columns)
        self.keys[rows, :, :columns] = keys
        self.values[rows, :, :columns] = values

    @property
    def columns(self) -> int:
        """The number of columns W."""
        return self.keys.shape[2]

    def widen(self, columns: int) -> None:
        """Allocate at least so many columns."""
        if columns > self.columns:
            more = columns - self.columns + max(_MORE, columns // 2)
            # zeros, because masked entries must still be numbers
            self.keys = torch.nn.functional.pad(self.keys, (0, 0, 0, more))
            self.values = torch.nn.functional.pad(self.values, (0, 0, 0, more))

    def move(self, source: torch.Tensor, target: torch.Tensor, width: int) -> None:
        """Copy rows to other slots."""
        for part in (self.keys, self.values):
            part[target, :, :width] = part[source, :, :width]

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write a token of each row (B, H, 1, D); keys and values of all columns (B, H, W, D)."""
        assert self.ends is not None
        rows, width = len(key_states), self.ends.width
        for part, new in ((self.keys, key_states), (self.values, value_states)):
            places = self.ends.places[part.shape[1]]
            part.flatten(0, 2).index_copy_(0, places, new.flatten(0, 2))
        return self.keys[:rows, :, :width], self.values[:rows, :, :width]


class SlotKVCache:
    """Rows in slots. The first `read` decides how many slots there are.

    Args:
        forward: The model.
        static: Its step at few shapes; without it steps have just the rows and columns they need.
    """

    joins = True

    def __init__(self, forward: Forward, static: StaticStep | None = None) -> None:
        self._forward, self._static = forward, static
        self._step = static.step if static else llama_step(forward.model)
        self._layers: list[SlotLayer] = []
        self._lengths: list[int] = []  # tokens of each row

    def read(self, prompts: Sequence[Sequence[int]]) -> torch.Tensor:
        """Add rows; logits (B, V) of their first tokens."""
        logits, cache, mask, place = self._forward.prefill(prompts)
        self._layers = self._layers or self._allocated(cache.layers, len(prompts))
        lengths, columns = mask.sum(1), torch.arange(mask.shape[1], device=mask.device)
        # The last `length` columns of a row come first: its padding goes behind, where it is masked
        # until tokens are written over it.
        source = (columns - lengths[:, None]) % mask.shape[1]  # (U, T)
        if place is None:
            place = torch.arange(len(prompts), device=mask.device)  # (B,)
        for own, layer in zip(self._layers, cache.layers, strict=True):
            keys, values = (
                part[place[:, None], :, source[place]] for part in (layer.keys, layer.values)
            )  # (B, T, H, D)
            own.fill(len(self._lengths), keys.transpose(1, 2), values.transpose(1, 2))
        self._lengths += [len(prompt) for prompt in prompts]
        return logits[place]

    def keep(self, rows: Sequence[int]) -> Sequence[int]:
        """Drop all rows but these; the last ones move into the slots that become free."""
        if len(rows) == len(self._lengths):
            return rows
        order = list(range(len(rows)))
        holes = sorted(set(order).difference(rows))
        movers = [row for row in rows if row >= len(rows)]
        if holes:
            device = self._layers[0].keys.device
            source, target = (torch.tensor(slots, device=device) for slots in (movers, holes))
            for layer in self._layers:
                layer.move(source, target, max(self._lengths[row] for row in movers))
        for hole, mover in zip(holes, movers, strict=True):
            order[hole] = mover
        self._lengths = [self._lengths[row] for row in order]
        return order

    def step(self, tokens: torch.Tensor) -> torch.Tensor:
        """Add a token of each row (B,); logits (B, V) of the next."""
        count, width = len(tokens), max(self._lengths) + 1
        columns = torch.tensor(self._lengths, device=tokens.device)  # (B,)
        if self._static is not None:
            rows, width = self._static.shape(count, width)
            more = (0, rows - count)  # they write at the start of slots that are free
            tokens, columns = (torch.nn.functional.pad(part, more) for part in (tokens, columns))
        for layer in self._layers:
            layer.widen(width)
        places = {}
        for heads in {layer.keys.shape[1] for layer in self._layers}:
            lines = torch.arange(len(columns) * heads, device=columns.device).view(-1, heads)
            places[heads] = (lines * self._layers[0].columns + columns[:, None]).flatten()
        ends = Ends(places, width)
        for layer in self._layers:
            layer.ends = ends
        self._lengths = [length + 1 for length in self._lengths]
        hidden = torch.arange(width, device=tokens.device) > columns[:, None]  # (B, W)
        dtype = self._layers[0].keys.dtype
        mask = torch.zeros(hidden.shape, dtype=dtype, device=tokens.device)
        mask = mask.masked_fill_(hidden, -torch.inf)[:, None, None]  # (B, 1, 1, W)
        if self._step is not None:
            return self._step(tokens, columns, mask, self._layers)[:count]
        cache = Cache(layers=self._layers)
        return self._forward(tokens[:, None], mask, columns[:, None], cache)[0]

    def _allocated(self, like: Sequence[DynamicLayer], slots: int) -> list[SlotLayer]:
        """Return layers of so many slots; those of the call before, where shapes are static."""
        if self._static is None:
            return [SlotLayer(layer, slots) for layer in like]
        slots, _ = self._static.shape(slots, 1)
        if not self._static.layers or len(self._static.layers[0].keys) < slots:
            self._static.layers = [SlotLayer(layer, slots) for layer in like]
        return self._static.layers


def fits_slots(forward: Forward) -> bool:
    """Return whether a model computes the same with slots as with its own cache.

    The model itself is tested, not its name: its cache must be of layers that keep everything, and
    two rows of different lengths must have the same logits both ways up to the root of the
    precision, relative to the largest.
    """
    if "position_ids" not in forward.accepts or not hasattr(forward.model, "get_input_embeddings"):
        return False
    vocabulary = forward.model.get_input_embeddings().num_embeddings
    prompts = [[(7 * place + 3) % vocabulary for place in range(length)] for length in (5, 3)]
    tokens = torch.tensor([1 % vocabulary, 2 % vocabulary], device=forward.model.device)
    own, slots = GrowingKVCache(forward), SlotKVCache(forward)
    try:
        own.read(prompts)
        if not own.keeps_everything:
            return False
        slots.read(prompts)
        pairs = [(own.step(tokens), slots.step(tokens)) for _ in range(2)]
    except (TypeError, ValueError, RuntimeError, LookupError, AttributeError):
        return False  # it uses more of its cache, or less of its mask, than others
    precision = torch.finfo(forward.model.dtype).eps ** 0.5
    return all(
        bool((one - other).abs().max() <= precision * one.abs().max()) for one, other in pairs
    )
