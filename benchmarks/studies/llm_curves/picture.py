"""Learning curves as one SVG picture: a panel for each lesson, the mean of its runs and a band."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zerogym.benchmarks.report.curves import COLOURS, banded, written
from zerogym.benchmarks.report.picture import FONT
from zerogym.benchmarks.report.svg import Frame

WIDTH, HEIGHT = 380, 240  # pixels of a panel
COLUMNS = 2


def curves_picture(records: Sequence[Mapping[str, Any]]) -> str:
    """The picture of what `llm_curves` keeps, a file each."""
    panels = [
        f'<g transform="translate({WIDTH * (at % COLUMNS)} {HEIGHT * (at // COLUMNS)})">'
        f"{_panel(record['settings']['title'], curves(record), COLOURS[2 + at % 4])}</g>"
        for at, record in enumerate(records)
    ]
    wide, tall = WIDTH * COLUMNS, HEIGHT * -(-len(panels) // COLUMNS)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" '
        f'width="{wide}" height="{tall}" font-family="{FONT}">'
        f'<rect width="100%" height="100%" rx="8" fill="#fbfaf8"/>{"".join(panels)}</svg>\n'
    )


def curves(record: Mapping[str, Any]) -> dict[int, list[float]]:
    """By step, the mean return of each run."""
    found: dict[int, list[float]] = {}
    for row in record["cells"]:
        for step, values in row["scores"][row["run"]].items():
            found.setdefault(int(step), []).append(values["return"])
    return dict(sorted(found.items()))


def _panel(title: str, points: Mapping[int, list[float]], colour: str) -> str:
    places = np.array(list(points))
    rows = np.array(list(points.values())).T  # (seeds, T)
    low, high = min(0.0, float(rows.min())), float(rows.max())
    frame = Frame((0, int(places[-1])), (low, high), WIDTH, HEIGHT, 46, 16, 34, 40)
    parts = [written(46, 20, title, 13, weight=600)]
    for share in (0, 0.5, 1):
        parts += _tick(frame, low + share * (high - low))
    parts += banded(frame, places, rows, colour)
    note = f"{places[-1]} steps; mean and range of {len(rows)} runs"
    return "".join([*parts, written(46, HEIGHT - 14, note, 11, opacity=0.7)])


def _tick(frame: Frame, value: float) -> list[str]:
    left, up = frame.at(0, value)
    line = f'<line x1="{left:.1f}" x2="{WIDTH - 16}" y1="{up:.1f}" y2="{up:.1f}" stroke="#e4e1db"/>'
    return [line, written(left - 6, up + 4, f"{value:.2f}", 11, "end")]
