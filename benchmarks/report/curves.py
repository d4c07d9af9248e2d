"""Curves of coverage as one SVG picture: a panel for each world, a line for each explorer."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from zerogym.benchmarks.report.markup import clean
from zerogym.benchmarks.report.picture import FONT
from zerogym.benchmarks.report.svg import Frame

WIDTH, HEIGHT, NAMES = 760, 420, 210  # pixels; the names stand at the right
COLOURS = (
    "#8a8f98", "#4b5563", "#2f9e8f", "#cf7a45", "#3b6fb6",
    "#9b59b6", "#c0392b", "#b8860b", "#5d8a3a",
)  # fmt: skip
LINE = 17  # least pixels between two names


def coverage_picture(record: Mapping[str, Any]) -> str:
    """The picture of what `exploration.measure` returns: a panel for each world."""
    panels = [
        f'<g transform="translate(0 {HEIGHT * number})">{_panel(record, world)}</g>'
        for number, world in enumerate(record["curves"])
    ]
    tall = HEIGHT * len(panels)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" '
        f'width="{WIDTH}" height="{tall}" font-family="{FONT}">'
        f'<rect width="100%" height="100%" rx="8" fill="#fbfaf8"/>{"".join(panels)}</svg>\n'
    )


def _panel(record: Mapping[str, Any], world: str) -> str:
    steps, every = record["steps"], record["every"]
    rows = record["curves"][world]
    curves = {name: np.array([row["cells"] for row in rows[name]]) for name in rows}  # (seeds, T)
    most = max(int(counts.max()) for counts in curves.values())
    frame = Frame((0, steps), (0, most), WIDTH, HEIGHT, 56, NAMES, 34, 44)
    parts = [written(56, 20, f"{world}: cells of states entered", 14, weight=600)]
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts += _tick(frame, share * steps, share * most)
    places = np.arange(every, steps + 1, every)
    for colour, counts in zip(COLOURS, curves.values(), strict=False):
        parts += banded(frame, places, counts, colour)
    parts += _names(frame, steps, curves)
    seeds = len(next(iter(curves.values())))
    parts.append(
        written(56, HEIGHT - 10, f"steps; mean and range of {seeds} seeds", 11, opacity=0.7)
    )
    return "".join(parts)


def _tick(frame: Frame, x: float, y: float) -> list[str]:
    (across, bottom), (left, up) = frame.at(x, 0), frame.at(0, y)
    right = WIDTH - NAMES
    return [
        f'<line x1="{left:.1f}" x2="{right}" y1="{up:.1f}" y2="{up:.1f}" stroke="#e4e1db"/>',
        written(left - 6, up + 4, f"{y:.0f}", 11, "end"),
        written(across, bottom + 16, f"{x:,.0f}", 11, "middle"),
    ]


def banded(frame: Frame, places: Any, rows: Any, colour: str) -> list[str]:
    """The mean of curves, rows (seeds, T) at places (T,), in a band from the least to the most."""

    def points(values: Any, order: int = 1) -> str:
        pairs = list(zip(places, values, strict=True))[::order]
        return " ".join("{:.1f},{:.1f}".format(*frame.at(float(x), float(y))) for x, y in pairs)

    band = f"{points(rows.max(axis=0))} {points(rows.min(axis=0), -1)}"
    line = points(rows.mean(axis=0))
    return [
        f'<polygon points="{band}" fill="{colour}" fill-opacity="0.13"/>',
        f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.8"/>',
    ]


def _names(frame: Frame, steps: int, curves: Mapping[str, Any]) -> list[str]:
    """The names at the ends of their lines, from above, none on another."""
    ends = [
        (frame.at(steps, float(rows[:, -1].mean()))[1], name, colour)
        for colour, (name, rows) in zip(COLOURS, curves.items(), strict=False)
    ]
    parts, last = [], -np.inf
    for y, name, colour in sorted(ends):
        last = max(y, last + LINE)
        count = f"{curves[name][:, -1].mean():.0f}"
        parts.append(written(WIDTH - NAMES + 8, last + 4, f"{name}  {count}", 12, colour=colour))
    return parts


def written(
    x: float,
    y: float,
    text: str,
    size: float,
    anchor: str = "start",
    opacity: float = 1.0,
    weight: int = 400,
    colour: str = "#1c2024",
) -> str:
    """A text of the picture."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" fill="{colour}" '
        f'fill-opacity="{opacity:g}" font-weight="{weight}">{clean(text)}</text>'
    )
