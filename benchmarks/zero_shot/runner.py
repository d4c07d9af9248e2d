"""Run the table: cell after cell, each one line of `results.jsonl`; what is there is kept.

A cell is a world, an agent or rival, and a seed, of data, weights and batches alike: agents of one
seed share their data, so that they can be compared seed by seed.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from zerogym.agents.run_lock import locked
from zerogym.agents.zero_shot.agents import AGENTS
from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.results.results_file import RESULTS, Record, ResultsFile
from zerogym.benchmarks.suites.runner import Progress
from zerogym.benchmarks.zero_shot.cells import score_agent, score_rival
from zerogym.benchmarks.zero_shot.suite import (
    ENTRIES,
    RANDOM_DATA,
    RIVALS,
    WORLDS,
    ZeroShotEntry,
    ZeroShotWorld,
)
from zerogym.errors import UnknownName

Callback = Callable[[Progress], object]
IDENTITY = (  # of a cell; "hold" and "episodes" where these are played, "data" of experts only
    *("kind", "world", "env", "kwargs", "steps", "seed", "agent", "settings"),
    *("hold", "episodes", "data"),
)


class Plan(NamedTuple):
    """The cells of a run.

    Attributes:
        worlds: Rows.
        entries: Agents.
        rivals: Names of `RIVALS`.
        seeds: Number of seeds.
        first_seed: The least of them; those before it are of another run.
    """

    worlds: tuple[ZeroShotWorld, ...] = WORLDS
    entries: tuple[ZeroShotEntry, ...] = ENTRIES
    rivals: tuple[str, ...] = RIVALS
    seeds: int = 10
    first_seed: int = 0

    def only(self, names: Sequence[str]) -> "Plan":
        """Return the part with these worlds and agents; without names of a sort, all of it.

        Raises:
            UnknownName: If a name is neither.
        """
        worlds = {world.name: world for world in self.worlds}
        entries = {entry.name: entry for entry in self.entries}
        for name in names:
            if name not in {*worlds, *entries, *self.rivals}:
                raise UnknownName("world or agent", name, [*worlds, *entries, *self.rivals])
        rows = tuple(world for name, world in worlds.items() if name in names)
        columns = tuple(entry for name, entry in entries.items() if name in names)
        rivals = tuple(name for name in self.rivals if name in names)
        chosen = bool(columns or rivals)
        return self._replace(
            worlds=rows or self.worlds,
            entries=columns if chosen else self.entries,
            rivals=rivals if chosen else self.rivals,
        )

    def cells(self) -> Iterator[tuple[ZeroShotWorld, ZeroShotEntry | str, int]]:
        """Yield the cells; every agent has its first seed before any has its second.

        Agents of discrete actions have no cell where actions are continuous.
        """
        for seed in range(self.first_seed, self.first_seed + self.seeds):
            for world in self.worlds:
                for name in self.rivals:
                    yield world, name, seed
                for entry in self.entries:
                    if not (world.episodes and AGENTS[entry.agent["part"]].discrete):
                        yield world, entry, seed


def run_zero_shot(plan: Plan, out: Path, on_progress: Callback | None = None) -> list[Record]:
    """Fill in the cells that are missing, and return all records.

    A cell counts as present if its settings are those of the plan: after a change of an agent's
    settings its cells are run again.

    Args:
        plan: What to run.
        out: Folder of the results.
        on_progress: Called at each event.

    Raises:
        FolderInUse: If another process writes into `out`.
        KeyboardInterrupt: Passed on; finished cells are kept.
    """
    with locked(out):
        results = ResultsFile(out / RESULTS)
        results.append({"kind": "session", "suite": "zero_shot", **provenance()})
        began = time.monotonic()
        try:
            _run(plan, results, on_progress or (lambda event: None))
        finally:
            results.append({"kind": "end", "seconds": round(time.monotonic() - began, 1)})
        return list(results)


def identity(world: ZeroShotWorld, entry: ZeroShotEntry | str, seed: int) -> Record:
    """Return what identifies a cell, the fields of `IDENTITY`, as JSON values."""
    found: Record = {
        "kind": "cell", "world": world.name, "env": world.env, "kwargs": dict(world.kwargs),
        "steps": world.steps, "seed": seed,
    }  # fmt: skip
    if world.episodes:
        found |= {"hold": world.hold, "episodes": world.episodes}
    if world.data != RANDOM_DATA:
        found["data"] = world.data
    if isinstance(entry, str):
        return {**found, "agent": entry, "settings": None}
    return {**found, "agent": entry.name, "settings": {**entry.agent, "updates": entry.updates}}


def _run(plan: Plan, results: ResultsFile, report: Callback) -> None:
    present = [record for record in results if record.get("kind") == "cell"]
    cells = list(plan.cells())
    began, run = time.monotonic(), 0
    for done, (world, entry, seed) in enumerate(cells):
        cell = identity(world, entry, seed)
        if any(all(record.get(k) == v for k, v in cell.items()) for record in present):
            continue
        title = f"{world.name}, seed {seed}: {cell['agent']}"

        spent = time.monotonic() - began
        left = spent / run * (len(cells) - done) if run else None
        show = partial(_show, report, title, done, len(cells), left)
        show(0, 1)
        if isinstance(entry, str):
            found = score_rival(entry, world, seed)
        else:
            found = score_agent(entry, world, seed, show)
        results.append({**cell, **found})
        run += 1


def _show(
    report: Callback,
    title: str,
    done: int,
    cells: int,
    left: float | None,
    updates: int,
    whole: int,
) -> None:
    report(Progress(done, cells, "zero_shot", f"{title} {updates}/{whole}", None, left))
