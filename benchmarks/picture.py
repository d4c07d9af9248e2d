"""The table as one SVG picture, for a README or a slide."""

import math
from collections.abc import Sequence

from zerogym.benchmarks.markup import clean
from zerogym.benchmarks.records import Contender, World
from zerogym.benchmarks.scores import Score, Table

ROW, COLUMN, NAMES, HEAD = 30, 116, 180, 44  # pixels
HOT, COLD = "#2f9e8f", "#cf7a45"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"


def picture(table: Table) -> str:
    """Worlds down, contenders across, each cell coloured by its score."""
    contenders = [c for c in table.suite.contenders if any(k[1] == c.name for k in table.cells)]
    worlds = [w for w in table.suite.worlds if any(k[0] == w.name for k in table.cells)]
    width, height = NAMES + COLUMN * len(contenders) + 8, HEAD + ROW * len(worlds) + 34
    parts = [*_head(contenders), *_rows(table, worlds, contenders)]
    note = "0 is a random policy, 1 is the truth; small: 95 % interval"
    parts.append(_text(8, height - 10, note, 11, "start", 0.7))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="{FONT}">'
        f'<rect width="100%" height="100%" rx="8" fill="#fbfaf8"/>{"".join(parts)}</svg>\n'
    )


def _head(contenders: Sequence[Contender]) -> list[str]:
    return [
        _text(NAMES + COLUMN * (i + 0.5), HEAD - 14, c.title, 13, "middle", weight=600)
        for i, c in enumerate(contenders)
    ]


def _rows(table: Table, worlds: Sequence[World], contenders: Sequence[Contender]) -> list[str]:
    parts = []
    for row, world in enumerate(worlds):
        y = HEAD + ROW * row
        parts.append(_text(8, y + 19, world.name, 13, "start"))
        for column, contender in enumerate(contenders):
            score = table.cells.get((world.name, contender.name))
            parts += _cell(NAMES + COLUMN * column, y, score)
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
    parts.append(_text(middle - 16, y + 19, _number(value), 13, "end"))
    interval = f"{_number(low)} to {_number(high)}"
    return [*parts, _text(middle - 11, y + 19, interval, 8.5, "start", 0.7)]


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


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
