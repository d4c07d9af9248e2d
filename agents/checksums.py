"""Checksums of files, kept in the record that names them, so that changed bytes are found.

Records of before there were checksums have none; their files are read unchecked.
"""

import hashlib
from pathlib import Path


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_file(path: Path, recorded: object) -> None:
    """Compare a file with the checksum in its record; None accepts any.

    Raises:
        ValueError: If it is another.
    """
    if recorded is not None and checksum(path) != recorded:
        raise ValueError(f"{path} has changed since it was written: its checksum is another")
