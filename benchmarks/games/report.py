"""The report of `bench games`: one self-contained page, in the frame of `report/page.py`."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from zerogym.benchmarks.games.scores import ALL, GamesTable
from zerogym.benchmarks.games.suite import (
    CEILING,
    FLOOR,
    GAMES,
    MODEL,
    GamesSuite,
    SuiteGame,
)
from zerogym.benchmarks.games.terminal import forfeit_note
from zerogym.benchmarks.league.table import number
from zerogym.benchmarks.report.findings import Finding
from zerogym.benchmarks.report.page import write_page
from zerogym.benchmarks.report.picture import grid_picture
from zerogym.benchmarks.results.results_file import Record

NOTE = "0 is random play, 1 is exact play, both against all players alike; small: 95 % interval"


def games_picture(table: GamesTable) -> str:
    """The scores as one SVG, with their mean below."""
    rows = {entry.game: entry.title for entry in table.suite.entries}
    if len(rows) > 1:
        rows[ALL] = "Mean"
    columns = {seat.name: seat.title for seat in table.suite.seats}
    return grid_picture(rows, columns, table.scores, NOTE)


def write_games_report(table: GamesTable, records: Sequence[Record], path: Path) -> Path:
    """Write the report and return its path."""
    suite = table.suite
    rows = [(entry.game, entry.title) for entry in suite.entries]
    return write_page(
        path,
        "games.html",
        f"zerogym bench {suite.name}",
        records,
        command=_command(suite, next((r["seed"] for r in records if "seed" in r), 0)),
        table=table,
        findings=_findings(table),
        rows=rows,
        scored=rows + [(ALL, "Mean")] * (len(rows) > 1),
        forfeits=forfeit_note(table),
        number=number,
        players=[(seat.title, seat.about) for seat in suite.seats],
        games=[(entry.title, _about(table, entry)) for entry in suite.entries],
    )


def _command(suite: GamesSuite, seed: int) -> str:
    """Return the command that makes the run of a part of `GAMES` again."""
    games = [e.game for e in suite.entries if len(suite.entries) < len(GAMES.entries)]
    seats = [s.name for s in suite.seats if s.name not in (FLOOR, CEILING)] or [FLOOR]
    names = games + seats * (len(suite.seats) < len(GAMES.seats))
    words = ["zerogym", "bench", "games", "--seed", seed, "--pairs", suite.pairs, "--out", "again"]
    return shlex.join(map(str, words + [word for name in names for word in ("--only", name)]))


def _about(table: GamesTable, entry: SuiteGame) -> str:
    has_ppo = any(seat.name == "ppo" for seat in table.suite.seats)
    learned = f" PPO: {entry.steps:,} moves of training." if has_ppo else ""
    exact = "minimax" if entry.exact == "minimax" else "CFR+"
    return f"{entry.about} Exact: {exact}.{learned} {2 * table.suite.pairs} games a match."


def _findings(table: GamesTable) -> list[Finding]:
    """Return what the run shows, computed from its tables."""
    found = []
    exact = [e for (_, name), e in table.exploited.items() if name == CEILING and e is not None]
    if exact:
        text = "The most that a perfect adversary wins from exact play, in any of the games."
        found.append(Finding(number(max(exact), 4), text))
    shares = [share for (_, name), share in table.forfeits.items() if name == MODEL]
    if shares:
        text = "Games in which the tiny language model finds legal moves more often than not."
        found.append(Finding(f"{sum(share < 0.5 for share in shares)} of {len(shares)}", text))
    learned = [
        score.estimate
        for (game, name), score in table.scores.items()
        if name == "ppo" and game != ALL and score.estimate is not None
    ]
    if learned:
        above = sum(estimate.low > 0 for estimate in learned)
        text = "Games in which the interval of PPO's score lies above random play."
        found.append(Finding(f"{above} of {len(learned)}", text))
    return found
