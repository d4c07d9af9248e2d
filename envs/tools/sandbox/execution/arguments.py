"""Checks of what a caller passes to a sandbox, and its conversion to bytes."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import get_args

from zerogym.envs.tools.sandbox.execution.folders import check_name
from zerogym.envs.tools.sandbox.limits import MIB, Limits
from zerogym.envs.tools.sandbox.result import Level
from zerogym.errors import UnknownName

# The standard library only, no caches, and nothing printed is lost when time is up.
PYTHON_FLAGS = ("-s", "-S", "-B", "-u", "-X", "utf8")
MAX_ARGUMENTS = 100_000  # bytes of a command; the kernel takes a little more
_BLOCK = 4096  # bytes that the smallest file takes


def check_level(level: Level) -> Level:
    """Return the level, if there is one of this name; raises `UnknownName`."""
    if level not in get_args(Level):
        raise UnknownName("level of the sandbox", level, list(get_args(Level)))
    return level


def check_one(argv: Sequence[str] | None, python: str | None, shell: str | None) -> None:
    """Check that there is one thing to run."""
    if sum(source is not None for source in (argv, python, shell)) != 1:
        raise ValueError("give exactly one of argv, python and shell")


def as_bytes(text: str | bytes) -> bytes:
    """Encode text as UTF-8, lone surrogates included: a program gets what its author wrote."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def add_source(files: dict[str, bytes], name: str, source: str) -> str:
    """Add a source to the files of a call, and return its name."""
    if name in files:
        raise ValueError(f"{name} is the source itself: no other file can have this name")
    files[name] = as_bytes(source)
    return name


def check_command(argv: Sequence[str]) -> list[str]:
    """Return a command as a list, if the kernel takes it."""
    if isinstance(argv, str) or not argv:
        raise ValueError("argv is a list with at least one word")
    if any("\0" in word for word in argv):
        raise ValueError("no word of a command holds a NUL")
    if sum(len(os.fsencode(word)) for word in argv) > MAX_ARGUMENTS:
        raise ValueError(f"a command has at most {MAX_ARGUMENTS} bytes; use files or stdin")
    return list(argv)


def check_files(files: Mapping[str, bytes], collect: Iterable[str], limits: Limits) -> None:
    """Check that names stay inside their folder, and that the program's own files have room.

    What is wrong with them would otherwise look like a failure of the sandbox.
    """
    for name in (*files, *collect):
        check_name(name)
    for folder in {str(folder) for name in files for folder in PurePosixPath(name).parents}:
        if folder in files:
            raise ValueError(f"{folder[:80]!r} is a file and a folder")
    total = sum(-(-len(content) // _BLOCK) * _BLOCK for content in files.values())
    if total > limits.disk_mib * MIB // 2 or len(files) > limits.files // 2:
        raise ValueError(f"{len(files)} files with {total} bytes need half of the disk")
