"""The sandbox's folders for writing, held from outside.

They are file systems in memory that vanish with the call. The launcher holds a descriptor of each,
through which it puts files in before the program runs, counts what is used while it runs, and reads
results when every process is dead: nothing can change under its hands.
"""

import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

NAMES = ("task", "tmp", "dev/shm")
LONGEST = 255  # bytes of a name, without its folders
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def check_name(name: str) -> list[str]:
    """Return the parts of a relative name that stays inside its folder."""
    parts = name.split("/")
    if "\0" in name or len(parts) > 16 or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"a file's name is relative and has no '.' or '..': {name[:80]!r}")
    if any(len(os.fsencode(part)) > LONGEST for part in parts):
        raise ValueError(f"a file's name has at most {LONGEST} bytes: {name[:80]!r}...")
    return parts


@dataclass
class Folders:
    """Descriptors of the folders, `/task` first."""

    descriptors: list[int]

    @classmethod
    def open(cls, pid: int) -> "Folders":
        """Open the folders of the sandbox whose first process is `pid`."""
        folders = cls([])
        try:
            for name in NAMES:
                path = f"/proc/{pid}/root/{name}"
                folders.descriptors.append(os.open(path, _FOLDER | os.O_RDONLY))
        except OSError:
            folders.close()
            raise
        return folders

    def close(self) -> None:
        """Close the descriptors; the folders vanish if their sandbox is gone."""
        while self.descriptors:
            os.close(self.descriptors.pop())

    def used(self) -> tuple[int, int]:
        """Return the bytes and the number of files in all folders together."""
        sizes = [os.statvfs(folder) for folder in self.descriptors]
        used = sum((size.f_blocks - size.f_bfree) * size.f_frsize for size in sizes)
        return used, sum(size.f_files - size.f_ffree for size in sizes)

    def write(self, files: Mapping[str, bytes], owner: int | None) -> None:
        """Put files into `/task`, while nothing runs there; `owner` is their new uid."""
        for name, content in files.items():
            *parents, last = check_name(name)
            folder = os.dup(self.descriptors[0])
            try:
                for part in parents:
                    with suppress(FileExistsError):
                        os.mkdir(part, 0o700, dir_fd=folder)
                        _give(part, folder, owner)
                    folder = _enter(folder, part)
                with suppress(FileNotFoundError):
                    os.unlink(last, dir_fd=folder)  # an older one, or a link in its place
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
                with open(os.open(last, flags, 0o600, dir_fd=folder), "wb") as file:
                    file.write(content)
                _give(last, folder, owner)
            finally:
                os.close(folder)

    def read(self, names: Iterable[str], at_most: int) -> dict[str, bytes]:
        """Return the named files that are regular, readable, and at most so many bytes together."""
        found = {}
        for name in names:
            content = self._read(check_name(name), at_most)
            if content is not None and len(content) <= at_most:
                found[name] = content
                at_most -= len(content)
        return found

    def _read(self, parts: list[str], at_most: int) -> bytes | None:
        *parents, last = parts
        folder = os.dup(self.descriptors[0])
        try:
            for part in parents:
                folder = _enter(folder, part)
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            with open(os.open(last, flags, dir_fd=folder), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return None  # a FIFO or a folder
                return file.read(at_most + 1)
        except OSError:
            return None  # a link, a folder, not there, or made unreadable
        finally:
            os.close(folder)


def _enter(folder: int, name: str) -> int:
    """Return the descriptor of a folder inside, and close that of the outer one."""
    inner = os.open(name, _FOLDER | os.O_RDONLY, dir_fd=folder)
    os.close(folder)
    return inner


def _give(name: str, folder: int, owner: int | None) -> None:
    if owner is not None:
        os.chown(name, owner, owner, dir_fd=folder, follow_symlinks=False)
