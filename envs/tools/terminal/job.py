"""A job in a folder: files, instructions, the expert's scripts, and checks of the end."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from zerogym.envs.tools.folder.bash import LIMITS
from zerogym.envs.tools.folder.folder import MAX_BYTES, Folder
from zerogym.envs.tools.interpreters.execution import run_or_again, shared_sandbox
from zerogym.envs.tools.sandbox.result import Level

# The file is the model's: it is opened in the sandbox only.
_ROWS = """\
import json, sqlite3
rows = sqlite3.connect("given.db").execute("SELECT * FROM orders ORDER BY id").fetchmany(2000)
print(json.dumps(rows))
"""


@dataclass(frozen=True)
class Check:
    """A condition on the files at the end.

    Attributes:
        path: The file or folder that it is about.
        kind: `text` (a file with this content), `gone` (nothing is there), `gzip` (a compressed
            file with this content), `tar` (an archive with these files and no others), or `rows`
            (a database whose table `orders` has these rows).
        value: The content, the contents by path, or the rows.
    """

    path: str
    kind: Literal["text", "gone", "gzip", "tar", "rows"]
    value: Any = None

    def holds(self, folder: Folder, level: Level) -> bool:
        """Return whether the files fulfil it, in bounded time whatever they are."""
        if self.kind == "gone":
            return self.path not in folder.entries
        content = folder.files().get(self.path)
        if content is None:
            return False
        if self.kind == "text":
            return content == self.value.encode()
        if self.kind == "gzip":
            return _decompressed(content) == self.value.encode()
        if self.kind == "tar":
            return _archived(content) == {p: t.encode() for p, t in self.value.items()}
        return _rows(content, level) == self.value


@dataclass(frozen=True)
class Job:
    """A problem.

    Attributes:
        category: The kind of job.
        files: Contents by path.
        steps: Instructions, one for each script.
        scripts: The expert's.
        checks: All of them must hold at the end.
    """

    category: str
    files: Mapping[str, str | bytes]
    steps: tuple[str, ...]
    scripts: tuple[str, ...]
    checks: tuple[Check, ...]

    @property
    def question(self) -> str:
        return "\n".join(f"{number}. {step}" for number, step in enumerate(self.steps, 1))

    def key(self) -> str:
        """Return instructions and files as a text."""
        files = {path: repr(content) for path, content in self.files.items()}
        return json.dumps([self.steps, files])


def _decompressed(content: bytes) -> bytes | None:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        return unpacker.decompress(content, MAX_BYTES)
    except zlib.error:
        return None


def _archived(content: bytes) -> dict[str, bytes] | None:
    inside = Folder({})
    try:
        inside.unpack(content)
    except ValueError:
        return None
    return inside.files()


def _rows(content: bytes, level: Level) -> Any:
    sandbox = shared_sandbox(level)
    result = run_or_again(
        lambda: sandbox.run(python=_ROWS, files={"given.db": content}, limits=LIMITS)
    )
    try:
        return json.loads(result.stdout)
    except (ValueError, RecursionError):
        return None
