"""Where tokens stand when episodes share one row: each prompt once, and the rest of each episode.

Episodes of a group begin alike, and what they begin with is read once for all of them. Only what
comes before the first token of the policy is shared, and only where all of it is equal.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

_FILLED = 0.75  # the shortest of a block has at least this share of the longest one's tokens


@dataclass(frozen=True)
class PackedRow:
    """L tokens of several episodes.

    Attributes:
        ids: (L,).
        positions: Of the tokens in their episodes (L,).
        places: Of each episode, the places of its T tokens in the row (T,), on the CPU.
        blocks: The same of episodes of like length, (B, W) each, with any place behind the end.
        back: Where each token stands if the blocks are put in one line (L,).
    """

    ids: torch.Tensor
    positions: torch.Tensor
    places: list[torch.Tensor]
    blocks: list[torch.Tensor]
    back: torch.Tensor

    @classmethod
    def make(
        cls,
        episodes: Sequence[Sequence[int]],
        prompts: Sequence[int],
        device: torch.device | str = "cpu",
    ) -> "PackedRow":
        """Lay episodes out.

        Args:
            episodes: The tokens of each.
            prompts: How many of them come before the first one of the policy.
            device: Where the tensors lie.
        """
        ids, places = _lay(episodes, prompts)
        positions = torch.empty(len(ids), dtype=torch.long)  # (L,)
        for own in places:
            positions[own] = torch.arange(len(own))
        back = torch.empty_like(positions)  # (L,)
        blocks, begun = [], 0
        for members in _alike([len(own) for own in places]):
            block = torch.zeros(len(members), len(places[members[0]]), dtype=torch.long)  # (B, W)
            for line, index in enumerate(members):
                own = places[index]
                block[line, : len(own)] = own
                back[own] = begun + line * block.shape[1] + torch.arange(len(own))
            blocks.append(block.to(device))
            begun += block.numel()
        own_ids = torch.tensor(ids, device=device)
        return cls(own_ids, positions.to(device), places, blocks, back.to(device))


def _lay(
    episodes: Sequence[Sequence[int]], prompts: Sequence[int]
) -> tuple[list[int], list[torch.Tensor]]:
    """The tokens of the row, and the places of each episode's in it."""
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
    """Episodes of like length, the longest first."""
    members: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if members and lengths[index] < _FILLED * lengths[members[0]]:
            yield members
            members = []
        members.append(index)
    yield members
