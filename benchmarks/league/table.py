"""The table of a league in the terminal."""

import math
import re
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
    ratings = grid(title, "", "Player")
    headings = ["Payoff", "Elo", "α-rank", "Exploit."]
    if any(row.forfeits for row in rows):
        headings.append("Forfeits")
    for heading in headings:
        ratings.add_column(heading, justify="right")
    payoffs = grid("Payoff against each player", "", "Player")
    for place in range(1, len(rows) + 1):
        payoffs.add_column(str(place), justify="right")
    for place, row in enumerate(rows, 1):
        name = Text(row.name, overflow="fold")
        cells = [
            estimate_text(row.payoff, 2),
            estimate_text(row.elo, 0),
            estimate_text(row.share, 2),
            _exploitable(row),
        ]
        if "Forfeits" in headings:
            cells.append(Text(f"{row.forfeits:.1%}"))
        ratings.add_row(str(place), name, *cells)
        payoffs.add_row(str(place), name, *(estimate_text(each, 2) for each in row.against))
    return Group(ratings, Text(""), payoffs, Text(NOTE, "dim"))


def grid(title: str, *headings: str) -> Table:
    """A table without lines."""
    found = Table(title=title, header_style="bold", box=None, padding=(0, 0, 0, 1), pad_edge=False)
    for heading in headings:
        found.add_column(heading)
    return found


def estimate_text(estimate: Estimate | None, digits: int = 2, wide: float = math.inf) -> Text:
    """A value over its interval, whose bounds have one digit from `wide` on."""
    if estimate is None:
        return Text("–", "dim")
    value, bounds = Text(number(estimate.value, digits)), (estimate.low, estimate.high)
    if not all(map(math.isfinite, bounds)):
        return value
    # Without leading zeros, as in `.43` and `-.05`: six players fit 80 columns.
    short = [number(bound, digits if abs(bound) < wide else 1) for bound in bounds]
    low, high = (re.sub(r"^(-?)0\.", r"\1.", bound) for bound in short)
    return value + Text(f"\n{low}…{high}", "dim")


def number(value: float, digits: int = 2) -> str:
    """Rounded, without a minus before nothing but zeros."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _exploitable(row: Row) -> Text:
    found = row.exploitability
    if found is None:
        return Text("–", "dim")
    return Text(f"{'~' if found.sampled else ''}{number(found.value, 3)}")
