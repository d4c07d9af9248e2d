"""The report of `bench games`: one self-contained page, in the frame of `report/page.py`."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from zerogym.benchmarks.games.scores import ALL, GamesTable
from zerogym.benchmarks.games.suite import CEILING, MODEL, Exam
from zerogym.benchmarks.games.terminal import forfeit_note, number
from zerogym.benchmarks.report.markup import clean
from zerogym.benchmarks.report.page import fill, learning_curves, notes, write_page
from zerogym.benchmarks.report.picture import grid_picture
from zerogym.benchmarks.report.report import html_cell
from zerogym.benchmarks.results.estimates import Estimate
from zerogym.benchmarks.results.results_file import Record

NOTE = "0 is random play, 1 is exact play, both against all players alike; small: 95 % interval"


def games_picture(table: GamesTable) -> str:
    """The scores as one SVG, with their mean below."""
    rows = {exam.game: exam.title for exam in table.suite.exams}
    if len(rows) > 1:
        rows[ALL] = "Mean"
    columns = {seat.name: seat.title for seat in table.suite.seats}
    return grid_picture(rows, columns, table.scores, NOTE)


def write_games_report(table: GamesTable, records: Sequence[Record], path: Path) -> Path:
    """Write the report and return its path."""
    suite = table.suite
    body = fill(
        "games.html",
        findings=_findings(table),
        table=_scores(table),
        forfeits=clean(forfeit_note(table)),
        exploited=_grid(
            table,
            [(exam.game, exam.title) for exam in suite.exams],
            lambda game, seat: _exploited(table, game, seat),
        ),
        against="".join(_against(table, exam) for exam in suite.exams),
        curves=learning_curves(records),
        players=notes([(seat.title, seat.about) for seat in suite.seats]),
        games=notes([(exam.title, _about(table, exam)) for exam in suite.exams]),
    )
    return write_page(path, f"zerogym bench {suite.name}", body, records)


def _about(table: GamesTable, exam: Exam) -> str:
    learned = f" PPO: {exam.steps:,} moves of training." if _has(table, "ppo") else ""
    exact = "minimax" if exam.exact == "minimax" else "CFR+"
    return f"{exam.about} Exact: {exact}.{learned} {2 * table.suite.pairs} games a match."


def _has(table: GamesTable, player: str) -> bool:
    return any(seat.name == player for seat in table.suite.seats)


def _scores(table: GamesTable) -> str:
    rows = [(exam.game, exam.title) for exam in table.suite.exams]
    shown = rows + [(ALL, "Mean")] * (len(rows) > 1)
    return _grid(table, shown, lambda game, seat: html_cell(table.scores.get((game, seat))))


def _grid(
    table: GamesTable, rows: Sequence[tuple[str, str]], cell: Callable[[str, str], str]
) -> str:
    seats = table.suite.seats
    found = [(title, [cell(name, seat.name) for seat in seats]) for name, title in rows]
    return _table([seat.title for seat in seats], found)


def _against(table: GamesTable, exam: Exam) -> str:
    seats = [s for s in table.suite.seats if (exam.game, s.name) in table.payoffs]
    rows = []
    for seat in seats:
        cells = [_estimate(table.against.get((exam.game, seat.name, s.name))) for s in seats]
        cells.append(_estimate(table.payoffs[exam.game, seat.name]))
        rows.append((seat.title, cells))
    titles = [*(seat.title for seat in seats), "all"]
    whole = f'<div class="scroll">{_table(titles, rows)}</div>'
    return f"<section><h4>{clean(exam.title)}</h4>{whole}</section>"


def _table(titles: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    head = "".join(f'<th scope="col">{clean(title)}</th>' for title in titles)
    body = "".join(
        f'<tr><th scope="row">{clean(name)}</th>{"".join(cells)}</tr>' for name, cells in rows
    )
    return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"


def _estimate(found: Estimate | None) -> str:
    if found is None:
        return '<td class="none">·</td>'
    bounds = ""
    if math.isfinite(found.low) and math.isfinite(found.high):
        bounds = f"<small>{_signed(found.low)} to {_signed(found.high)}</small>"
    return f"<td>{_signed(found.value)}{bounds}</td>"


def _signed(value: float) -> str:
    return number(value).replace("-", "−")


def _exploited(table: GamesTable, game: str, player: str) -> str:
    found = table.exploited.get((game, player))
    return '<td class="none">·</td>' if found is None else f"<td>{number(found, 3)}</td>"


def _findings(table: GamesTable) -> str:
    """What the run shows, computed from its tables and never written by hand."""
    cards = [_unbeaten(table), _model(table), _learner(table)]
    return "".join(
        f"<div><b>{clean(figure)}</b><p>{clean(text)}</p></div>" for figure, text in cards if figure
    )


def _unbeaten(table: GamesTable) -> tuple[str, str]:
    exact = [e for (_, name), e in table.exploited.items() if name == CEILING and e is not None]
    if not exact:
        return "", ""
    text = "The most that a perfect adversary wins from exact play, in any of the games."
    return number(max(exact), 4), text


def _model(table: GamesTable) -> tuple[str, str]:
    shares = [share for (_, name), share in table.forfeits.items() if name == MODEL]
    if not shares:
        return "", ""
    kept = sum(share < 0.5 for share in shares)
    text = "Games in which the tiny language model finds legal moves more often than not."
    return f"{kept} of {len(shares)}", text


def _learner(table: GamesTable) -> tuple[str, str]:
    found = [
        table.scores[exam.game, "ppo"].estimate
        for exam in table.suite.exams
        if (exam.game, "ppo") in table.scores
    ]
    known = [estimate for estimate in found if estimate is not None]
    if not known:
        return "", ""
    above = sum(estimate.low > 0 for estimate in known)
    text = "Games in which the interval of PPO's score lies above random play."
    return f"{above} of {len(known)}", text
