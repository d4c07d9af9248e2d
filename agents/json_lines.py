"""Logs of JSON lines, whose last line a kill may have torn."""

import json
from pathlib import Path
from typing import Any

from zerogym.agents.checksums import check_regular
from zerogym.errors import ZerogymError


class NotALog(ZerogymError, ValueError):
    """A file is no log of JSON lines; the message names the line."""


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a log; half a line at its end is ignored.

    Raises:
        NotALog: If another line is no JSON object.
    """
    check_regular(path)
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            if number == len(lines):
                break
            raise NotALog(f"{path}, line {number} is damaged: {error}") from None
        if not isinstance(row, dict):
            raise NotALog(f"{path}, line {number} is no JSON object")
        rows.append(row)
    return rows
