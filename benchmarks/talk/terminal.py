"""The table of `bench talk` in the terminal: a block for each game, a line for each meeting."""

from rich.console import Group, RenderableType
from rich.text import Text

from zerogym.benchmarks.league.table import estimate_text, grid, number
from zerogym.benchmarks.talk.scores import MEASURES, Meeting, TalkTable

NOTE = (
    "Below: the 95 % interval over episodes. Payoffs are the player's in each role or seat, with "
    "the partner in all others; welfare is the sum over seats. Success: above 0 where sums are "
    "zero, else above half of the range. Nash: product of payoffs over the greatest possible. "
    "Exploit.: exact, what a seat gains by the best answer to the player; – not computed."
)


def render_talk(table: TalkTable) -> RenderableType:
    """Games one after the other."""
    parts: list[RenderableType] = []
    for game in table.suite.games:
        meetings = [meeting for meeting in table.rows if meeting.game == game]
        if meetings:
            parts += [_block(table, game, meetings), Text("")]
    return Group(*parts, Text(NOTE, "dim"))


def shown_measures(table: TalkTable, game: str) -> list[str]:
    """Return the measures of a game that have something to show."""
    rows = [row for meeting, row in table.rows.items() if meeting.game == game]
    found = [name for name in MEASURES if all(name in row.measures for row in rows)]
    forfeits = any(row.measures["forfeits"].value for row in rows)
    return [name for name in found if name != "forfeits" or forfeits]


def _block(table: TalkTable, game: str, meetings: list[Meeting]) -> RenderableType:
    names, titles = shown_measures(table, game), table.roles[game]
    found = grid(game, "Player", "Partner")
    found.title_justify = "left"
    exploited = any(where[0] == game for where in table.exploited)
    for heading in (*titles, *names, *(["Exploit."] if exploited else [])):
        found.add_column(heading, justify="right")
    for meeting in meetings:
        row = table.rows[meeting]
        cells = [estimate_text(row.payoffs.get(role)) for role in titles]
        cells += [estimate_text(row.measures[name]) for name in names]
        if exploited:
            alone = meeting.player == meeting.partner
            value = table.exploited.get((game, meeting.player)) if alone else None
            cells.append(Text("–", "dim") if value is None else Text(number(value, 3)))
        found.add_row(meeting.player, meeting.partner, *cells)
    return found
