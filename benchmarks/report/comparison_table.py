"""A comparison of runs in the terminal, and the words that its page has in common with it."""

import math

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from zerogym.benchmarks.report.markup import visible
from zerogym.benchmarks.results.estimates import Estimate
from zerogym.benchmarks.suites.comparison import TOTAL, Comparison, Difference, Row

NOTE = (
    "Scores: 0 = random policy, 1 = the oracle; below, the 95 % interval over episodes. "
    "Differences are from run 1: over pairs of episodes where both runs played the same seeds."
)


def render_comparison(comparison: Comparison) -> RenderableType:
    """Return the terminal's table: tasks down, runs and their differences across."""
    grid = RichTable(header_style="bold", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column("Task", min_width=11)
    grid.add_column("Agent")
    for n in range(len(comparison.runs)):
        grid.add_column(f"Run {n + 1}", justify="right")
    for n in range(1, len(comparison.runs)):
        grid.add_column(f"{n + 1} − 1", justify="right")
    for row in comparison.rows:
        task = Text(visible(row.task), "bold" if row.task == TOTAL else "")
        if row.unit == "return":
            task += Text("\nmean return", "dim")
        cells = [_estimate(value) for value in row.values]
        cells += [_difference(difference) for difference in row.differences]
        grid.add_row(task, Text(visible(agents(row))), *cells)
    runs = "\n".join(f"Run {n}: {visible(folder)}" for n, folder in enumerate(comparison.runs, 1))
    notes = "\n".join(visible(note) for note in comparison.notes)
    parts: list[RenderableType] = [
        Text(runs),
        grid,
        Text(NOTE, "dim"),
        *([Text(notes, "yellow")] if notes else []),
    ]
    return Group(*parts)


def agents(row: Row) -> str:
    """Return the agent of all runs, or that of each."""
    return " / ".join(dict.fromkeys(row.agents))


def interval_text(estimate: Estimate, sign: str = "") -> str:
    """Return the interval in words; empty where there is none."""
    if not (math.isfinite(estimate.low) and math.isfinite(estimate.high)):
        return ""
    return f"{estimate.low:{sign}.2f} to {estimate.high:{sign}.2f}"


def _estimate(value: Estimate | None) -> Text:
    if value is None:
        return Text("–", "dim")
    return Text(f"{value.value:.2f}") + Text(f"\n{interval_text(value) or 'exact'}", "dim")


def _difference(difference: Difference | None) -> Text:
    if difference is None:
        return Text("–", "dim")
    value = difference.estimate
    colour = "green" if value.low > 0 else "red" if value.high < 0 else ""
    below = f"{interval_text(value, '+')}\n{kind(difference)}"
    return Text(f"{value.value:+.2f}", colour) + Text(f"\n{below.strip()}", "dim")


def kind(difference: Difference) -> str:
    """Return `paired`, `unpaired`, or `exact`."""
    if not interval_text(difference.estimate):
        return "exact"
    return "paired" if difference.paired else "unpaired"
