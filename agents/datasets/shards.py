"""Shards of columns: safetensors files, read as memory maps.

The format: 8 bytes with the length of a JSON header, the header (name, type, shape and offsets of
each array), then the arrays. Reading is written here because the library copies arrays into memory,
which maps of large datasets avoid, and because it needs neither torch nor safetensors.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.errors import ZerogymError

Columns = dict[str, NDArray[Any]]
_TYPES = {"F64": "<f8", "I64": "<i8", "F32": "<f4", "I16": "<i2", "U8": "|u1", "BOOL": "|b1"}
_LENGTH = 8  # bytes of the length of the header


class NotADataset(ZerogymError, ValueError):
    """The path of a dataset is not one, or is damaged; the message names the reason."""


def write_shard(path: Path, columns: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays of equal length atomically; the same arrays give the same bytes."""
    # Imported here since they need torch and safetensors, which reading does not.
    from safetensors.numpy import save_file

    from zerogym.agents.atomic_files import write_atomically

    arrays = {name: np.ascontiguousarray(array) for name, array in columns.items()}
    write_atomically(path, lambda name: save_file(arrays, name))


def read_shard(path: Path) -> Columns:
    """Return the arrays of a file as read-only memory maps.

    Raises:
        NotADataset: If the file is missing, cut short or something else.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH), "little")
            if length + _LENGTH > size:
                raise ValueError("it is shorter than its header")
            header = json.loads(file.read(length))
        header.pop("__metadata__", None)
        return {name: _map(path, _LENGTH + length, size, kind) for name, kind in header.items()}
    except OSError as error:
        raise NotADataset(f"{path.parent} has no readable {path.name}: {error}") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise NotADataset(f"{path} is no shard of a dataset: {error}") from None


def _map(path: Path, base: int, size: int, kind: dict[str, Any]) -> NDArray[Any]:
    dtype, shape = np.dtype(_TYPES[kind["dtype"]]), tuple(kind["shape"])
    start, end = kind["data_offsets"]
    if end - start != dtype.itemsize * int(np.prod(shape)) or not 0 <= start <= end <= size - base:
        raise ValueError(f"the file is {size} bytes and should hold {base + end}")
    if end == start:
        return np.zeros(shape, dtype)  # an empty array cannot be mapped
    return np.memmap(path, dtype, "r", base + start, shape)
