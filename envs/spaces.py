"""The text space: any string, short enough.

`gymnasium.spaces.Text` rejects blanks and accented letters by default, and under
`AsyncVectorEnv`'s default shared memory every Text observation comes back as a constant string
without an error (Gymnasium 1.2.2 and 1.4.0). `Utf8Text` repairs both: it accepts any `str`, and
registers shared-memory functions of its own (length-prefixed UTF-8).
"""

import multiprocessing as mp
from collections.abc import Iterator, Sequence
from multiprocessing.sharedctypes import SynchronizedArray
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import (
    create_shared_memory,
    read_from_shared_memory,
    write_to_shared_memory,
)

DEFAULT_MAX_LENGTH = 16_384
_HEADER = 4  # bytes that hold the length of the encoded text
_BYTES_PER_CHARACTER = 4  # the most that UTF-8 needs


class Utf8Text(spaces.Text):
    """Strings of at most `max_length` characters, of any kind, the empty one included.

    Args:
        max_length: Most characters an element may have.
        seed: Seed for `sample`.

    Example:
        >>> space = Utf8Text(10)
        >>> "Żółw – 1" in space, "" in space, "x" * 11 in space, 5 in space
        (True, True, False, False)
    """

    SAMPLE_LENGTH: ClassVar[int] = 12

    def __init__(self, max_length: int = DEFAULT_MAX_LENGTH, *, seed: int | None = None) -> None:
        super().__init__(max_length, min_length=0, charset=_SAMPLE_CHARACTERS, seed=seed)

    def contains(self, x: Any) -> bool:
        """Return True for a string of at most `max_length` characters."""
        return isinstance(x, str) and len(x) <= self.max_length

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Return a short random string; masks are not supported."""
        if mask is not None or probability is not None:
            raise ValueError("Utf8Text.sample takes no mask: its elements are any strings")
        size = int(self.np_random.integers(1, min(self.max_length, self.SAMPLE_LENGTH) + 1))
        return "".join(self.np_random.choice(list(_SAMPLE_CHARACTERS), size=size))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Utf8Text) and self.max_length == other.max_length

    def __hash__(self) -> int:
        return hash((Utf8Text, self.max_length))

    def __repr__(self) -> str:
        return f"Utf8Text({self.max_length})"


_SAMPLE_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 +-*/()<>=.,é"


class SharedTexts(Sequence[str]):
    """A live view of the texts in shared memory; a copy of it is a plain tuple of strings.

    `AsyncVectorEnv` reads shared memory once, at construction, and deep-copies the result after
    each step; so what it holds must be read again whenever it is copied.
    """

    def __init__(self, memory: SynchronizedArray, count: int, width: int) -> None:
        self._memory, self._count, self._width = memory, count, width

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return (self[index] for index in range(self._count))

    def __getitem__(self, index: int) -> str:  # type: ignore[override]
        if not 0 <= index < self._count:
            raise IndexError(index)
        row = memoryview(self._memory.get_obj()).cast("B")[index * self._width :]
        length = int.from_bytes(row[:_HEADER], "little")
        return bytes(row[_HEADER : _HEADER + length]).decode("utf-8", "surrogatepass")

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return repr(tuple(self))


def _row_width(space: Utf8Text) -> int:
    return _HEADER + _BYTES_PER_CHARACTER * space.max_length


@create_shared_memory.register(Utf8Text)
def _create(space: Utf8Text, n: int = 1, ctx: ModuleType = mp) -> SynchronizedArray:
    return ctx.Array(np.dtype(np.uint8).char, n * _row_width(space))


@read_from_shared_memory.register(Utf8Text)
def _read(space: Utf8Text, shared_memory: SynchronizedArray, n: int = 1) -> SharedTexts:
    return SharedTexts(shared_memory, n, _row_width(space))


@write_to_shared_memory.register(Utf8Text)
def _write(space: Utf8Text, index: int, value: str, shared_memory: SynchronizedArray) -> None:
    encoded = value.encode("utf-8", "surrogatepass")
    width = _row_width(space)
    if _HEADER + len(encoded) > width:
        raise ValueError(f"an observation of {len(value)} characters does not fit {space}")
    row = memoryview(shared_memory.get_obj()).cast("B")[index * width :]
    row[:_HEADER] = len(encoded).to_bytes(_HEADER, "little")
    row[_HEADER : _HEADER + len(encoded)] = encoded
