"""The table of a proof: for each group and player its scores, with intervals over training seeds.

Each training run is one sample: its score is the mean, or the interquartile mean, over the tasks of
a column. The value is the mean over the runs, the interval a percentile bootstrap over runs (three
are few: it is hardly narrower than their range). Tasks without a policy better than random have no
score and are left out.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.table import Table

from zerogym.benchmarks.results.estimates import (
    RESAMPLES,
    Estimate,
    Returns,
    interquartile_mean,
    interval,
    mean_draws,
)

NONE = "–"


@dataclass(frozen=True)
class Line:
    """One line of the table.

    Attributes:
        group: The group of the cell.
        who: The agent.
        means: By column, the mean over its tasks.
        middles: By column, the interquartile mean.
    """

    group: str
    who: str
    means: Mapping[str, Estimate]
    middles: Mapping[str, Estimate]


def lines(record: Mapping[str, Any]) -> list[Line]:
    """Return the lines of a record, in the order of its groups."""
    found: dict[tuple[str, str], list[Mapping[str, Mapping[str, float | None]]]] = {}
    for row in record["cells"]:
        for who, columns in row["scores"].items():
            found.setdefault((row["group"], who), []).append(columns)
    order = list(dict.fromkeys(group for group, _ in found))
    made = [
        Line(
            group,
            who,
            {column: _estimate(runs, column, np.mean) for column in runs[0]},
            {column: _estimate(runs, column, interquartile_mean) for column in runs[0]},
        )
        for (group, who), runs in found.items()
    ]
    return sorted(made, key=lambda line: order.index(line.group))


def _estimate(runs: Iterable[Mapping[str, Mapping[str, Any]]], column: str, mean: Any) -> Estimate:
    """Estimate over runs a mean over tasks."""
    tasks = [[value for value in run[column].values() if value is not None] for run in runs]
    values = [float(mean(each)) for each in tasks if each]
    if not values:
        return Estimate(math.nan, math.nan, math.nan)
    if len(set(values)) == 1:  # one run, or one that no seed changes
        return Estimate(values[0], math.nan, math.nan)
    draws = mean_draws([Returns(tuple(values))], RESAMPLES, np.random.default_rng(0))[0]
    return Estimate(float(np.mean(values)), *interval(draws))


def columns_of(found: Iterable[Line]) -> list[str]:
    """Return the columns of lines, in order of appearance."""
    return list(dict.fromkeys(column for line in found for column in line.means))


def in_terminal(record: Mapping[str, Any], title: str) -> Table:
    """Return a table for the terminal: the mean with its interval, and the interquartile mean."""
    found = lines(record)
    table = Table(title=title, header_style="bold", box=None, padding=(0, 2, 0, 0))
    for name in ("", "", *columns_of(found)):
        table.add_column(name)
    before = ""
    for line in found:
        group = line.group if line.group != before else ""
        cells = [
            f"{said(line.means[name])}\n[dim]IQM {said(line.middles[name])}[/dim]"
            if name in line.means
            else NONE
            for name in columns_of(found)
        ]
        table.add_row(group, line.who, *cells)
        before = line.group
    return table


def in_markdown(record: Mapping[str, Any]) -> str:
    """Return a Markdown table: the mean with its interval, and the interquartile mean."""
    found = lines(record)
    names = columns_of(found)
    heads = ["", "", *(part for name in names for part in (name, "IQM"))]
    rows = [heads, ["---", "---", *["---:"] * (2 * len(names))]]
    before = ""
    for line in found:
        cells = [line.group if line.group != before else "", line.who]
        for name in names:
            mean, middle = line.means.get(name), line.middles.get(name)
            cells += [said(mean) if mean else NONE, f"{middle.value:.2f}" if middle else NONE]
        rows.append(cells)
        before = line.group
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def said(estimate: Estimate) -> str:
    """Format as `0.62 (0.58…0.66)`, without an interval where there is none.

    Example:
        >>> said(Estimate(0.5, 0.25, 0.75)), said(Estimate(1.0, math.nan, math.nan))
        ('0.50 (0.25…0.75)', '1.00')
    """
    if not math.isfinite(estimate.value):
        return "no scale"
    value = f"{estimate.value:.2f}"
    if not math.isfinite(estimate.low):
        return value
    return f"{value} ({estimate.low:.2f}…{estimate.high:.2f})"
