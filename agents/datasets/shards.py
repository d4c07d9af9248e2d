"""One file of columns, mapped into memory: the safetensors format, read and written with NumPy.

The format: 8 bytes with the length of a JSON header, the header (name, type, shape and place of
each array), the arrays one after the other. Any safetensors library reads these files. Written
here because reading data should need neither torch nor safetensors, and because a map into memory
keeps a dataset of any size out of it.
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
_NAMES = {text: name for name, text in _TYPES.items()}
_LENGTH = 8  # bytes that say how long the header is; the header is padded to a multiple of it


class NotADataset(ZerogymError, ValueError):
    """A path that was given as a dataset is not one, or is damaged; the message says why."""


def write_shard(path: Path, columns: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays of equal length atomically; the same arrays give the same bytes."""
    from zerogym.agents.atomic_files import (
        write_atomically,
    )  # it needs torch, reading does not

    # The widest types first: then every array starts at a multiple of its own width.
    arrays = sorted(columns.items(), key=lambda item: -item[1].dtype.itemsize)
    header, place = {}, 0
    for name, array in arrays:
        end = place + array.nbytes
        kind = {"dtype": _NAMES[array.dtype.str], "shape": array.shape}
        header[name] = kind | {"data_offsets": [place, end]}
        place = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _LENGTH)

    def write(name: Path) -> None:
        with name.open("wb") as file:
            file.write(len(text).to_bytes(_LENGTH, "little") + text)
            for _, array in arrays:
                file.write(np.ascontiguousarray(array).tobytes())

    write_atomically(path, write)


def read_shard(path: Path) -> Columns:
    """The arrays of a file as read-only maps into memory.

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
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise NotADataset(f"{path} is no shard of a dataset: {error}") from None


def _map(path: Path, base: int, size: int, kind: dict[str, Any]) -> NDArray[Any]:
    dtype, shape = np.dtype(_TYPES[kind["dtype"]]), tuple(kind["shape"])
    start, end = kind["data_offsets"]
    if end - start != dtype.itemsize * int(np.prod(shape)) or not 0 <= start <= end <= size - base:
        raise ValueError(f"the file is {size} bytes and should hold {base + end}")
    if end == start:
        return np.zeros(shape, dtype)  # nothing cannot be mapped
    return np.memmap(path, dtype, "r", base + start, shape)
