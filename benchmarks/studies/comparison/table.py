"""The rows of a study's tables: means over training runs, and differences between pairs of runs.

A run is one sample: its score is the mean return of its evaluation. Runs of one seed meet the same
problems, in training and in the evaluation, so that the difference of two variants is taken seed by
seed. Intervals are percentile bootstraps over runs; of five runs they are narrower than 95 % says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.table import Table

from zerogym.benchmarks.results.estimates import RESAMPLES, Estimate, interval
from zerogym.benchmarks.studies.comparison.study import RIVAL, START
from zerogym.benchmarks.studies.zero_shot.table import said

NONE = "–"


@dataclass(frozen=True)
class Line:
    """A row of the table of a task.

    Attributes:
        name: Of the variant, or `START` or `RIVAL`.
        runs: Mean return of each run by its seed.
        mean: Over the runs.
        difference: From the baseline, run by run; None of the baseline itself, and without pairs.
    """

    name: str
    runs: Mapping[int, float]
    mean: Estimate
    difference: Estimate | None


def lines(record: Mapping[str, Any], task: str) -> list[Line]:
    """Return the rows of a task that have runs: the start, the rival, and the variants, best first.

    The start is the model before the runs of the baseline.
    """
    found: dict[str, dict[int, float]] = {}
    for row in record["cells"]:
        if row["task"] == task and row["seed"] in record["seeds"]:
            found.setdefault(row["variant"], {})[row["seed"]] = row["after"]["reward"]
            if row["variant"] == record["baseline"]:
                found.setdefault(START, {})[row["seed"]] = row["before"]["reward"]
    base = found.get(record["baseline"], {})
    variants = [name for name in record["variants"] if name in found]
    variants.sort(key=lambda name: -np.mean(list(found[name].values())))
    rivals = [START, *([RIVAL] if record["rival"] else [])]
    order = [name for name in [*rivals, *variants] if name in found]
    return [_line(name, found[name], base) for name in order]


def _line(name: str, runs: Mapping[int, float], base: Mapping[int, float]) -> Line:
    pairs = [value - base[seed] for seed, value in runs.items() if seed in base]
    difference = mean_over(pairs) if pairs and runs is not base else None
    return Line(name, runs, mean_over(list(runs.values())), difference)


def mean_over(values: Sequence[float]) -> Estimate:
    """Return the mean over runs with its interval, which has no ends for a single run."""
    runs = np.array(values, np.float64)  # (n,)
    if len(runs) == 1:
        return Estimate(float(runs[0]), np.nan, np.nan)
    rng = np.random.default_rng(0)
    draws = runs[rng.integers(len(runs), size=(RESAMPLES, len(runs)))].mean(axis=1)
    return Estimate(float(runs.mean()), *interval(draws))


def signed(estimate: Estimate | None) -> str:
    """Format a difference as `+0.04 (-0.01…+0.09)`."""
    if estimate is None:
        return NONE
    text = f"{estimate.value:+.2f}"
    return text if np.isnan(estimate.low) else f"{text} ({estimate.low:+.2f}…{estimate.high:+.2f})"


def in_markdown(record: Mapping[str, Any], task: str) -> str:
    """Return the table of a task in Markdown; bold differences have an interval without 0."""
    base, rows = record["baseline"], lines(record, task)
    if not rows:
        return f"No run of {task} has ended yet.\n"
    text = f"| {task} | mean return | less that of {base} | runs |\n|---|---:|---:|---:|\n"
    for line in rows:
        name = f"*{line.name}*" if line.name in (START, RIVAL) else f"`{line.name}`"
        shown = signed(line.difference)
        if line.difference is not None and line.difference.low * line.difference.high > 0:
            shown = f"**{shown}**"
        text += f"| {name} | {said(line.mean)} | {shown} | {len(line.runs)} |\n"
    return text


def in_terminal(record: Mapping[str, Any], task: str) -> Table:
    """Return the table of a task for the terminal."""
    table = Table(title=task, header_style="bold", box=None, padding=(0, 2, 0, 0))
    for name in ("", "mean return", f"less that of {record['baseline']}", "runs"):
        table.add_column(name)
    for line in lines(record, task):
        table.add_row(line.name, said(line.mean), signed(line.difference), str(len(line.runs)))
    return table
