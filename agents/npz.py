"""Arrays of npz files whose headers are checked before memory is allocated for them."""

import math
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

MOST_DEFLATED = 1032  # bytes that a byte of a deflate stream stands for at most
# What `zipfile`, `zlib` and the parser of NumPy's headers raise for bytes that they cannot read. A
# member that is encrypted, or packed in an unknown way, is a RuntimeError.
_DAMAGE = (EOFError, BadZipFile, LookupError, TypeError, RuntimeError, TokenError, zlib.error)
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npz(path: Path | str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file by name; nothing is unpickled.

    Raises:
        ValueError: If the file is damaged, or claims larger arrays than it can hold.
        OSError: If it cannot be read.
    """
    try:
        with ZipFile(path) as archive:
            for member in archive.infolist():
                _check_size(archive, member)
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except _DAMAGE as error:
        raise ValueError(f"it is no npz file: {error}") from None


def _check_size(archive: ZipFile, member: ZipInfo) -> None:
    """Refuse a member whose array is not of the size that the archive has for it."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        shape, _, dtype = _HEADERS[version](file)
        claimed = math.prod(shape) * dtype.itemsize + file.tell()
    most = min(member.file_size, member.compress_size * MOST_DEFLATED)
    if claimed > most:
        raise ValueError(f"{member.filename} claims {claimed:,} bytes, the file can hold {most:,}")
