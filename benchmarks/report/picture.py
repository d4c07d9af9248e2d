"""The table as one SVG picture, for a README or a slide."""

import math
from collections.abc import Mapping, Sequence

from zerogym.benchmarks.report.markup import clean
from zerogym.benchmarks.suites.scores import Score, Table

ROW, COLUMN, NAMES, HEAD = 30, 124, 180, 44  # pixels
HOT, COLD = "#2f9e8f", "#cf7a45"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
NOTE = "0 is a random policy, 1 is the truth; small: 95 % interval"


def picture(table: Table) -> str:
    """Worlds down, contenders across, each cell coloured by its score."""
    contenders = {
        c.name: c.title for c in table.suite.contenders if any(k[1] == c.name for k in table.cells)
    }
    worlds = [w.name for w in table.suite.worlds if any(k[0] == w.name for k in table.cells)]
    return grid_picture({name: name for name in worlds}, contenders, table.cells, NOTE)


def grid_picture(
    rows: Mapping[str, str],
    columns: Mapping[str, str],
    cells: Mapping[tuple[str, str], Score],
    note: str,
) -> str:
    """A picture of scores.

    Args:
        rows: Names in `cells`, and what to write.
        columns: The same.
        cells: Scores by row and column; some may be absent.
        note: How to read them, in a line.
    """
    width, height = NAMES + COLUMN * len(columns) + 8, HEAD + ROW * len(rows) + 34
    parts = [*_head(list(columns.values())), *_rows(rows, columns, cells)]
    parts.append(_text(8, height - 10, note, 11, "start", 0.7))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="{FONT}">'
        f'<rect width="100%" height="100%" rx="8" fill="#fbfaf8"/>{"".join(parts)}</svg>\n'
    )


def _head(titles: Sequence[str]) -> list[str]:
    return [
        _text(NAMES + COLUMN * (i + 0.5), HEAD - 14, title, 13, "middle", weight=600)
        for i, title in enumerate(titles)
    ]


def _rows(
    rows: Mapping[str, str], columns: Mapping[str, str], cells: Mapping[tuple[str, str], Score]
) -> list[str]:
    parts = []
    for place, (row, title) in enumerate(rows.items()):
        y = HEAD + ROW * place
        parts.append(_text(8, y + 19, title, 13, "start"))
        for column, name in enumerate(columns):
            parts += _cell(NAMES + COLUMN * column, y, cells.get((row, name)))
    return parts


def _cell(x: float, y: float, score: Score | None) -> list[str]:
    middle = x + COLUMN / 2
    if score is None or score.estimate is None or not math.isfinite(score.estimate.value):
        return [_text(middle, y + 19, "·" if score is None else "–", 13, "middle", 0.4)]
    value, low, high = score.estimate.value, score.estimate.low, score.estimate.high
    colour, weight = (COLD if value < 0 else HOT), 0.65 * min(abs(value), 1)
    box = f'x="{x + 2}" y="{y + 2}" width="{COLUMN - 4}" height="{ROW - 4}" rx="5"'
    parts = [f'<rect {box} fill="{colour}" fill-opacity="{weight:.2f}"/>']
    if not score.measured or score.exact or not math.isfinite(low):
        return [*parts, _text(middle, y + 19, _number(value), 13, "middle")]
    parts.append(_text(middle - 17, y + 19, _number(value), 13, "end"))
    digits = 1 if max(abs(low), abs(high)) >= 10 else 2  # so that it stays in its cell
    interval = f"{_number(low, digits)} to {_number(high, digits)}"
    return [*parts, _text(middle - 12, y + 19, interval, 8.5, "start", 0.7)]


def _number(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _text(
    x: float,
    y: float,
    text: str,
    size: float,
    anchor: str,
    opacity: float = 1.0,
    weight: int = 400,
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" fill="#1c2024" '
        f'fill-opacity="{opacity:g}" font-weight="{weight}">{clean(text)}</text>'
    )
