"""Keys and values of one layer in slots: rows of any length side by side.

`slot_cache.py` has the cache of all layers, `kept_prefixes.py` the texts that are kept from one
call to the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from transformers.cache_utils import DynamicLayer

_MORE = 32  # least columns that are added where there are too few; all are zeroed in every call


@dataclass
class Ends:
    """The places of the next T tokens of a batch's rows.

    Attributes:
        places: Places in the flattened slots of H heads of W columns, (B * H * T,) for each H that
            a layer has.
        width: The columns that any row needs, the new ones included.
        first: The slot of the first row.
    """

    places: dict[int, torch.Tensor]
    width: int
    first: int = 0

    def at(self, places: Sequence[torch.Tensor]) -> "Ends":
        """Return the same with other tensors, in the same order."""
        return replace(self, places=dict(zip(self.places, places, strict=True)))


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

    def load(self, first: int, other: "SlotLayer", rows: torch.Tensor, columns: int) -> None:
        """Write the first columns of these slots of another layer into those from `first` on."""
        self.widen(columns)
        for own, part in ((self.keys, other.keys), (self.values, other.values)):
            place = own[first : first + len(rows), :, :columns]
            torch.index_select(part[:, :, :columns], 0, rows, out=place)  # without a copy between

    @property
    def slots(self) -> int:
        """The number of slots S."""
        return len(self.keys)

    @property
    def columns(self) -> int:
        """The number of columns W."""
        return self.keys.shape[2]

    def widen(self, columns: int) -> None:
        """Allocate at least so many columns."""
        if columns > self.columns:
            more = columns - self.columns + max(_MORE, columns // 2)
            # zeros, because masked entries must still be numbers
            self.keys = _padded(self.keys, more)
            self.values = _padded(self.values, more)

    def add_slots(self, slots: int) -> None:
        """Allocate so many more slots."""
        self.keys, self.values = (
            torch.cat([part, part.new_zeros(slots, *part.shape[1:])])
            for part in (self.keys, self.values)
        )

    def spread(self, first: int, places: torch.Tensor, columns: int) -> None:
        """Copy slots from `first` on, so that each is what was at its place among them."""
        for part in (self.keys, self.values):
            rows = part[first:, :, :columns]
            rows[: len(places)] = rows.index_select(0, places)

    def save(
        self, slots: torch.Tensor, other: "SlotLayer", rows: torch.Tensor, columns: slice
    ) -> None:
        """Write columns of these slots of another layer into slots of this one."""
        self.widen(columns.stop)
        for own, part in ((self.keys, other.keys), (self.values, other.values)):
            own[:, :, columns].index_copy_(0, slots, part[:, :, columns].index_select(0, rows))

    def move(
        self, source: torch.Tensor, target: torch.Tensor, width: int, swap: bool = False
    ) -> None:
        """Copy rows to other slots, whose rows come to theirs if they are to swap."""
        for part in (self.keys, self.values):
            before = part[target, :, :width] if swap else None
            part[target, :, :width] = part[source, :, :width]
            if before is not None:
                part[source, :, :width] = before

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write tokens of each row (B, H, T, D); keys and values of all columns (B, H, W, D)."""
        assert self.ends is not None
        rows = slice(self.ends.first, self.ends.first + len(key_states))
        for part, new in ((self.keys, key_states), (self.values, value_states)):
            places = self.ends.places[part.shape[1]]
            part.flatten(0, 2).index_copy_(0, places, new.flatten(0, 2))
        width = self.ends.width
        return self.keys[rows, :, :width], self.values[rows, :, :width]


def _padded(part: torch.Tensor, columns: int) -> torch.Tensor:
    """Return a tensor (S, H, W, D) with so many more columns."""
    if part.shape[2] == 0:  # memory that nobody has written yet is zero, and costs nothing
        return part.new_zeros(*part.shape[:2], columns, part.shape[3])
    return torch.nn.functional.pad(part, (0, 0, 0, columns))
