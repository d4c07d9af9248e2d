"""A cache of slots: rows of any length side by side, each with its tokens from the first column on.

The model's own cache copies itself for every token, and its rows share one length. Here keys and
values lie in tensors made ahead: a token is written at its row's end and nothing else moves, a row
that is finished gives its slot to another at once, and no padding is kept. The schedule is that of
"Orca: A Distributed Serving System for Transformer-Based Generative Models" (2022, OSDI). Left out:
pages, and reading a prompt once for rows that begin at different times.
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

_MORE = 32  # least columns that are added where there are too few; each is zeroed in every call


@dataclass
class Ends:
    """Where the rows of a batch get their next token.

    Attributes:
        places: In the line of all slots, one behind another, each of H heads of W columns, (B * H,)
            for each H that a layer has.
        width: The columns that any row needs, the new one included.
    """

    places: dict[int, torch.Tensor]
    width: int

    def at(self, places: Sequence[torch.Tensor]) -> "Ends":
        """The same with other tensors, in the same order."""
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
        """How many there are: W."""
        return self.keys.shape[2]

    def widen(self, columns: int) -> None:
        """Have at least so many columns."""
        if columns > self.columns:
            more = columns - self.columns + max(_MORE, columns // 2)
            # zeros, because what is hidden must still be a number
            self.keys = torch.nn.functional.pad(self.keys, (0, 0, 0, more))
            self.values = torch.nn.functional.pad(self.values, (0, 0, 0, more))

    def move(self, source: torch.Tensor, target: torch.Tensor, width: int) -> None:
        """Copy rows to other slots."""
        for part in (self.keys, self.values):
            part[target, :, :width] = part[source, :, :width]

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write a token of each row (B, H, 1, D); returns all that rows may see, (B, H, W, D)."""
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
        fixed: Its step at few shapes; without it steps have just the rows and columns they need.
    """

    joins = True

    def __init__(self, forward: Forward, fixed: StaticStep | None = None) -> None:
        self._forward, self._fixed = forward, fixed
        self._step = fixed.step if fixed else llama_step(forward.model)
        self._layers: list[SlotLayer] = []
        self._lengths: list[int] = []  # tokens of each row

    def read(self, prompts: Sequence[Sequence[int]]) -> torch.Tensor:
        """Add rows; logits (B, V) of their first tokens."""
        logits, cache, mask, place = self._forward.prefill(prompts)
        self._layers = self._layers or self._made(cache.layers, len(prompts))
        lengths, columns = mask.sum(1), torch.arange(mask.shape[1], device=mask.device)
        # The last `length` columns of a row come first: its padding goes behind, where it is hidden
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
        """Forget all rows but these; the last ones move into the slots that become free."""
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
        """Write a token of each row (B,); logits (B, V) of the next."""
        count, width = len(tokens), max(self._lengths) + 1
        columns = torch.tensor(self._lengths, device=tokens.device)  # (B,)
        if self._fixed is not None:
            rows, width = self._fixed.shape(count, width)
            more = (0, rows - count)  # they write at the start of slots that are free
            tokens, columns = (torch.nn.functional.pad(part, more) for part in (tokens, columns))
        for layer in self._layers:
            layer.widen(width)
        ends = self._ends(columns, width)
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

    def _made(self, like: Sequence[DynamicLayer], slots: int) -> list[SlotLayer]:
        """Layers of so many slots; those of the last rows, where the step's shapes are fixed."""
        if self._fixed is None:
            return [SlotLayer(layer, slots) for layer in like]
        slots, _ = self._fixed.shape(slots, 1)
        if not self._fixed.layers or len(self._fixed.layers[0].keys) < slots:
            self._fixed.layers = [SlotLayer(layer, slots) for layer in like]
        return self._fixed.layers

    def _ends(self, columns: torch.Tensor, width: int) -> Ends:
        places = {}
        for heads in {layer.keys.shape[1] for layer in self._layers}:
            lines = torch.arange(len(columns) * heads, device=columns.device).view(-1, heads)
            places[heads] = (lines * self._layers[0].columns + columns[:, None]).flatten()
        return Ends(places, width)


def fits_slots(forward: Forward) -> bool:
    """Whether a model writes into slots what it writes into its own cache.

    Asked of the model and not of its name: its cache must be of layers that keep everything, and
    two rows of different lengths, written both ways, must have the same logits up to the root of
    the precision, relative to the largest.
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
        return False  # it reads more of its cache, or less of its mask, than others
    precision = torch.finfo(forward.model.dtype).eps ** 0.5
    return all(
        bool((one - other).abs().max() <= precision * one.abs().max()) for one, other in pairs
    )
