"""The table in the terminal."""

import math
from dataclasses import replace

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from zerogym.benchmarks.report.markup import visible
from zerogym.benchmarks.results.estimates import Estimate
from zerogym.benchmarks.suites.scores import DAGGER, Score, Table

NOTE = (
    "0 = random policy, 1 = the oracle; below a score its 95 % interval. "
    "IQM over the tasks of a world; Total: IQM over the worlds of an agent."
)


def render_table(table: Table) -> RenderableType:
    """Worlds down, agents across; those that cannot play here are named below."""
    shown = table.shown
    # Without borders and zeros, eight agents fit 80 columns.
    grid = RichTable(
        title=f"zerogym bench {table.suite.name}",
        header_style="bold",
        box=None,
        padding=(0, 0, 0, 1),
        pad_edge=False,
    )
    grid.add_column("World", min_width=11)
    for agent in shown:
        grid.add_column(agent.title, justify="right")
    for world in table.suite.worlds:
        cells = [
            cell_text(table.cells.get((world.name, c.name)), DAGGER * table.is_transfer(world, c))
            for c in shown
        ]
        grid.add_row(world.name, *cells)
    grid.add_row()
    ends = (table.suite.floor, table.suite.ceiling)
    totals = [table.totals.get(c.name) for c in shown]
    grid.add_row(
        Text("Total", "bold"),
        *(
            Text("–", "dim") if t is None else _estimate(t.estimate, c.name not in ends)
            for c, t in zip(shown, totals, strict=True)
        ),
    )
    parts: list[RenderableType] = [grid, Text(f"{NOTE} {table.transfer_note}".strip(), "dim")]
    parts += [Text(visible(line), "yellow") for line in table.left_out]
    if table.unsafe:
        worlds = ", ".join(table.unsafe)
        warning = f"No sandbox (unsafe-local): code of models ran unisolated in {worlds}."
        parts.append(Text(warning, "bold red"))
    return Group(*parts)


def cell_text(score: Score | None, mark: str = "") -> Text:
    """Return value and interval; `–` where the agent does not fit, `missing` or `failed` else.

    Args:
        score: Of the cell, if it has one.
        mark: What follows a value.
    """
    if score is not None and score.unsafe:
        return cell_text(replace(score, unsafe=False), mark) + Text("\nunsafe", "bold red")
    if score is None:
        return Text("–", "dim")
    if score.error:
        return Text("missing", "yellow") if score.missing else Text("failed", "red")
    if score.estimate is None or not score.has_scale:
        return Text("no scale", "yellow")
    if score.exact:
        return _estimate(score.estimate, False, mark) + Text("\nexact", "dim")
    return _estimate(score.estimate, score.measured, mark)


def _estimate(estimate: Estimate, interval: bool = True, mark: str = "") -> Text:
    value = Text(f"{estimate.value:.2f}{mark}", _colour(estimate.value))
    if not (interval and math.isfinite(estimate.low) and math.isfinite(estimate.high)):
        return value
    return value + Text(f"\n{_short(estimate.low)}…{_short(estimate.high)}", "dim")


def _short(value: float) -> str:
    """Two digits without a leading zero: `.43`, `-.05`."""
    return f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"


def _colour(value: float) -> str:
    for bound, colour in ((0.9, "bold green"), (0.5, "green"), (0.15, "yellow")):
        if value >= bound:
            return colour
    return "red"
