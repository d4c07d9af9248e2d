"""From the cells of `bench talk` to its table: payoffs of roles, welfare, success, agreements.

A row is a player and whom it meets in a game. **Payoff** is the mean of the player in a role,
or in a seat where there are no roles; **welfare** the mean sum over all seats; **success** the
share of episodes in which the player has more than 0 where sums are zero, else more than half of
what can be had, as in `info["success"]`. In games about an agreement **agreed** is its share,
**Pareto** the share of all episodes whose outcome no other agreement is better than, and **Nash**
the product of payoffs over the greatest possible one, 0 without an agreement. **Exploitability** is
exact: what a seat gains on average by the best answer to the player in all other seats. Intervals
(95 %) resample episodes, shares have those of Jeffreys: they cover deals and moves, not the
training of a model.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from zerogym.benchmarks.results.estimates import RESAMPLES, Estimate, Returns, interval, mean_draws
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.talk.suite import TalkSuite

SHARES = ("agreed", "pareto", "nash")
MEASURES = ("welfare", "success", *SHARES, "forfeits")
COLUMNS = (
    "game", "player", "partner", "measure", "role", "estimate", "low", "high", "episodes",
)  # fmt: skip


class Meeting(NamedTuple):
    """A row of the table: a player and whom it meets, in a game."""

    game: str
    player: str
    partner: str


@dataclass
class Row:
    """The numbers of a meeting.

    Attributes:
        payoffs: By the role of the player.
        measures: By name, of `MEASURES`.
        episodes: In all seats together.
        each: Of them, by the role of the player.
    """

    payoffs: dict[str, Estimate] = field(default_factory=dict)
    measures: dict[str, Estimate] = field(default_factory=dict)
    episodes: int = 0
    each: dict[str, int] = field(default_factory=dict)


@dataclass
class TalkTable:
    """Everything that is shown.

    Attributes:
        suite: What was played.
        rows: By meeting, in the order of the run.
        roles: By game, the roles in which somebody had payoffs, by their names.
        exploited: By game and player; those that are known.
        lines: By meeting and seat, the transcript of an episode.
    """

    suite: TalkSuite
    rows: dict[Meeting, Row] = field(default_factory=dict)
    roles: dict[str, list[str]] = field(default_factory=dict)
    exploited: dict[tuple[str, str], float] = field(default_factory=dict)
    lines: dict[tuple[Meeting, int | None], list[dict[str, str]]] = field(default_factory=dict)


def tabulate(suite: TalkSuite, records: Sequence[Record]) -> TalkTable:
    """Return the table of the records that belong to a suite."""
    table, names = TalkTable(suite), {player.name for player in suite.players}
    cells: dict[Meeting, list[Record]] = {}
    for record in records:
        if record.get("game") not in suite.games or record["player"] not in names:
            continue
        if record["kind"] == "exploitability":
            table.exploited[record["game"], record["player"]] = record["value"]
        elif record["kind"] == "cell" and record["partner"] in names:
            meeting = Meeting(record["game"], record["player"], record["partner"])
            cells.setdefault(meeting, []).append(record)
            table.lines[meeting, record["seat"]] = record["lines"]
    table.rows = {meeting: _row(own) for meeting, own in cells.items()}
    for meeting, row in table.rows.items():
        found = {*table.roles.get(meeting.game, ()), *row.payoffs}
        table.roles[meeting.game] = sorted(found)
    return table


def _row(cells: Sequence[Record]) -> Row:
    """Return the numbers of the cells of one meeting."""
    row, success, payoffs = Row(), list[float](), dict[str, list[float]]()
    every = [episode for cell in cells for episode in cell["episodes"]]
    for cell in cells:
        low, high = cell["range"]
        bar = 0.0 if cell["zero_sum"] else (low + high) / 2
        for episode in cell["episodes"]:
            seats = range(len(episode["payoffs"])) if cell["seat"] is None else [cell["seat"]]
            # Seats of one episode are no independent cases: their mean is one.
            success.append(sum(episode["payoffs"][seat] > bar for seat in seats) / len(seats))
            parts: dict[str, list[float]] = {}
            for seat in seats:
                parts.setdefault(episode["roles"][seat], []).append(episode["payoffs"][seat])
            for role, own in parts.items():
                payoffs.setdefault(role, []).append(sum(own) / len(own))
    row.payoffs = {role: mean(values) for role, values in payoffs.items()}
    row.each, row.episodes = {role: len(values) for role, values in payoffs.items()}, len(every)
    row.measures["welfare"] = mean([float(sum(episode["payoffs"])) for episode in every])
    row.measures["success"] = share(success)
    for name in SHARES:
        if all(name in episode for episode in every):
            row.measures[name] = share([episode[name] for episode in every])
    lost = [float(episode["forfeit"] is not None) for episode in every]
    row.measures["forfeits"] = share(lost)
    return row


def share(values: Sequence[float]) -> Estimate:
    """Return the mean of what is 0 or 1, or lies between, in each episode, and its interval."""
    returns = Returns(tuple(map(float, values)))
    (draws,) = mean_draws([returns], RESAMPLES, np.random.default_rng(0))
    return Estimate(returns.mean, *interval(draws))


def mean(values: Sequence[float]) -> Estimate:
    """Return the mean of payoffs and its interval; without bounds where all are equal."""
    rows = np.asarray(values, np.float64)  # (episodes,)
    if (rows == rows[0]).all():
        return Estimate(float(rows[0]), np.nan, np.nan)
    places = np.random.default_rng(0).integers(len(rows), size=(RESAMPLES, len(rows)))
    return Estimate(float(rows.mean()), *interval(rows[places].mean(axis=1)))


def long_rows(table: TalkTable) -> Iterator[tuple[object, ...]]:
    """Yield a row for each number, with the values of `COLUMNS`."""
    for meeting, row in table.rows.items():
        for role, found in row.payoffs.items():
            yield (*meeting, "payoff", role, found.value, found.low, found.high, row.each[role])
        for name, found in row.measures.items():
            yield (*meeting, name, "", found.value, found.low, found.high, row.episodes)
    for (game, player), value in table.exploited.items():
        yield game, player, player, "exploitability", "", value, "", "", ""


def table_csv(table: TalkTable) -> str:
    """Return the table as CSV, a row for each number."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in long_rows(table):
        writer.writerow([f"{each:.6g}" if isinstance(each, float) else each for each in row])
    return text.getvalue()
