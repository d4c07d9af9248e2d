"""The folder of a run of `zerogym bench`, read strictly: what is damaged or foreign is named.

`ResultsFile` is lenient, because the next start of the run replaces what is torn. Whoever draws
conclusions from a run reads it here.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from zerogym.agents.checksums import check_regular
from zerogym.benchmarks.results.results_file import RESULTS, Record
from zerogym.errors import ZerogymError

SHOWN = 4  # files of a foreign folder that a message names


class NotARun(ZerogymError, ValueError):
    """A folder holds no readable run of a suite; the message names the folder and the reason."""


@dataclass(frozen=True)
class Run:
    """A run of a suite.

    Attributes:
        folder: As it was given.
        sessions: A record for each start, at least one.
        cells: The last record of each world and agent, of kind `cell` or `error`.
    """

    folder: Path
    sessions: tuple[Record, ...]
    cells: dict[tuple[str, str], Record]

    @property
    def session(self) -> Record:
        """The last start."""
        return self.sessions[-1]

    @property
    def tasks(self) -> dict[str, Record | None]:
        """Settings of each task, as its last session recorded them; None in runs of before that."""
        recorded: dict[str, Record | None] = {}
        for session in self.sessions:
            recorded |= session.get("tasks", {})
        return {task: None for task, _ in self.cells} | recorded

    @property
    def ends(self) -> tuple[str, str]:
        """The agents that are 0 and 1 of the scale."""
        floor, ceiling = self.session.get("ends", ("random", "oracle"))
        return floor, ceiling


def read_run(folder: Path) -> Run:
    """Read the run in a folder.

    Raises:
        NotARun: If there is no such folder, it holds something else, or a line cannot be read.
    """
    path = folder / RESULTS
    if not folder.is_dir():
        raise NotARun(f"{folder} is no folder of a run: there is no such folder")
    if not path.is_file():
        names = sorted(each.name for each in folder.iterdir())
        holds = ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
        raise NotARun(
            f"{folder} is no run of `zerogym bench`: it holds {holds or 'nothing'}, no {RESULTS}"
        )
    records = _records(path)
    sessions = tuple(record for record in records if record.get("kind") == "session")
    try:
        cells = {
            (r["world"], r["contender"]): r for r in records if r.get("kind") in ("cell", "error")
        }
    except KeyError as error:
        raise NotARun(f"{path}: a cell has no {error}") from None
    if not sessions:
        raise NotARun(f"{path} is no file of `zerogym bench`: no line says which suite was run")
    if not cells:
        suite = sessions[-1].get("suite")
        raise NotARun(f"{folder} holds no cell of a world and an agent: its suite is {suite!r}")
    return Run(folder, sessions, cells)


def _records(path: Path) -> list[Record]:
    """Return all lines.

    Raises:
        NotARun: If one cannot be read.
    """
    check_regular(path)
    records = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise NotARun(
                f"{path}: line {number} is torn; the command of the run, given again, replaces it"
            )
        records.append(record)
    return records
