"""The results file: JSON lines, appended and synced, so that a kill loses at most one line.

Kinds of lines: `session` (one a start: versions, commit, hardware), `cell` (one world, one
agent, all episodes), `error` (a cell that failed, with the reason), `curve`, `end`.
"""

import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from zerogym.agents.checksums import check_regular
from zerogym.errors import writing

Record = dict[str, Any]
RESULTS = "results.jsonl"  # in the folder of a run


class ResultsFile:
    """Append-only JSON lines.

    Args:
        path: The file; its folder is made. A torn last line (a kill while writing) is cut off, so
            that what is appended next begins on a line of its own.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        check_regular(path)
        data = path.read_bytes() if path.exists() else b""
        if data and not data.endswith(b"\n"):
            os.truncate(path, data.rfind(b"\n") + 1)

    def append(self, record: Mapping[str, Any]) -> None:
        """Write one line and wait until it is on the disk."""
        line = json.dumps(without_nan(record), ensure_ascii=True, allow_nan=False)
        with writing(self.path), self.path.open("a", encoding="ascii") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())

    def __iter__(self) -> Iterator[Record]:
        return read_records(self.path)


def read_records(path: Path) -> Iterator[Record]:
    """Yield the readable lines of a results file; none if it does not exist."""
    if not path.exists():
        return
    check_regular(path)
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                record = json.loads(line)
            except (json.JSONDecodeError, RecursionError):
                continue  # a torn line of a killed run
            if isinstance(record, dict):
                yield record


def write_whole(path: Path, text: str) -> None:
    """Write a file under a temporary name and rename it: readers never see half of it."""
    partial = path.with_name(f".{path.name}.part")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        check_regular(path)
        try:
            partial.write_text(text, encoding="utf-8")
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


def without_nan(value: Any) -> Any:
    """Replace NaN and infinity, which JSON lacks, by null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): without_nan(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_nan(item) for item in value]
    return value
