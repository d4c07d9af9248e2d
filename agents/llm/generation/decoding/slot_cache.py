"""A cache of slots: rows of any length side by side, each with its tokens from the first column on.

The model's own cache copies itself for every token, and its rows share one length. Here keys and
values lie in tensors that are allocated in advance: a token is written at its row's end and nothing
else moves, the slot of a finished row is free at once, and no padding is kept. Rows may go on from
texts that were read before. The schedule is that
of "Orca: A Distributed Serving System for Transformer-Based Generative Models" (2022, OSDI). Left
out: pages, and reading a prompt once for rows that begin at different times.
"""

from collections.abc import Sequence

import torch
from transformers import Cache
from transformers.cache_utils import DynamicLayer

from zerogym.agents.llm.generation.decoding.kv_cache import Forward, GrowingKVCache
from zerogym.agents.llm.generation.decoding.llama_decode import llama_step
from zerogym.agents.llm.generation.decoding.slot_layer import Ends, SlotLayer
from zerogym.agents.llm.generation.decoding.static_shapes import StaticStep


class SlotKVCache:
    """Rows in slots.

    Args:
        forward: The model.
        slots: Most rows at once.
        static: Its step at few shapes; without it steps have just the rows and columns they need.
        layers: Layers of a cache before, to be used again; it may be empty, and gets new ones then.
            With it, rows that are dropped stay in slots behind the others till rows are read.

    Attributes:
        layers: Keys and values of each layer, once a row was read.
        numbers: The row in each slot, numbered as they were read; first those that run.
    """

    joins = True

    def __init__(
        self,
        forward: Forward,
        slots: int,
        static: StaticStep | None = None,
        layers: list[SlotLayer] | None = None,
    ) -> None:
        self._forward, self._slots, self._static = forward, slots, static
        self._swap, self._spare = layers is not None, [] if layers is None else layers
        self.numbers: list[int] = []
        self._read = 0  # rows
        self._step = static.step if static else llama_step(forward.model)
        self.layers: list[SlotLayer] = []
        self._lengths: list[int] = []  # tokens of each row

    @property
    def running(self) -> int:
        """The number of rows that are not dropped."""
        return len(self._lengths)

    def read(self, prompts: Sequence[Sequence[int]]) -> torch.Tensor:
        """Add rows; logits (B, V) of their first tokens."""
        logits, cache, mask, place = self._forward.prefill(prompts)
        self._allocate(cache.layers)
        lengths, columns = mask.sum(1), torch.arange(mask.shape[1], device=mask.device)
        # The last `length` columns of a row come first: its padding goes behind, where it is masked
        # until tokens are written over it.
        source = (columns - lengths[:, None]) % mask.shape[1]  # (U, T)
        if place is None:
            place = torch.arange(len(prompts), device=mask.device)  # (B,)
        for own, layer in zip(self.layers, cache.layers, strict=True):
            keys, values = (
                part[place[:, None], :, source[place]] for part in (layer.keys, layer.values)
            )  # (B, T, H, D)
            own.fill(len(self._lengths), keys.transpose(1, 2), values.transpose(1, 2))
        self._add(prompts)
        return logits[place]

    def go_on(
        self,
        prompts: Sequence[Sequence[int]],
        layers: Sequence[SlotLayer],
        rows: Sequence[int],
        known: Sequence[int],
    ) -> torch.Tensor:
        """Add rows whose first tokens were read before; logits (B, V) of their first tokens.

        Args:
            prompts: All tokens of each row; equal ones are read once.
            layers: Keys and values of texts that begin as these.
            rows: The text of each prompt, equal ones for equal prompts.
            known: Tokens that it has in common with the prompt, fewer than all.
        """
        self._allocate(layers)
        unique = {
            tuple(prompt): source for prompt, *source in zip(prompts, rows, known, strict=True)
        }
        sources, starts = zip(*unique.values(), strict=True)
        first, device = len(self._lengths), layers[0].keys.device
        chosen = torch.tensor(sources, device=device)  # (U,)
        for own, other in zip(self.layers, layers, strict=True):
            own.load(first, other, chosen, max(starts))
        logits = self._read_rest(first, list(unique), starts)  # (U, V)
        self._add(prompts)
        if len(unique) == len(prompts):
            return logits
        place = {prompt: number for number, prompt in enumerate(unique)}
        copies = torch.tensor([place[tuple(prompt)] for prompt in prompts], device=device)  # (B,)
        for own in self.layers:
            own.spread(first, copies, max(map(len, prompts)))
        return logits[copies]

    def _add(self, prompts: Sequence[Sequence[int]]) -> None:
        self.numbers[self.running :] = range(self._read, self._read + len(prompts))
        self._lengths += [len(prompt) for prompt in prompts]
        self._read += len(prompts)

    def _read_rest(
        self, first: int, texts: Sequence[Sequence[int]], known: Sequence[int]
    ) -> torch.Tensor:
        """Read what follows the known tokens of rows from slot `first` on; logits (B, V)."""
        device = self.layers[0].keys.device
        count = max(len(text) - start for text, start in zip(texts, known, strict=True))
        ids = [
            [self._forward.pad] * (count - len(text) + start) + list(text[start:])
            for text, start in zip(texts, known, strict=True)
        ]
        starts = torch.tensor(known, device=device)[:, None]  # (B, 1)
        ends = torch.tensor([len(text) for text in texts], device=device)[:, None]  # (B, 1)
        positions = ends - count + torch.arange(count, device=device)  # (B, T)
        # Padding is written behind the text, where it is masked until tokens are written over it.
        columns = starts + (positions - starts) % count  # (B, T)
        width = max(map(len, texts))
        for layer in self.layers:
            layer.widen(max(known) + count)
        self._write_at(columns, width, first)
        places = positions.clamp(min=0)  # padding sees something, too: no row of the mask is empty
        cache = Cache(layers=self.layers)
        mask = self._mask(places, width)
        return self._forward(torch.tensor(ids, device=device), mask, places, cache)[0]

    def _write_at(self, columns: torch.Tensor, width: int, first: int = 0) -> None:
        """Let the layers write the next tokens of rows from slot `first` on to columns (B, T)."""
        places = {}
        for heads in {layer.keys.shape[1] for layer in self.layers}:
            lines = torch.arange(len(columns) * heads, device=columns.device) + first * heads
            lines = lines.view(-1, heads, 1) * self.layers[0].columns
            places[heads] = (lines + columns[:, None]).flatten()
        ends = Ends(places, width, first)
        for layer in self.layers:
            layer.ends = ends

    def _mask(self, positions: torch.Tensor, width: int) -> torch.Tensor:
        """Return what hides the columns behind each position (B, T): a mask (B, 1, T, W)."""
        hidden = torch.arange(width, device=positions.device) > positions[..., None]  # (B, T, W)
        mask = torch.zeros(hidden.shape, dtype=self.layers[0].keys.dtype, device=positions.device)
        return mask.masked_fill_(hidden, -torch.inf)[:, None]

    def keep(self, rows: Sequence[int]) -> Sequence[int]:
        """Drop all rows but these; the last ones move into the slots that become free."""
        if len(rows) == len(self._lengths):
            return rows
        order = list(range(len(rows)))
        holes = sorted(set(order).difference(rows))
        movers = [row for row in rows if row >= len(rows)]
        if holes:
            device = self.layers[0].keys.device
            source, target = (torch.tensor(slots, device=device) for slots in (movers, holes))
            width = max(self._lengths[row] for row in (*movers, *holes))
            for layer in self.layers:
                layer.move(source, target, width, self._swap)
        for hole, mover in zip(holes, movers, strict=True):
            order[hole] = mover
            numbers = self.numbers
            numbers[hole], numbers[mover] = numbers[mover], numbers[hole]
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
        for layer in self.layers:
            layer.widen(width)
        self._write_at(columns[:, None], width)
        self._lengths = [length + 1 for length in self._lengths]
        mask = self._mask(columns[:, None], width)  # (B, 1, 1, W)
        if self._step is not None:
            return self._step(tokens, columns, mask, self.layers)[:count]
        cache = Cache(layers=self.layers)
        return self._forward(tokens[:, None], mask, columns[:, None], cache)[0]

    def _allocate(self, like: Sequence[DynamicLayer]) -> None:
        """Make the layers, or use those of before; where shapes are static, those must be."""
        if self.layers:
            return
        slots, self.layers = self._slots, self._spare
        if self._static is not None:
            (slots, _), self.layers = self._static.shape(slots, 1), self._static.layers
        if not self.layers or self.layers[0].slots < slots:
            self.layers[:] = [SlotLayer(layer, slots) for layer in like]


def fits_slots(forward: Forward) -> bool:
    """Return whether a model computes the same with slots as with its own cache.

    The model itself is tested, not its name: its cache must be of layers that keep everything, and
    two rows of different lengths must have the same logits both ways, token by token and several at
    once after others, up to the root of the precision, relative to the largest.
    """
    if "position_ids" not in forward.accepts or not hasattr(forward.model, "get_input_embeddings"):
        return False
    vocabulary = forward.model.get_input_embeddings().num_embeddings
    prompts = [[(7 * place + 3) % vocabulary for place in range(length)] for length in (5, 3)]
    tokens = torch.tensor([1 % vocabulary, 2 % vocabulary], device=forward.model.device)
    own, slots = GrowingKVCache(forward), SlotKVCache(forward, len(prompts))
    try:
        own.read(prompts)
        if not own.keeps_everything:
            return False
        slots.read(prompts)
        pairs = [(own.step(tokens), slots.step(tokens)) for _ in range(2)]
        longer = [[*prompt, n, n, *prompt] for prompt, n in zip(prompts, (1, 2), strict=True)]
        whole, rest = GrowingKVCache(forward), SlotKVCache(forward, len(prompts))
        pairs.append((whole.read(longer), rest.go_on(longer, slots.layers, [0, 1], [7, 5])))
    except (TypeError, ValueError, RuntimeError, LookupError, AttributeError):
        return False  # it uses more of its cache, or less of its mask, than others
    precision = torch.finfo(forward.model.dtype).eps ** 0.5
    return all(
        bool((one - other).abs().max() <= precision * one.abs().max()) for one, other in pairs
    )
