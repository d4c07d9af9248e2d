"""Measured returns as data: one JSON file for each world, a line for each task and agent.

    {"world": "Cheetah", "id": ..., "kwargs": {...}, "horizon": 1000,
     "sessions": [{"command": ..., "date": ..., "processor": ..., "packages": {...}, ...}],
     "rows": [
      {"task": "run", "agent": "sac", "steps": 30000, "mean": ..., "low": ..., "high": ...,
       "seeds": [0], "returns": [[...]], "session": 0}]}

Returns are undiscounted sums of an episode's rewards. `seeds` are those of training runs (or of the
random actions), `returns` the episodes of each; the episodes of all agents have the same seeds,
from the session's `first_seed` on. An exact row has neither. What belongs to another version of
the world (its arguments or horizon differ) is refused.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from zerogym.benchmarks.results.estimates import RESAMPLES, Estimate, Returns, interval, mean_draws
from zerogym.benchmarks.results.results_file import write_whole
from zerogym.errors import ZerogymError

SHIPPED = Path(__file__).resolve().parent.parent / "data/control"
LOCAL = Path("results/control")  # below the working directory; where the command writes by default
FOLDERS = (LOCAL, SHIPPED)
DIGITS = 6  # of a return


class NoRecords(ZerogymError, ValueError):
    """A file holds no measurements, or those of another world; the message gives the reason."""


@dataclass(frozen=True)
class Row:
    """The return of one agent in one task.

    Attributes:
        task: Name of the task.
        agent: `random`, `straight_line`, `oracle`, `planner`, `exact`, `sac`, `ppo` or `dqn`.
        steps: Training steps of a learner; 0 for the others.
        mean: Mean return.
        low: Lower end of the 95 % interval; None after a single training run.
        high: Upper end.
        seeds: Of the training runs, or of the random actions; empty for an exact value.
        returns: Returns of the episodes of each.
        session: Which session of the file measured it.
    """

    task: str
    agent: str
    steps: int
    mean: float
    low: float | None
    high: float | None
    seeds: tuple[int, ...] = ()
    returns: tuple[tuple[float, ...], ...] = ()
    session: int = 0

    @property
    def key(self) -> tuple[str, str, int]:
        """A file has one row of each."""
        return self.task, self.agent, self.steps

    @property
    def exact(self) -> bool:
        """True if the value was computed, not sampled."""
        return not self.returns


@dataclass
class Records:
    """All rows of a world, and where they come from.

    Attributes:
        world: Name of the world, as `Cheetah`.
        about: Id, arguments and horizon; rows of others are not comparable.
        sessions: What ran when, with what, on what.
        rows: By their keys.
    """

    world: str
    about: Mapping[str, Any]
    sessions: list[dict[str, Any]] = field(default_factory=list)
    rows: dict[tuple[str, str, int], Row] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Put in a row of the last session, in the place of an older one."""
        self.rows[row.key] = replace(row, session=len(self.sessions) - 1)

    def of_task(self, task: str) -> list[Row]:
        """Its rows."""
        return [row for row in self.rows.values() if row.task == task]


def exact_row(task: str, agent: str, value: float) -> Row:
    """A value without an interval, because nothing was sampled."""
    value = round(value, DIGITS)
    return Row(task, agent, 0, value, value, value)


def sampled_row(
    task: str,
    agent: str,
    steps: int,
    seeds: Sequence[int],
    returns: Sequence[Sequence[float]],
) -> Row:
    """Mean and interval: over the runs of a learner, over the episodes of any other agent."""
    kept = tuple(tuple(round(float(value), DIGITS) for value in run) for run in returns)
    found = estimate(kept, steps > 0)
    low, high = (bound if math.isfinite(bound) else None for bound in (found.low, found.high))
    return Row(task, agent, steps, found.value, low, high, tuple(seeds), kept)


def estimate(returns: Sequence[Sequence[float]], learned: bool) -> Estimate:
    """A bootstrap interval of the mean; NaN bounds for a learner that was trained once."""
    values = [float(np.mean(run)) for run in returns] if learned else list(returns[0])
    value = round(float(np.mean(values)), DIGITS)
    if learned and len(values) == 1:
        return Estimate(value, math.nan, math.nan)
    draws = mean_draws([Returns(tuple(values))], RESAMPLES, np.random.default_rng(0))[0]
    low, high = interval(draws)
    # Where all returns are 0 the draws are a little above it: the value itself is never outside.
    return Estimate(value, min(value, round(low, DIGITS)), max(value, round(high, DIGITS)))


def load(world: str, about: Mapping[str, Any], folder: Path) -> Records:
    """The records of a world in a folder; empty if there are none.

    Raises:
        NoRecords: If the file is damaged or of another version of the world.
    """
    path = file_of(world, folder)
    records = Records(world, dict(about))
    if not path.exists():
        return records
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        stored = {name: found[name] for name in about}
        records.sessions = list(found["sessions"])
        rows = [_read_row(each) for each in found["rows"]]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise NoRecords(f"{path} holds no baselines: {error!r:.200}") from None
    if stored != dict(about):
        raise NoRecords(f"{path} is of {stored}, the world is now {dict(about)}: measure it again")
    records.rows = {row.key: row for row in rows}
    return records


def save(records: Records, folder: Path) -> Path:
    """Write the file of a world, in whole or not at all."""
    head = {"world": records.world, **records.about}
    lines = [json.dumps(head)[:-1] + ","]
    lines += [' "sessions": [', *_lines(records.sessions), " ],"]
    lines += [' "rows": [', *_lines(asdict(row) for row in _sorted(records)), " ]}"]
    path = file_of(records.world, folder)
    write_whole(path, "\n".join(lines) + "\n")
    return path


def merged(world: str, about: Mapping[str, Any], folders: Iterable[Path] = FOLDERS) -> list[Row]:
    """All rows of a world in several folders; the first folder's where two have the same."""
    rows: dict[tuple[str, str, int], Row] = {}
    for folder in folders:
        for key, row in load(world, about, folder).rows.items():
            rows.setdefault(key, row)
    return list(rows.values())


def file_of(world: str, folder: Path) -> Path:
    """Return the path of a world's records."""
    return folder / f"{world}.json"


def _lines(items: Iterable[Mapping[str, Any]]) -> list[str]:
    """One line for each item, so that a change is a readable difference of files."""
    plain = [f"  {json.dumps(item, allow_nan=False)}" for item in items]
    return [line + "," for line in plain[:-1]] + plain[-1:]


def _sorted(records: Records) -> list[Row]:
    """By task, in the order in which tasks came; then the order in which agents came."""
    order = {row.task: place for place, row in reversed(list(enumerate(records.rows.values())))}
    return sorted(records.rows.values(), key=lambda row: order[row.task])


def _read_row(found: Mapping[str, Any]) -> Row:
    row = Row(**found)
    if not math.isfinite(row.mean):
        raise ValueError(f"the mean of {row.key} is {row.mean}")
    returns = tuple(tuple(run) for run in row.returns)
    return replace(row, seeds=tuple(row.seeds), returns=returns)
