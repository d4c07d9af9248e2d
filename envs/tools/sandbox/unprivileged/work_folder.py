"""A temporary folder on the host's disk, for a call without file systems of its own.

What a program leaves there is hostile: folders nested by the thousand, folders that cannot be read,
a million files, links to elsewhere. It is counted while it grows, and removed when every process is
dead: by descriptors, through no link, and in a time that grows with its entries only.
"""

import os
import secrets
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass

from zerogym.envs.tools.sandbox.execution.folders import Folders

NAMES = ("task", "tmp")
DEEPEST = 64  # folders in folders: deeper ones count as a passed limit
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass
class _Tally:
    """Bytes and files counted so far, and where counting may end."""

    most_bytes: int
    most_files: int
    used: int = 0
    files: int = 0

    @property
    def over(self) -> bool:
        return self.used > self.most_bytes or self.files > self.most_files


class WorkFolder(Folders):
    """`task` and `tmp` in a folder that is made now and removed by `close`.

    Args:
        owner: The uid that they are given to, where the launcher is root.
    """

    def __init__(self, owner: int | None) -> None:
        super().__init__([])
        self.path = os.path.realpath(tempfile.mkdtemp(prefix="zerogym-"))
        try:
            if owner is not None:
                os.chmod(self.path, 0o711)  # the owner of what is in it has to pass
            for path in self.paths:
                os.mkdir(path, 0o700)
                self.descriptors.append(os.open(path, _FOLDER))
                if owner is not None:
                    os.chown(path, owner, owner, follow_symlinks=False)
        except BaseException:
            self.close()
            raise

    @property
    def paths(self) -> list[str]:
        """The paths of the folders, `task` first."""
        return [f"{self.path}/{name}" for name in NAMES]

    def close(self) -> None:
        """Remove everything. No process that can write here may be left."""
        if not self.descriptors:
            return
        for descriptor in self.descriptors:
            _empty(descriptor)
        super().close()
        for path in (*self.paths, self.path):
            os.rmdir(path)

    def count(self, most_bytes: int, most_files: int) -> tuple[int, int]:
        """Count bytes on the disk, and files and folders; ends early once there are too many.

        A folder deeper than `DEEPEST` counts as too many files.
        """
        tally = _Tally(most_bytes, most_files)
        for descriptor in self.descriptors:
            _add(descriptor, 1, tally)
        return tally.used, tally.files


def _add(folder: int, depth: int, tally: _Tally) -> None:
    """Count what lies in a folder, while others write there."""
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):  # gone since
                found = entry.stat(follow_symlinks=False)
                tally.files += 1
                tally.used += found.st_blocks * 512
                if stat.S_ISDIR(found.st_mode):
                    if depth == DEEPEST:
                        tally.files = tally.most_files + 1
                        return
                    inner = _enter_anyway(entry.name, folder)
                    try:
                        _add(inner, depth + 1, tally)
                    finally:
                        os.close(inner)
            if tally.over:
                return


def _empty(top: int) -> None:
    """Remove all that lies in a folder, where nobody else writes any more.

    Folders are first moved to the top: then depth costs neither recursion nor descriptors.
    """
    unique, number = secrets.token_hex(8), 0
    waiting = [""]
    while waiting:
        name = waiting.pop()
        folder = _enter_anyway(name or ".", top)
        try:
            os.fchmod(folder, 0o700)
            with os.scandir(folder) as entries:
                found = list(entries)
            for entry in found:
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.name, dir_fd=folder)
                    continue
                try:
                    os.rmdir(entry.name, dir_fd=folder)
                except OSError:  # it is not empty
                    number += 1
                    waiting.append(f"{unique}-{number}")
                    inner = _enter_anyway(entry.name, folder)
                    os.fchmod(inner, 0o700)  # to be moved it has to be writable
                    os.close(inner)
                    os.rename(entry.name, waiting[-1], src_dir_fd=folder, dst_dir_fd=top)
        finally:
            os.close(folder)
        if name:
            os.rmdir(name, dir_fd=top)


def _enter_anyway(name: str, outer: int) -> int:
    """Return a descriptor of a folder, which is made readable if it is not."""
    try:
        return os.open(name, _FOLDER, dir_fd=outer)
    except PermissionError:
        found = os.open(name, _FOLDER | os.O_PATH, dir_fd=outer)
    try:
        os.chmod(f"/proc/self/fd/{found}", 0o700)
        return os.open(".", _FOLDER, dir_fd=found)
    finally:
        os.close(found)
