"""Keys and values of conversations, kept from one turn to the next.

A prompt goes on from the kept text with which it has the longest start in common, whoever wrote
that: its own conversation, a sibling that branched from it, or another one with the same opening.
Only the rest is read. The idea is that of "SGLang: Efficient Execution of Structured Language Model
Programs" (2023, arXiv 2312.07104). Left out: its tree of shared parts (here each text has a slot of
its own, so that one copy a layer loads the texts of a call), and pages.
"""

from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch

from zerogym.agents.llm.generation.decoding.running_sequences import RunningSequence
from zerogym.agents.llm.generation.decoding.slot_cache import SlotKVCache
from zerogym.agents.llm.generation.decoding.slot_layer import SlotLayer

Text = tuple[int, ...]

_LEAST = 16  # tokens: less in common is sooner read again than copied
_PADDING = 2  # rows with so many times the unread tokens of others are read apart


@dataclass(frozen=True)
class Start:
    """A row, and the slot of the kept text from which it goes on (-1: none)."""

    row: RunningSequence
    slot: int

    @property
    def unread(self) -> int:
        """Tokens of the prompt that are to be read."""
        return len(self.row.prompt) - self.row.known


class KeptPrefixes:
    """Texts with their keys and values; those not used for longest make room for others.

    Args:
        most: Most texts.

    Attributes:
        most: As given; it may be raised.
        layers: Keys and values of each layer, a slot for each text.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.layers: list[SlotLayer] = []
        self._slots: dict[Text, int] = {}  # by text; the one not used for longest is first
        self._starts: dict[Text, Text] = {}  # by prompt of this call: where it goes on; () if new
        self._cache: SlotKVCache | None = None  # of the last call
        self._rows: list[RunningSequence] = []  # of that call, as they were read

    def __len__(self) -> int:
        return len(self._slots)

    def begin(self, cache: SlotKVCache, rows: Iterable[RunningSequence]) -> None:
        """Begin a call with a cache: find the texts from which its rows go on; these stay.

        The layers of the cache may be those of the last call, of which `save` was called then.
        """
        self._cache, self._rows = cache, []
        order = sorted(self._slots)
        prompts = dict.fromkeys(tuple(row.prompt) for row in rows)
        self._starts = {prompt: _nearest(prompt, order) for prompt in prompts}
        for text in filter(None, self._starts.values()):
            self._slots[text] = self._slots.pop(text)

    def read(self, rows: Iterable[RunningSequence]) -> tuple[torch.Tensor, list[RunningSequence]]:
        """Read the prompts of rows of this call as far as they are new.

        Returns:
            Logits (B, V) of their first tokens, and the rows in the order in which they now stand
            in the cache.
        """
        assert self._cache is not None
        self.save()
        logits, order = [], list[RunningSequence]()
        for part in self._parts(rows):
            own = [start.row for start in part]
            prompts = [row.prompt for row in own]
            if own[0].known:
                slots, known = [start.slot for start in part], [row.known for row in own]
                logits.append(self._cache.go_on(prompts, self.layers, slots, known))
            else:
                logits.append(self._cache.read(prompts))
            order += own
        self._rows += order
        return torch.cat(logits), order

    def _parts(self, rows: Iterable[RunningSequence]) -> list[list[Start]]:
        """Return rows in parts that are read together: new ones, then those that go on."""
        found: list[Start] = []
        for row in rows:
            prompt = tuple(row.prompt)
            text = self._starts[prompt]
            if text and text not in self._slots:  # it went on since, or made room
                text = self._starts[prompt] = _nearest(prompt, sorted(self._slots))
            row.known = _common(text, prompt)
            found.append(Start(row, self._slots.get(text, -1)))
        found.sort(key=lambda start: (start.row.known > 0, start.unread))
        parts: list[list[Start]] = []
        for start in found:
            if parts and _fit(parts[-1][0], start):
                parts[-1].append(start)
            else:
                parts.append([start])
        return parts

    def save(self) -> None:
        """Keep the rows that have ended since they were read or this was called.

        It is put off until others need their slots: where each conversation has one turn, nobody
        does. All tokens but the last one sampled are in the cache.
        """
        cache = self._cache
        if cache is None or not cache.layers:
            return
        ended = [
            (slot, self._rows[number])
            for slot, number in enumerate(cache.numbers)
            if slot >= cache.running and self._rows[number].finish
        ]
        del cache.numbers[cache.running :]
        if not self.layers:
            slots = min(self.most, cache.layers[0].slots)
            self.layers = [SlotLayer(layer, slots) for layer in cache.layers]
        places: dict[int, int] = {}  # slots in the cache, by slot here
        first, last = [], []
        for place, row in ended:
            text = (*row.prompt, *row.ids[:-1])
            if text in self._slots:
                self._slots[text] = self._slots.pop(text)
                continue
            start = text[: row.known]
            known = row.known if start in self._slots else 0
            slot = self._slots.pop(start) if known else self._room(places)
            if slot is not None:
                self._slots[text], places[slot] = slot, place
                first.append(known)
                last.append(len(text))
        if not places:
            return
        columns, device = slice(min(first), max(last)), self.layers[0].keys.device
        to = torch.tensor([*places], device=device)  # (B,)
        source = torch.tensor([*places.values()], device=device)  # (B,)
        for layer, other in zip(self.layers, cache.layers, strict=True):
            layer.save(to, other, source, columns)

    def _room(self, taken: dict[int, int]) -> int | None:
        """Return a slot for another text; None if each holds one that has ended just now."""
        if len(self) < self.most:
            if len(self) == self.layers[0].slots:
                more = min(self.most, 2 * len(self)) - len(self)
                for layer in self.layers:
                    layer.add_slots(more)
            return len(self)
        oldest = next(iter(self._slots))
        return None if self._slots[oldest] in taken else self._slots.pop(oldest)


def _fit(first: Start, other: Start) -> bool:
    """Return whether rows are read together, as the first of a part and a later one."""
    if first.row.known == 0 or other.row.known == 0:
        return first.row.known == other.row.known
    return other.unread <= max(_LEAST, _PADDING * first.unread)


def _nearest(prompt: Text, texts: Sequence[Text]) -> Text:
    """Return the one of sorted texts with the longest start in common; () if that is short."""
    # Of sorted texts, it is one of the two between which the prompt would stand.
    place = bisect(texts, prompt)
    near = max(
        texts[max(0, place - 1) : place + 1], key=lambda text: _common(text, prompt), default=()
    )
    return near if _common(near, prompt) >= _LEAST else ()


def _common(text: Text, prompt: Text) -> int:
    """Return the length of the common start, of which a prompt's last token is never a part."""
    # The logits after it are those of the reply's first token: it is read in any case.
    low, high = 0, min(len(text), len(prompt) - 1)
    if text[:high] == prompt[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if text[:middle] == prompt[:middle] else (low, middle - 1)
    return low
