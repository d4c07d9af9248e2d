"""The report of `bench talk`: tables, and conversations in which private and public are apart."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from zerogym.benchmarks.league.table import number
from zerogym.benchmarks.report.page import write_page
from zerogym.benchmarks.report.talk_lines import Line
from zerogym.benchmarks.results.results_file import Record, write_whole
from zerogym.benchmarks.talk.scores import TalkTable, table_csv
from zerogym.benchmarks.talk.suite import PLAYERS, TalkSuite, talk_games
from zerogym.benchmarks.talk.terminal import NOTE, shown_measures

CSV = "results.csv"


def write_talk_report(table: TalkTable, records: Sequence[Record], path: Path) -> Path:
    """Write the report and the CSV beside it; return the path of the report."""
    suite = table.suite
    write_whole(path.with_name(CSV), table_csv(table))
    games = [game for game in suite.games if game in table.roles]
    return write_page(
        path,
        "talk.html",
        f"zerogym bench {suite.name}",
        records,
        command=_command(suite, next((r["seed"] for r in records if "seed" in r), 0)),
        csv=CSV,
        note=NOTE,
        blocks=[_block(table, game) for game in games],
        number=number,
        players=[(player.name, player.about) for player in suite.players],
    )


def _block(table: TalkTable, game: str) -> dict[str, Any]:
    """Return what the page shows of a game."""
    names, roles = shown_measures(table, game), table.roles[game]
    rows, talks = [], []
    for meeting, row in table.rows.items():
        if meeting.game != game:
            continue
        cells = [row.payoffs.get(role) for role in roles]
        cells += [row.measures[name] for name in names]
        rows.append((meeting.player, meeting.partner, cells))
    for (meeting, seat), lines in table.lines.items():
        if meeting.game == game and lines:
            where = "" if seat is None else f" in seat {seat + 1}"
            title = f"{meeting.player}{where} with {meeting.partner}"
            talks.append((title, [Line(**line) for line in lines]))
    exploited = [
        (player, value) for (played, player), value in table.exploited.items() if played == game
    ]
    heads = [*(f"payoff, {role}" for role in roles), *names]
    return {"game": game, "heads": heads, "rows": rows, "talks": talks, "exploited": exploited}


def _command(suite: TalkSuite, seed: int) -> str:
    """Return the command that makes the run again."""
    words = ["zerogym", "bench", "talk", "--seed", str(seed), "--out", "again"]
    if suite.episodes == suite.model_episodes:
        words += ["--episodes", str(suite.episodes)]
    own = [player.name for player in PLAYERS]
    joined = [player.model for player in suite.players if player.name not in own]
    only = [*suite.games] if suite.games != talk_games() else []
    if len(suite.players) < len(own) + len(joined):
        only += [player.name for player in suite.players]
    words += [word for name in joined for word in ("--model", name)]
    return shlex.join(words + [word for name in only for word in ("--only", name)])
