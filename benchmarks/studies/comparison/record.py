"""The JSON file of a study: settings, versions, hardware, and a row for each finished run."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zerogym.benchmarks.studies.comparison.study import RIVAL, Cell, Study

KEYS = (
    "study", "title", "notes", "baseline", "tasks", "variants", "seeds", "rival", "settings",
    "sessions", "errors",
)  # fmt: skip


def opened(study: Study, path: Path) -> dict[str, Any]:
    """Return the record in a file, with what the study says now; a new one if there is no file.

    Raises:
        ValueError: If the file is no record, or has runs with other settings.
    """
    settings = {f"{cell.task}/{cell.variant}": study.settings(cell) for cell in study.cells}
    now = {
        "study": study.name, "title": study.title or study.name, "notes": study.notes,
        "baseline": study.baseline, "tasks": study.tasks, "variants": study.variants,
        "seeds": sorted({cell.seed for cell in study.cells}), "rival": study.rival,
        "settings": settings, "sessions": [], "errors": [], "cells": [],
    }  # fmt: skip
    if not path.exists():
        return now
    kept = read(path)
    for name in sorted({f"{row['task']}/{row['variant']}" for row in kept["cells"]}):
        before = kept["settings"].get(name, {})
        after = settings.setdefault(name, before)  # a variant that was dropped keeps its runs
        if differ := [k for k in {**before, **after} if before.get(k) != after.get(k)]:
            raise ValueError(
                f"{path} has runs of {name} with other settings ({', '.join(differ)}): remove the "
                "file, or choose another folder"
            )
    return now | {"sessions": kept["sessions"], "cells": kept["cells"]}


def read(path: Path) -> dict[str, Any]:
    """Read what `run` wrote.

    Raises:
        ValueError: If the file is no record of a study.
    """
    try:
        record = json.loads(path.read_text("utf-8"))
        for name in KEYS:
            record[name]
        for row in record["cells"]:
            Cell(row["task"], row["variant"], row["seed"])
            row["before"]["reward"] + row["after"]["reward"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ValueError(f"{path} is no record of a study: {error!r:.100}") from None
    return dict(record)


def sort_cells(record: dict[str, Any]) -> None:
    """Sort the rows by seed, task and variant, in whatever order the runs ended."""
    tasks, variants = record["tasks"], [*record["variants"], RIVAL]

    def place(row: Mapping[str, Any]) -> tuple[Any, ...]:
        known = row["task"] in tasks and row["variant"] in variants
        order = (tasks.index(row["task"]), variants.index(row["variant"])) if known else (0, 0)
        return not known, row["seed"], *order, row["task"], row["variant"]

    record["cells"].sort(key=place)


def missing(record: Mapping[str, Any]) -> list[Cell]:
    """Return the runs of the study that are not in the record."""
    found = {Cell(row["task"], row["variant"], row["seed"]) for row in record["cells"]}
    rows = [*record["variants"], *([RIVAL] if record["rival"] else [])]
    every = (Cell(t, v, s) for t in record["tasks"] for v in rows for s in record["seeds"])
    return [cell for cell in every if cell not in found]


def record_text(record: Mapping[str, Any]) -> str:
    """Return the JSON text, with a line for each run and for each settings, for readable diffs."""

    def lines(value: Any) -> str:
        if isinstance(value, dict) and value:
            inside = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            return f"{{\n{inside}\n }}"
        if isinstance(value, list) and any(isinstance(each, dict) for each in value):
            return "[\n" + ",\n".join(f"  {json.dumps(each)}" for each in value) + "\n ]"
        return json.dumps(value)

    return "{\n" + ",\n".join(f" {json.dumps(k)}: {lines(v)}" for k, v in record.items()) + "\n}\n"
