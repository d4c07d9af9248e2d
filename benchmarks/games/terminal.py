"""The tables of `bench games` in the terminal: scores, payoffs, and what can be exploited."""

from collections.abc import Callable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from zerogym.benchmarks.games.scores import ALL, GamesTable
from zerogym.benchmarks.league.table import estimate_text, grid, number
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
    for part, note in ((scores, SCORES), (payoffs, PAYOFFS), (exploited, EXPLOITED)):
        parts += [part, Text(note, "dim"), Text("")]
    lost = forfeit_note(table)
    return Group(*parts[:-1], *([Text(lost, "dim")] if lost else []))


def forfeit_note(table: GamesTable) -> str:
    """The shares of forfeited games by player and game; empty if there are none."""
    titles = {entry.game: entry.title for entry in table.suite.entries}
    names = {seat.name: seat.title for seat in table.suite.seats}
    lost = [
        f"{names[player]} in {titles[game]} {share:.1%}"
        for (game, player), share in table.forfeits.items()
        if share
    ]
    return f"Forfeited games: {', '.join(lost)}." if lost else ""


def _grid(table: GamesTable, title: str, cell: Callable[[GamesTable, str, str], Text]) -> Table:
    found = grid(title)
    found.add_column("Game", min_width=11)
    for seat in table.suite.seats:
        found.add_column(seat.title, justify="right", min_width=9)
    for entry in table.suite.entries:
        found.add_row(entry.title, *(cell(table, entry.game, s.name) for s in table.suite.seats))
    return found


def _score(table: GamesTable, game: str, player: str) -> Text:
    return cell_text(table.scores.get((game, player)))


def _payoff(table: GamesTable, game: str, player: str) -> Text:
    return estimate_text(table.payoffs.get((game, player)), wide=10)


def _exploited(table: GamesTable, game: str, player: str) -> Text:
    found = table.exploited.get((game, player))
    return Text("–", "dim") if found is None else Text(number(found, 3))
