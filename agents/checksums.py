"""Checksums of files, kept in the record that names them, so that changed bytes are found.

Records of before there were checksums have none; their files are read unchecked. Folders of runs
and data may be a stranger's, so what has no end (a device, a pipe, or a link to one) is not read.
"""

import errno
import hashlib
import os
from pathlib import Path


def check_regular(path: Path) -> None:
    """Refuse to read or to replace what exists and is no regular file.

    Without it a file that is renamed to `/dev/null` would, for root, take the place of the device.

    Raises:
        OSError: If it is a device, a pipe, a socket or a folder.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no regular file", str(path))


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits.

    Raises:
        OSError: If it cannot be read, or has no end.
    """
    check_regular(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_file(path: Path, recorded: object) -> None:
    """Compare a file with the checksum in its record; None accepts any.

    Raises:
        ValueError: If it is another.
    """
    if recorded is not None and checksum(path) != recorded:
        raise ValueError(f"{path} has changed since it was written: its checksum is another")
