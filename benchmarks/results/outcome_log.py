"""The log of an evaluation with several samples a problem: JSON lines, one a problem.

The first line says what was evaluated; a problem is appended as soon as its last sample is over,
so that a kill loses only those that were not complete.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from zerogym.agents.json_lines import NotALog, read_rows
from zerogym.agents.llm.sampled_problem import SampledProblem
from zerogym.benchmarks.results.results_file import ResultsFile

# Logs of before have no column with a default.
_NAMES = {field.name: field.default is MISSING for field in fields(SampledProblem)}


@dataclass(frozen=True)
class Outcomes:
    """The problems of an evaluation in the order of their seeds, and what it was of.

    Attributes:
        about: The first line: `model`, `env`, `env_kwargs`, `samples`, `sampling`, versions, ...
        problems: Their outcomes.
    """

    about: Mapping[str, Any]
    problems: tuple[SampledProblem, ...]

    @property
    def samples(self) -> int:
        """Samples of each problem."""
        return int(self.about["samples"])


class OutcomeLog:
    """A new log of outcomes.

    Args:
        path: The file; it and its folder are made with the first problem.
        about: Its first line.

    Raises:
        FileExistsError: If there is such a file: one log is of one evaluation.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        if path.exists():
            raise FileExistsError(f"{path} is there already; give the new log another name")
        self._path, self._about = path, about
        self._file: ResultsFile | None = None

    def append(self, problem: SampledProblem) -> None:
        """Write the outcomes of a problem; the first makes the file."""
        if self._file is None:
            self._file = ResultsFile(self._path)
            self._file.append({"kind": "evaluation", **self._about})
        self._file.append(problem.record())


def read_outcomes(path: Path) -> Outcomes:
    """Read a log; half a line at its end is ignored.

    Raises:
        NotALog: If it is something else, or holds no problem.
    """
    head, *rows = read_rows(path) or [{}]
    if head.get("kind") != "evaluation" or not {"env", "samples"} <= set(head):
        raise NotALog(f"{path} is no log of `zerogym eval`")
    try:
        problems = [_problem(row, head["samples"]) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        raise NotALog(f"{path} holds a problem that cannot be read: {error}") from None
    if not problems:
        raise NotALog(f"{path} holds no problem: its evaluation ended before the first")
    about = {name: value for name, value in head.items() if name != "kind"}
    return Outcomes(about, tuple(sorted(problems, key=lambda each: each.seed)))


def _problem(row: Mapping[str, Any], samples: int) -> SampledProblem:
    values = {name: row[name] for name, needed in _NAMES.items() if needed or name in row}
    listed = {name: tuple(each) for name, each in values.items() if isinstance(each, list)}
    if lengths := [len(each) for each in listed.values() if len(each) != samples]:
        raise ValueError(f"seed {row['seed']} has {lengths[0]} samples instead of {samples}")
    return SampledProblem(**values | listed)
