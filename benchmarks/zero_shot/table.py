"""The table: for each world and kind of task the score of every column, with intervals over seeds.

A score of a seed is the mean over the tasks of a kind: 0 is the random policy, 1 the optimum, by
exact values over all start states. The number shown is the mean over seeds with its 95 % bootstrap
interval over seeds; tasks are fixed. Policies that do not depend on the seed have no interval.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from zerogym.benchmarks.results.estimates import Estimate
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.statistics.bootstrap import estimate
from zerogym.benchmarks.statistics.run_scores import RunScores, interquartile_mean, mean
from zerogym.benchmarks.zero_shot.runner import IDENTITY, Plan, identity

COLUMNS = ("world", "tasks", "agent", "score", "low", "high", "seeds")


@dataclass(frozen=True)
class Row:
    """A world and a kind of task.

    Attributes:
        world: Name.
        kind: Of the tasks.
        scores: Estimate by column; columns without scores are missing.
        seeds: Number of seeds by column.
    """

    world: str
    kind: str
    scores: dict[str, Estimate]
    seeds: dict[str, int]


def tabulate(plan: Plan, records: Iterable[Record]) -> list[Row]:
    """Return the rows of a plan from its records; the last of equal cells counts."""
    rng = np.random.default_rng(0)
    rows = []
    for (world, kind), columns in seed_means(cells_of(plan, records)).items():
        scores = {name: over_seeds(kind, by_seed, rng) for name, by_seed in columns.items()}
        seeds = {name: len(by_seed) for name, by_seed in columns.items()}
        rows.append(Row(world, kind, scores, seeds))
    order = [world.name for world in plan.worlds]
    return sorted(rows, key=lambda row: order.index(row.world))


def cells_of(plan: Plan, records: Iterable[Record]) -> list[Record]:
    """Return the cells of a plan among records; those of other settings are left out."""
    planned = {_key(identity(*cell)) for cell in plan.cells()}
    cells = (record for record in records if record.get("kind") == "cell")
    return [cell for cell in cells if _key({n: cell[n] for n in IDENTITY if n in cell}) in planned]


def seed_means(cells: Iterable[Record]) -> dict[tuple[str, str], dict[str, dict[int, float]]]:
    """Return the mean over tasks by world and kind of task, column and seed."""
    found: dict[tuple[str, str], dict[str, dict[int, float]]] = {}
    for cell in cells:
        for kind, scores in cell["scores"].items():
            values = [value for value in scores.values() if value is not None]
            columns = found.setdefault((cell["world"], kind), {})
            columns.setdefault(cell["agent"], {})[cell["seed"]] = float(np.mean(values))
    return found


def over_seeds(task: str, by_seed: Mapping[int, float], rng: np.random.Generator) -> Estimate:
    """Return the mean over seeds with its interval."""
    means = np.array([[value] for value in by_seed.values()])  # (runs, 1)
    return estimate(RunScores(means, (task,), tuple(by_seed)), mean, rng)


def over_worlds(rows: Sequence[Mapping[str, Any]], name: str) -> Estimate | None:
    """Return the interquartile mean over worlds and the seeds that all of them have.

    Args:
        rows: One of each world, with `world` and with `scores` by column and seed.
        name: Of the column; without it in one of the rows there is no number.
    """
    own = {row["world"]: row["scores"][name] for row in rows if row["scores"].get(name)}
    seeds = set.intersection(*(set(by_seed) for by_seed in own.values())) if own else set()
    if len(own) < len(rows) or not seeds:
        return None
    ordered = sorted(seeds, key=int)
    scores = {world: [by_seed[seed] for seed in ordered] for world, by_seed in own.items()}
    matrix = RunScores.of(scores, [int(seed) for seed in ordered])
    return estimate(matrix, interquartile_mean, np.random.default_rng(0))


def shown(value: float) -> float:
    """Return a score as pages display it."""
    return round(round(value, 9), 2) + 0.0  # no -0.0


def _key(cell: Record) -> str:
    return json.dumps(cell, sort_keys=True)


def columns_of(plan: Plan) -> list[str]:
    """Return the names of the columns."""
    return [*plan.rivals, *(entry.name for entry in plan.entries)]


def long_rows(rows: Iterable[Row]) -> list[tuple[str | float, ...]]:
    """Return a line for each score, as `COLUMNS`."""
    return [
        (row.world, row.kind, agent, found.value, found.low, found.high, row.seeds[agent])
        for row in rows
        for agent, found in row.scores.items()
    ]


def render(plan: Plan, rows: Iterable[Row]) -> Table:
    """Return the table for the terminal; the best column of a row is bold."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for title in ("world", "tasks", *columns_of(plan)):
        table.add_column(title, justify="left" if title in ("world", "tasks") else "right")
    for row in rows:
        best = max((found.value for found in row.scores.values()), default=0.0)
        cells = []
        for name in columns_of(plan):
            found = row.scores.get(name)
            style = "bold" if found and found.value == best else ""
            cells.append(Text(text_of(found), style))
        table.add_row(row.world, row.kind, *cells)
    return table


def markdown(plan: Plan, rows: Iterable[Row]) -> str:
    """Return the table as Markdown."""
    titles = ["world", "tasks", *columns_of(plan)]
    lines = [f"| {' | '.join(titles)} |", "|---|---|" + "---:|" * (len(titles) - 2)]
    for row in rows:
        cells = [text_of(row.scores.get(name)) for name in columns_of(plan)]
        lines.append(f"| {row.world} | {row.kind} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def text_of(found: Estimate | None) -> str:
    """Return a score with half the width of its interval, where that is not 0."""
    if found is None:
        return "–"
    half = (found.high - found.low) / 2
    return f"{found.value:.2f}" + (f" ±{half:.2f}" if half > 0 else "")
