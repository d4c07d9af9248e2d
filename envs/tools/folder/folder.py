"""`Folder`: the files of an episode as plain data, packed for the sandbox and read back from it."""

import io
import stat
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, replace

BEGIN = 1_700_000_000  # the time of change of the files that an episode begins with
TICK = 60  # seconds by which each further script's changes are later
MAX_BYTES = 2**19  # of all files together
MAX_ENTRIES = 1000


@dataclass(frozen=True)
class Entry:
    """A file, a folder or a symbolic link.

    Attributes:
        kind: `file`, `folder` or `link`.
        content: Of a file; the target of a link.
        mode: Its permissions.
        time: When it was changed, in seconds; of files that scripts change, a count of scripts.
    """

    kind: str
    content: bytes = b""
    mode: int = 0o644
    time: int = BEGIN


class TooLarge(ValueError):
    """The files are more, or longer, than an episode keeps."""


class Folder:
    """Files by their path relative to the folder; all that changes during an episode.

    A copy is independent, and nothing of it lies on a disk between two scripts.

    Args:
        files: Contents of the first files.
    """

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self.entries: dict[str, Entry] = {}
        for path, text in sorted(files.items()):
            parts = path.split("/")
            for size in range(1, len(parts)):
                self.entries.setdefault("/".join(parts[:size]), Entry("folder", mode=0o755))
            self.entries[path] = Entry("file", text.encode() if isinstance(text, str) else text)
        self.scripts = 0

    def files(self) -> dict[str, bytes]:
        """Return the content of every regular file, by path."""
        return {path: e.content for path, e in self.entries.items() if e.kind == "file"}

    def pack(self) -> bytes:
        """Return a tar archive of all entries."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path, entry in self.entries.items():
                member = tarfile.TarInfo(path)
                member.mode, member.mtime = entry.mode, entry.time
                if entry.kind == "link":
                    member.type = tarfile.SYMTYPE
                    member.linkname = entry.content.decode("utf-8", "surrogateescape")
                elif entry.kind == "folder":
                    member.type = tarfile.DIRTYPE
                else:
                    member.size = len(entry.content)
                archive.addfile(member, io.BytesIO(entry.content))
        return packed.getvalue()

    def unpack(self, packed: bytes) -> None:
        """Take the entries of an archive that a script may have written; other kinds are left out.

        Raises:
            TooLarge: If they are too many or too long; then nothing changes.
            ValueError: If it is no archive; then nothing changes, too.
        """
        try:  # not compressed: a small archive must not become a large one
            with tarfile.open(fileobj=io.BytesIO(packed), mode="r:") as archive:
                entries = _read(archive)
        except (tarfile.TarError, OSError, EOFError, OverflowError) as error:
            raise ValueError(f"not an archive: {error}") from error
        self.scripts += 1
        now = BEGIN + TICK * self.scripts
        for path, entry in entries.items():
            before = self.entries.get(path)
            if before is not None and replace(entry, time=before.time) == before:
                entries[path] = before
            else:  # the clock would differ from run to run
                entries[path] = replace(entry, time=now)
        self.entries = entries


def _read(archive: tarfile.TarFile) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    total = 0
    for member in archive:
        path = member.name.removeprefix("./")
        if path in ("", "."):
            continue
        total += len(path) + max(member.size, 0)
        if len(entries) >= MAX_ENTRIES or total > MAX_BYTES:
            raise TooLarge(f"more than {MAX_ENTRIES} files or {MAX_BYTES // 1024} KiB")
        mode = stat.S_IMODE(member.mode) | 0o600  # so that the next script can go on
        if member.isdir():
            entries[path] = Entry("folder", mode=mode | 0o100)
        elif member.issym():
            target = member.linkname.encode("utf-8", "surrogateescape")
            entries[path] = Entry("link", target, mode)
        elif member.islnk() and member.linkname.removeprefix("./") in entries:
            entries[path] = entries[member.linkname.removeprefix("./")]
        elif member.isreg() and not member.issparse():
            file = archive.extractfile(member)
            entries[path] = Entry("file", file.read() if file else b"", mode)
    return dict(sorted(entries.items()))
