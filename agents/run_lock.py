"""One process at a time writes into the folder of a run.

The lock is the kernel's, on a file that the process holds open: it is free again when the process
has ended, also when it was killed. Left out: file systems without such locks, where a run goes on
without one.
"""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from zerogym.errors import ZerogymError

LOCK_FILE = ".lock"
_held: set[int] = set()  # descriptors of this process


class FolderInUse(ZerogymError):
    """Another process writes into the folder of a run; the message names both."""


@contextmanager
def locked(folder: Path, name: str = LOCK_FILE) -> Iterator[None]:
    """Hold the folder of a run while the block lasts; the folder is made.

    Args:
        folder: The folder.
        name: Of the lock's file, for one of several runs in a folder.

    Raises:
        FolderInUse: If another run holds it.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, locked(Path(folder)):
        ...     [file.name for file in Path(folder).iterdir()]
        ['.lock']
    """
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    held = _take(path)
    _held.add(held)
    try:
        yield
    finally:
        if held in _held:  # else this is a forked copy, which holds nothing
            _held.remove(held)
            path.unlink(missing_ok=True)  # while it is held: nobody else can have taken it
            os.close(held)
            if is_new:
                with suppress(OSError):  # a run that failed at once leaves nothing
                    folder.rmdir()


def _take(path: Path) -> int:
    """Return the open file of a lock that is now held."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(file, 200).decode("utf-8", "replace") or "another process"
            os.close(file)
            raise FolderInUse(
                f"{path.parent} is in use by {holder}: wait for it, or choose another folder"
            ) from None
        except OSError:  # no locks here
            return file
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file), os.stat(path)):
                break
        os.close(file)  # its holder removed the file in the meantime
    with suppress(OSError):  # a full disk
        os.ftruncate(file, 0)
        os.write(file, f"process {os.getpid()} on {socket.gethostname()}".encode())
    return file


def _release_copies() -> None:
    """Close the locks in a forked copy, which might outlive the process that holds them."""
    for file in _held:
        os.close(file)
    _held.clear()


os.register_at_fork(after_in_child=_release_copies)
