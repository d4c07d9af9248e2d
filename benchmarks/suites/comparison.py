"""Runs of one suite side by side: the score of each, and its difference from the first.

Scores are those of the report: each run has its own random policy and oracle as the ends of the
scale. Differences have bootstrap intervals over episodes (`results/paired.py`). Left out: runs of
`bench games`, whose scores depend on the field.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zerogym.benchmarks.results.estimates import Estimate, Returns
from zerogym.benchmarks.results.paired import Pair, Scored, pair_up
from zerogym.benchmarks.results.results_file import Record, without_nan
from zerogym.benchmarks.results.run_folder import Run, read_run
from zerogym.benchmarks.results.schema import EXACT
from zerogym.benchmarks.suites.comparable import check_comparable, notes_on
from zerogym.errors import UnknownName, ZerogymError

BOOTSTRAP_SEED = 0
TOTAL = "Total"
PLAIN = (Returns((0.0,), exact=True), Returns((1.0,), exact=True))  # a scale of plain returns


class NothingInCommon(ZerogymError, ValueError):
    """Runs have no agent in common; the message lists those of each."""


@dataclass(frozen=True)
class Difference:
    """A later run minus the first: the value, its 95 % interval, and whether seeds were paired.

    The bounds are NaN where both values are exact.
    """

    estimate: Estimate
    paired: bool


@dataclass(frozen=True)
class Row:
    """One task and agent; or `TOTAL`, the interquartile mean over the tasks that all runs have.

    Attributes:
        task: Its name.
        agents: The agent of each run.
        unit: `score` (0 random, 1 oracle), or `return` where a run lacks an end of the scale.
        values: Of each run; None where the cell is missing or failed.
        episodes: Of each run.
        differences: Of each run after the first; None where a value is missing.
    """

    task: str
    agents: tuple[str, ...]
    unit: str
    values: tuple[Estimate | None, ...]
    episodes: tuple[int, ...]
    differences: tuple[Difference | None, ...]


@dataclass(frozen=True)
class Comparison:
    """Runs side by side.

    Attributes:
        runs: Their folders, as they were given.
        rows: In the order of the first run's tasks, agent by agent.
        notes: What else differs between the runs, a sentence each.
    """

    runs: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON; numbers that do not exist are null."""
        found: dict[str, Any] = without_nan(asdict(self))
        return found


def compare(
    runs: Sequence[Path | str], agents: Sequence[str] = (), only: Sequence[str] = ()
) -> Comparison:
    """Compare runs of `zerogym bench quick`, or of another suite of `run_suite`.

    Args:
        runs: Folders, at least two; the first is what the others are compared with. The same folder
            may be given twice, with two `agents`.
        agents: The agent of each run, in order; one name is that of all runs; by default all agents
            that the runs have in common.
        only: Names of tasks; by default all, which all runs must have.

    Returns:
        A row for each task and agent, and their totals. A difference is paired where both runs
        played the same seeds.

    Raises:
        NotARun: If a folder holds no readable run.
        RunsDiffer: If tasks or versions differ; the message lists how.
        NothingInCommon: If the runs have no agent in common and `agents` is empty.
        UnknownName: If a run has no such agent, or none such a task.
        ValueError: If there are fewer than two runs, or another number of agents.
    """
    if len(runs) < 2:
        raise ValueError("a comparison needs at least two runs")
    read = [read_run(Path(folder)) for folder in runs]
    tasks = check_comparable(read, only)
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    rows: list[Row] = []
    for names in _chosen_agents(read, agents):
        blocks = [_block(task, names, read, rng) for task in tasks]
        kept = [block for block in blocks if any(scored is not None for scored in block.scored)]
        rows += [block.row() for block in kept]
        whole = [block for block in kept if block.unit == "score" and block.whole]
        if len(whole) > 1:
            rows.append(_total(names, whole))
    return Comparison(tuple(map(str, runs)), tuple(rows), tuple(notes_on(read)))


def _chosen_agents(runs: Sequence[Run], agents: Sequence[str]) -> list[tuple[str, ...]]:
    """Return for each block of rows the agent of every run."""
    known = [list(dict.fromkeys(agent for _, agent in run.cells)) for run in runs]
    if agents:
        names = tuple(agents) * (len(runs) if len(agents) == 1 else 1)
        if len(names) != len(runs):
            raise ValueError(f"{len(runs)} runs need one agent or {len(runs)}, not {len(agents)}")
        for name, own, run in zip(names, known, runs, strict=True):
            if name not in own:
                raise UnknownName(f"agent in {run.folder}", name, own)
        return [names]
    ends = {end for run in runs for end in run.ends}
    common = [a for a in known[0] if a not in ends and all(a in own for own in known[1:])]
    if not common:
        lists = "; ".join(
            f"{run.folder} has {', '.join(a for a in own if a not in ends) or 'none'}"
            for run, own in zip(runs, known, strict=True)
        )
        raise NothingInCommon(f"the runs have no agent in common: {lists}; name the agent of each")
    return [(agent,) * len(runs) for agent in common]


@dataclass(frozen=True)
class _Block:
    """The parts of a row."""

    task: str
    agents: tuple[str, ...]
    unit: str
    scored: tuple[Scored | None, ...]  # of each run
    pairs: tuple[Pair | None, ...]  # of the first run with each later one

    @property
    def whole(self) -> tuple[Pair, ...]:
        """The pairs, if none is missing."""
        found = tuple(pair for pair in self.pairs if pair is not None)
        return found if len(found) == len(self.pairs) else ()

    def row(self) -> Row:
        alone = [
            None if s is None else pair_up(s, s, np.random.default_rng(BOOTSTRAP_SEED))
            for s in self.scored
        ]
        own = [{} if s is None else s.own for s in self.scored]
        counts = [sum(len(returns.values) for returns in found.values()) for found in own]
        return Row(
            self.task, self.agents, self.unit,
            tuple(None if pair is None else pair.estimate(0) for pair in alone),
            tuple(counts), tuple(map(_difference, self.pairs)),
        )  # fmt: skip


def _block(
    task: str, names: tuple[str, ...], runs: Sequence[Run], rng: np.random.Generator
) -> _Block:
    ends = [[_returns(run.cells.get((task, end))) for end in run.ends] for run in runs]
    unit = "score" if all(end for both in ends for end in both) else "return"
    scored: list[Scored | None] = []
    for run, name, (low, high) in zip(runs, names, ends, strict=True):
        own = _returns(run.cells.get((task, name)))
        if unit == "return":
            low = high = {}
        scale = {n: (low.get(n, PLAIN[0]), high.get(n, PLAIN[1])) for n in own}
        scored.append(Scored(own, scale) if own else None)
    first = scored[0]
    pairs = [None if first is None or s is None else pair_up(first, s, rng) for s in scored[1:]]
    return _Block(task, names, unit, tuple(scored), tuple(pairs))


def _total(names: tuple[str, ...], blocks: Sequence[_Block]) -> Row:
    """Return the row over all tasks that no run lacks."""
    pairs = [Pair.over(pairs) for pairs in zip(*(block.whole for block in blocks), strict=True)]
    values = [pairs[0].estimate(0), *(pair.estimate(1) for pair in pairs)]
    counts = [sum(each) for each in zip(*(block.row().episodes for block in blocks), strict=True)]
    return Row(TOTAL, names, "score", tuple(values), tuple(counts), tuple(map(_difference, pairs)))


def _difference(pair: Pair | None) -> Difference | None:
    return None if pair is None else Difference(pair.difference, pair.paired)


def _returns(record: Record | None) -> dict[str, Returns]:
    """Return the episode returns of a cell by variant; empty without a finished cell."""
    if record is None or record["kind"] != "cell":
        return {}
    exact = any(e["seed"] == EXACT for e in record["episodes"])
    found: dict[str, list[tuple[float, int]]] = {}
    for episode in record["episodes"]:
        if exact == (episode["seed"] == EXACT):  # the others are there to be read
            found.setdefault(episode["variant"], []).append((episode["value"], episode["seed"]))
    return {
        name: Returns(tuple(v for v, _ in items), tuple(s for _, s in items), exact)
        for name, items in found.items()
    }
