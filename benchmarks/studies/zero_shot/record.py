"""Results of a proof: one JSON file, rewritten after each seed, so that a run can be interrupted.

A cell is a training run in a group (an environment, a kind of data), repeated with each seed; each
seed has scores of the agent and of its baselines.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.results.results_file import write_whole

DIGITS = 4
FIRST_SEED = 10  # settings were chosen on seeds below it

# By agent, by column of the table, by task: a normalised score; None where there is no scale.
Scores = Mapping[str, Mapping[str, Mapping[str, float | None]]]


@dataclass(frozen=True)
class Cell:
    """One of the runs of a proof.

    Attributes:
        group: The environment or kind of data.
        run: The agent trained.
    """

    group: str
    run: str


@dataclass(frozen=True)
class Proof:
    """A measurement as data.

    Attributes:
        name: Of the command and of the file.
        title: Of the table.
        about: The meaning of 0 and 1, and the evaluation, in a few sentences.
        settings: All settings of the numbers, JSON values.
        cells: The runs.
        measure: Returns the scores of a cell for a seed.
        notes: For the page: the choice of settings, and remarks on the numbers.
    """

    name: str
    title: str
    about: str
    settings: Mapping[str, Any]
    cells: tuple[Cell, ...]
    measure: Callable[[Cell, int], Scores]
    notes: str


def run(
    proof: Proof, seeds: int, path: Path, report: Callable[[Cell, int, int, int], object]
) -> dict[str, Any]:
    """Measure what `path` does not hold yet; it is rewritten after each seed of each cell.

    Args:
        proof: The proof.
        seeds: Number of training runs, two or more, seeded from `FIRST_SEED`.
        path: The JSON file.
        report: Called with each cell and seed, the number of those before it and of all.

    Raises:
        ValueError: If the file is of other settings or seeds, or no record.
    """
    record = _opened(proof, seeds, path)
    done = {(Cell(row["group"], row["run"]), row["seed"]) for row in record["cells"]}
    todo = list(product(proof.cells, range(FIRST_SEED, FIRST_SEED + seeds)))
    for number, (cell, seed) in enumerate(todo):
        if (cell, seed) in done:
            continue
        report(cell, seed, number, len(todo))
        scores = {
            who: {column: _rounded(tasks) for column, tasks in columns.items()}
            for who, columns in proof.measure(cell, seed).items()
        }
        record["cells"].append(asdict(cell) | {"seed": seed, "scores": scores})
        write_whole(path, _text(record))
    return record


def read(path: Path) -> dict[str, Any]:
    """Read what `run` wrote.

    Raises:
        ValueError: If the file is no record.
    """
    try:
        record = json.loads(path.read_text("utf-8"))
        for name in ("proof", "settings", "seeds", "provenance"):
            record[name]
        for row in record["cells"]:
            Cell(row["group"], row["run"]), row["seed"], row["scores"].items()
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no record of a proof: {error!r:.100}") from None
    return dict(record)


def _opened(proof: Proof, seeds: int, path: Path) -> dict[str, Any]:
    settings = json.loads(json.dumps(dict(proof.settings)))
    if not path.exists():
        return {
            "proof": proof.name,
            "settings": settings,
            "seeds": seeds,
            "provenance": provenance(),
            "cells": [],
        }
    record = read(path)
    if (record["proof"], record["settings"], record["seeds"]) != (proof.name, settings, seeds):
        raise ValueError(f"{path} is of other settings: remove it, or choose another folder")
    return record


def _rounded(tasks: Mapping[str, float | None]) -> dict[str, float | None]:
    return {
        task: None if value is None or value != value else round(float(value), DIGITS)
        for task, value in tasks.items()
    }


def _text(record: Mapping[str, Any]) -> str:
    """Return the JSON text, with one line for each cell, for readable diffs."""
    head = json.dumps({name: value for name, value in record.items() if name != "cells"}, indent=1)
    rows = ",\n".join(f"  {json.dumps(row, allow_nan=False)}" for row in record["cells"])
    return f'{head[:-2]},\n "cells": [\n{rows}\n ]\n}}\n'
