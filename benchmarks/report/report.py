"""One self-contained HTML file about a run: table, plots, transcripts, provenance.

No script, no request, nothing fetched: it opens from a disk, offline, light or dark, on a phone.
The frame of the page is in `page.py`, what stands in it in `data/report.html`.
"""

import math
from collections.abc import Sequence
from pathlib import Path

from zerogym.benchmarks.report.findings import findings
from zerogym.benchmarks.report.markup import clean
from zerogym.benchmarks.report.page import fill, learning_curves, notes, write_page
from zerogym.benchmarks.report.svg import forest
from zerogym.benchmarks.report.transcripts import mazes, transcripts
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.results.schema import Suite, World
from zerogym.benchmarks.suites.scores import Score, Table, tabulate


def write_report(suite: Suite, records: Sequence[Record], path: Path) -> Path:
    """Write the report and return its path."""
    table = tabulate(suite, records)
    body = fill(
        "report.html",
        warning=_warning(table),
        findings=_findings(table),
        table=_table(table),
        totals=_totals(table),
        curves=learning_curves(records),
        mazes=mazes(suite, records),
        transcripts=transcripts(suite, records),
        contenders=notes([(c.title, c.about) for c in suite.contenders]),
        worlds=notes([(w.name, _about(w)) for w in suite.worlds]),
        problems=_problems(table),
    )
    return write_page(path, f"zerogym bench {suite.name}", body, records)


def _warning(table: Table) -> str:
    if not table.unsafe:
        return ""
    worlds = clean(", ".join(table.unsafe))
    return (
        '<p class="warning"><b>No sandbox.</b> Code of models ran at level unsafe-local, which '
        f"isolates nothing, in: {worlds}. It could have reached answers and files of its host.</p>"
    )


def _findings(table: Table) -> str:
    cards = findings(table)
    return "".join(
        f"<div><b>{clean(card.number)}</b><p>{clean(card.text)}</p></div>" for card in cards
    )


def _table(table: Table) -> str:
    shown = [c for c in table.suite.contenders if any(k[1] == c.name for k in table.cells)]
    head = "".join(f'<th scope="col" title="{clean(c.about)}">{clean(c.title)}</th>' for c in shown)
    rows, family = [], ""
    for world in table.suite.worlds:
        if world.family != family:
            family = world.family
            rows.append(f'<tr class="family"><th colspan="{len(shown) + 1}">{clean(family)}</th>')
        cells = "".join(html_cell(table.cells.get((world.name, c.name))) for c in shown)
        name = f'<th scope="row" title="{clean(world.about)}">{clean(world.name)}</th>'
        rows.append(f"<tr>{name}{cells}</tr>")
    return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def html_cell(score: Score | None) -> str:
    """A cell of the table; what it does not say is told when a pointer rests on it."""
    if score is None:
        return '<td class="none">·</td>'
    if score.error:
        word = "missing" if score.missing else "failed"
        return f'<td class="{word}" title="{clean(score.error)}">{word}</td>'
    if score.estimate is None or not math.isfinite(score.estimate.value):
        return '<td class="missing" title="the truth is not above random here">no scale</td>'
    value = score.estimate.value
    kind = "cold" if value < 0 else "hot"
    weight = f'style="--v:{min(abs(value), 1):.2f}"'
    mark = "<small><b>unsafe-local</b></small>" if score.unsafe else ""
    inside = f"{value:.2f}{_bounds(score)}{mark}"
    return f'<td class="{kind}" {weight} title="{clean(_facts(score))}">{inside}</td>'


def _facts(score: Score) -> str:
    """What is told of a cell beside its score."""
    if not score.episodes:  # a mean of cells
        return ""
    facts = f"mean return {score.raw:.3g}, {score.episodes} episodes"
    facts += f", {score.seconds:.0f} s" if score.seconds else ""
    if len(score.variants) > 1:
        facts += ". " + ", ".join(f"{name} {part:.2f}" for name, part in score.variants)
    return facts


def _bounds(score: Score) -> str:
    if score.exact:
        return "<small>exact</small>"
    estimate = score.estimate
    if estimate is None or not score.measured or not math.isfinite(estimate.low):
        return ""
    return f"<small>{estimate.low:.2f} – {estimate.high:.2f}</small>"


def _totals(table: Table) -> str:
    rows = [
        (
            f"{c.title} ({total.worlds})",
            total.estimate.value,
            total.estimate.low,
            total.estimate.high,
        )
        for c in table.suite.contenders
        if (total := table.totals.get(c.name)) is not None
    ]
    return forest(rows) if rows else ""


def _about(world: World) -> str:
    arguments = ", ".join(f"{k}={v!r}" for k, v in sorted(world.kwargs.items()))
    how = "exact value" if world.measure == "game_tree" else f"{world.episodes} episodes each"
    tasks = f"{len(world.variants)} tasks, " if len(world.variants) > 1 else ""
    return f"{world.about} {world.env_id}({arguments}); {tasks}{how}."


def _problems(table: Table) -> str:
    lines = [
        f"<li><b>{clean(name)}</b> in {clean(world)}: {clean(score.error)}</li>"
        for (world, name), score in table.cells.items()
        if score.error
    ]
    return f"<h2>Cells without a score</h2><ul>{''.join(lines)}</ul>" if lines else ""
