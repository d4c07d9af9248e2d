"""The tables of `bench games` in the terminal: scores, payoffs, and what can be exploited."""

import math
from collections.abc import Callable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from zerogym.benchmarks.games.scores import ALL, GamesTable
from zerogym.benchmarks.report.terminal import cell_text

SCORES = (
    "0 = random, 1 = exact play, each against all players of the table alike; below, the 95 % "
    "interval. Exact play cannot be beaten but exploits nobody, so others can be above 1."
)
PAYOFFS = "Mean payoff of a game against a player of the table drawn at random, and its interval."
EXPLOITED = (
    "What a perfect adversary wins on average, in payoffs, exactly, forfeits included; – not known."
)


def render_games(table: GamesTable) -> RenderableType:
    """Games down, players across, three times."""
    scores = _grid(table, f"zerogym bench {table.suite.name}", _score)
    scores.add_row()
    mean = (cell_text(table.scores.get((ALL, seat.name))) for seat in table.suite.seats)
    scores.add_row(Text("Mean", "bold"), *mean)
    payoffs, exploited = _grid(table, "Payoff", _payoff), _grid(table, "Exploitability", _exploited)
    parts: list[RenderableType] = []
    for grid, note in ((scores, SCORES), (payoffs, PAYOFFS), (exploited, EXPLOITED)):
        parts += [grid, Text(note, "dim"), Text("")]
    lost = forfeit_note(table)
    return Group(*parts[:-1], *([Text(lost, "dim")] if lost else []))


def forfeit_note(table: GamesTable) -> str:
    """Who made no legal move how often; nothing if nobody failed to."""
    titles = {exam.game: exam.title for exam in table.suite.exams}
    names = {seat.name: seat.title for seat in table.suite.seats}
    lost = [
        f"{names[player]} in {titles[game]} {share:.1%}"
        for (game, player), share in table.forfeits.items()
        if share
    ]
    return f"Forfeited games: {', '.join(lost)}." if lost else ""


def number(value: float, digits: int = 2) -> str:
    """Rounded, without a minus before nothing but zeros."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _grid(table: GamesTable, title: str, cell: Callable[[GamesTable, str, str], Text]) -> Table:
    grid = Table(title=title, header_style="bold", box=None, padding=(0, 0, 0, 1), pad_edge=False)
    grid.add_column("Game", min_width=11)
    for seat in table.suite.seats:
        grid.add_column(seat.title, justify="right", min_width=9)
    for exam in table.suite.exams:
        grid.add_row(exam.title, *(cell(table, exam.game, s.name) for s in table.suite.seats))
    return grid


def _score(table: GamesTable, game: str, player: str) -> Text:
    return cell_text(table.scores.get((game, player)))


def _payoff(table: GamesTable, game: str, player: str) -> Text:
    found = table.payoffs.get((game, player))
    if found is None:
        return Text("–", "dim")
    value = Text(number(found.value))
    if not (math.isfinite(found.low) and math.isfinite(found.high)):
        return value
    return value + Text(f"\n{_short(found.low)}…{_short(found.high)}", "dim")


def _short(value: float) -> str:
    """Without a leading zero, and one digit from 10 on: seven columns fit 80 characters."""
    said = number(value, 1 if abs(value) >= 10 else 2)
    return said.replace("0.", ".", 1) if abs(value) < 1 else said


def _exploited(table: GamesTable, game: str, player: str) -> Text:
    found = table.exploited.get((game, player))
    return Text("–", "dim") if found is None else Text(number(found, 3))
