"""Checks that runs may be compared: the same tasks with the same settings, of one version.

A run's session records its tasks (`described`). Runs of before that have only the keys of their
cells, fingerprints of the same settings.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.results.run_folder import Run
from zerogym.benchmarks.results.schema import Suite, World
from zerogym.errors import UnknownName, ZerogymError


class RunsDiffer(ZerogymError, ValueError):
    """Runs are of other tasks or versions; the message lists the differences."""


def described(suite: Suite) -> Record:
    """Return what a session records of its suite: the tasks' settings and the ends of the scale."""
    tasks = {world.name: _settings(world) for world in suite.worlds}
    # Arguments that are no JSON are compared by their texts.
    plain = json.loads(json.dumps(tasks, default=repr))
    return {"tasks": plain, "ends": [suite.floor, suite.ceiling]}


def _settings(world: World) -> dict[str, Any]:
    return {
        "env_id": world.env_id,
        "arguments": dict(world.kwargs),
        "variants": {variant.name: dict(variant.kwargs) for variant in world.variants},
        "measure": world.measure,
    }


def check_comparable(runs: Sequence[Run], only: Sequence[str] = ()) -> list[str]:
    """Return the tasks to compare, in the order of the first run.

    Raises:
        RunsDiffer: If tasks or versions differ, in a line that lists how.
        UnknownName: If no run has a task of `only`.
    """
    every = list(dict.fromkeys(task for run in runs for task in run.tasks))
    plain = {_plain(task): task for task in every}
    for name in only:
        if _plain(name) not in plain:
            raise UnknownName("task of these runs", name, every)
    chosen = [plain[_plain(name)] for name in only] or every
    found = [d for run in runs[1:] for d in _differences(runs[0], run, chosen)]
    if found:
        names = " and ".join(dict.fromkeys(str(run.folder) for run in runs))
        raise RunsDiffer(f"{names} cannot be compared: {'; '.join(dict.fromkeys(found))}")
    return [task for task in every if task in chosen]


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


def _differences(first: Run, later: Run, chosen: Sequence[str]) -> Iterator[str]:
    """Yield how two runs differ, in a few words each."""
    versions = [
        ", ".join(dict.fromkeys(str(s.get("zerogym")) for s in run.sessions))
        for run in (first, later)
    ]
    if versions[0] != versions[1]:
        yield f"zerogym {versions[0]} and {versions[1]}"
    for task in chosen:
        here = [task in run.tasks for run in (first, later)]
        if not all(here):
            yield f"{task} only in {(first if here[0] else later).folder}"
            continue
        one, other = first.tasks[task], later.tasks[task]
        if one is not None and other is not None:
            for name in one:
                if one[name] != other.get(name):
                    yield f"{task}: {name} {one[name]} and {other.get(name)}"
        elif any(
            key != _keys(later, task).get(end, key) for end, key in _keys(first, task).items()
        ):
            yield f"{task}: other settings or episodes"


def _keys(run: Run, task: str) -> dict[str, str]:
    """Return the fingerprints of a task's cells, of both ends of the scale."""
    return {end: run.cells[task, end]["key"] for end in run.ends if (task, end) in run.cells}


def notes_on(runs: Sequence[Run]) -> Iterator[str]:
    """Yield what may differ between comparable runs, where it does, a sentence each."""
    for what in ("seed", "commit", "processor", "gpu"):
        values = [str(run.session.get(what) or "none") for run in runs]
        if len(set(values)) > 1:
            unpaired = ", so nothing is paired" if what == "seed" else ""
            yield f"The {what}s differ: {', '.join(values)}{unpaired}."
    packages: list[dict[str, str]] = [run.session.get("packages") or {} for run in runs]
    for name in sorted({name for own in packages for name in own}):
        values = [own.get(name, "none") for own in packages]
        if len(set(values)) > 1:
            yield f"The versions of {name} differ: {', '.join(values)}."
