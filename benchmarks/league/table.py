"""The table of a league in the terminal."""

import math
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from zerogym.benchmarks.league.standings import Row
from zerogym.benchmarks.results.estimates import Estimate

NOTE = (
    "Below: the 95 % interval. Elo counts who won, not how much; all average to 0, and the "
    "upper end of a winner of all games is the prior's. Payoff: mean of a game, all opponents "
    "alike. α-rank: share of an evolving population. Exploit.: what a perfect adversary wins from "
    "it; ~ from replies, – not computed."
)


def render_standings(title: str, rows: Sequence[Row]) -> RenderableType:
    """Players with their ratings, the best payoff first; and who wins how much from whom."""
    ratings = _grid(title)
    headings = ["Payoff", "Elo", "α-rank", "Exploit."]
    if any(row.forfeits for row in rows):
        headings.append("Forfeits")
    for heading in headings:
        ratings.add_column(heading, justify="right")
    payoffs = _grid("Payoff against each player")
    for number, _ in enumerate(rows, 1):
        payoffs.add_column(str(number), justify="right")
    for number, row in enumerate(rows, 1):
        name = Text(row.name, overflow="fold")
        cells = [_cell(row.payoff, 2), _cell(row.elo, 0), _cell(row.share, 2), _exploitable(row)]
        if "Forfeits" in headings:
            cells.append(Text(f"{row.forfeits:.1%}"))
        ratings.add_row(str(number), name, *cells)
        payoffs.add_row(str(number), name, *(_cell(each, 2) for each in row.against))
    return Group(ratings, Text(""), payoffs, Text(NOTE, "dim"))


def _grid(title: str) -> Table:
    grid = Table(title=title, header_style="bold", box=None, padding=(0, 0, 0, 1), pad_edge=False)
    grid.add_column("")
    grid.add_column("Player")
    return grid


def _cell(estimate: Estimate | None, digits: int) -> Text:
    if estimate is None:
        return Text("–", "dim")
    value = Text(_number(estimate.value, digits))
    if not (math.isfinite(estimate.low) and math.isfinite(estimate.high)):
        return value
    low, high = (_short(_number(bound, digits)) for bound in (estimate.low, estimate.high))
    return value + Text(f"\n{low}…{high}", "dim")


def _short(number: str) -> str:
    """Without a leading zero: `.43`, `-.05`; six players fit 80 columns."""
    return number.replace("0.", ".", 1) if number.startswith(("0.", "-0.")) else number


def _number(value: float, digits: int) -> str:
    """Rounded, without a minus before nothing but zeros."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _exploitable(row: Row) -> Text:
    found = row.exploitability
    if found is None:
        return Text("–", "dim")
    return Text(f"{'~' if found.sampled else ''}{_number(found.value, 3)}")
