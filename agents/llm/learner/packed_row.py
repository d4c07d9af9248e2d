"""The layout of episodes that share one row: each prompt once, and the rest of each episode.

Episodes of a group begin alike, and what they begin with is read once for all of them. Only what
comes before the first token of the policy is shared, and only where all of it is equal. A row may
be filled up with tokens that nothing depends on, so that its length is often the same.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch.nn.utils.rnn import pad_sequence

_FILLED = 0.75  # the shortest of a block has at least this share of the longest one's tokens


@dataclass(frozen=True)
class Block:
    """B texts of like length, read side by side in W columns.

    Attributes:
        rows: B.
        width: W.
        first: The first column with queries; the columns before are queries of a block of prompts,
            where each stands once.
    """

    rows: int
    width: int
    first: int

    @property
    def key_count(self) -> int:
        """Tokens: B * W."""
        return self.rows * self.width

    @property
    def query_count(self) -> int:
        """Tokens from `first` on."""
        return self.rows * (self.width - self.first)


@dataclass(frozen=True)
class PackedRow:
    """L tokens of several episodes, those that fill it up included.

    Attributes:
        ids: (L,).
        positions: Of the tokens in their episodes (L,).
        places: Of each episode, the places of its T tokens in the row (T,), on the CPU.
        blocks: Prompts, then episodes.
        keys: Places in the row of the tokens of all blocks, one line after another, with any place
            behind the end of a text (M,).
        queries: Those of them that stand in a column from `first` on (A,).
        back: The place of each token of the row in `queries` (L,).
    """

    ids: torch.Tensor
    positions: torch.Tensor
    places: list[torch.Tensor]
    blocks: list[Block]
    keys: torch.Tensor
    queries: torch.Tensor
    back: torch.Tensor

    @classmethod
    def make(
        cls,
        episodes: Sequence[Sequence[int]],
        prompts: Sequence[int],
        device: torch.device | str = "cpu",
        length: Callable[[int], int] = int,
    ) -> "PackedRow":
        """Lay episodes out.

        Args:
            episodes: The tokens of each.
            prompts: The number of tokens of each before the policy's first.
            device: The device of the tensors.
            length: The length of a row for so many tokens, at least their number.
        """
        ids, places = _lay(episodes, prompts)
        ids += [0] * (length(len(ids)) - len(ids))
        positions = torch.zeros(len(ids), dtype=torch.long)  # (L,)
        for own in places:
            positions[own] = torch.arange(len(own))
        shared = {int(own[0]): own[:count] for own, count in zip(places, prompts, strict=True)}
        lines = _Lines(len(ids))
        lines.add(list(shared.values()), [0] * len(shared))
        lines.add(places, prompts)
        given = torch.tensor(ids), positions, torch.cat(lines.keys), torch.cat(lines.queries)
        own_ids, positions, keys, queries = (part.to(device) for part in given)
        return cls(own_ids, positions, places, lines.blocks, keys, queries, lines.back.to(device))


class _Lines:
    """Blocks of a row of so many tokens, while they are made."""

    def __init__(self, tokens: int) -> None:
        self.blocks: list[Block] = []
        self.keys: list[torch.Tensor] = []
        self.queries: list[torch.Tensor] = []
        self.back = torch.zeros(tokens, dtype=torch.long)

    def add(self, texts: Sequence[torch.Tensor], known: Sequence[int]) -> None:
        """Add texts (T,), of which so many first tokens are queries of another block."""
        for members in _alike([len(own) for own in texts]):
            self._stack([texts[index] for index in members], [known[index] for index in members])

    def _stack(self, texts: list[torch.Tensor], known: Sequence[int]) -> None:
        lines = pad_sequence(texts, batch_first=True)  # (B, W)
        block = Block(len(texts), lines.shape[1], min(known))
        start = sum(map(len, self.queries)) - block.first
        for own, count in zip(texts, known, strict=True):
            self.back[own[count:]] = torch.arange(start + count, start + len(own))
            start += block.width - block.first
        self.blocks.append(block)
        self.keys.append(lines.flatten())
        self.queries.append(lines[:, block.first :].flatten())


def _lay(
    episodes: Sequence[Sequence[int]], prompts: Sequence[int]
) -> tuple[list[int], list[torch.Tensor]]:
    """Return the tokens of the row, and the places of each episode's tokens in it."""
    ids: list[int] = []
    places = []
    starts: dict[tuple[int, ...], int] = {}
    for episode, count in zip(episodes, prompts, strict=True):
        prompt, rest = tuple(episode[:count]), episode[count:]
        if prompt not in starts:
            starts[prompt] = len(ids)
            ids += prompt
        start, end = starts[prompt], len(ids)
        places.append(torch.tensor([*range(start, start + count), *range(end, end + len(rest))]))
        ids += rest
    return ids, places


def _alike(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield groups of episodes of like length, the longest first."""
    members: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if members and lengths[index] < _FILLED * lengths[members[0]]:
            yield members
            members = []
        members.append(index)
    yield members
