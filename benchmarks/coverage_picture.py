"""Curves of coverage as one SVG picture: a line for each explorer, a band for its seeds."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from zerogym.benchmarks.markup import clean
from zerogym.benchmarks.picture import FONT
from zerogym.benchmarks.svg import Frame

WIDTH, HEIGHT, NAMES = 760, 420, 210  # pixels; the names stand at the right
COLOURS = (
    "#8a8f98", "#4b5563", "#2f9e8f", "#cf7a45", "#3b6fb6",
    "#9b59b6", "#c0392b", "#b8860b", "#5d8a3a",
)  # fmt: skip
LINE = 17  # least pixels between two names


def coverage_picture(record: Mapping[str, Any]) -> str:
    """The picture of what `exploration.measure` returns."""
    steps, every = record["steps"], record["every"]
    curves = {name: np.array(rows) for name, rows in record["curves"].items()}  # (seeds, T)
    most = max(int(rows.max()) for rows in curves.values())
    frame = Frame((0, steps), (0, most), WIDTH, HEIGHT, 56, NAMES, 34, 44)
    parts = [_text(56, 20, f"States of {record['env']} seen, from one corner", 14, weight=600)]
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts += _tick(frame, share * steps, share * most)
    places = np.arange(every, steps + 1, every)
    for colour, rows in zip(COLOURS, curves.values(), strict=False):
        parts += _curve(frame, places, rows, colour)
    parts += _names(frame, steps, curves)
    note = f"steps; mean and range of {len(record['seeds'])} seeds"
    parts.append(_text(56, HEIGHT - 10, note, 11, opacity=0.7))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="{FONT}">'
        f'<rect width="100%" height="100%" rx="8" fill="#fbfaf8"/>{"".join(parts)}</svg>\n'
    )


def _tick(frame: Frame, x: float, y: float) -> list[str]:
    (across, bottom), (left, up) = frame.at(x, 0), frame.at(0, y)
    right = WIDTH - NAMES
    return [
        f'<line x1="{left:.1f}" x2="{right}" y1="{up:.1f}" y2="{up:.1f}" stroke="#e4e1db"/>',
        _text(left - 6, up + 4, f"{y:.0f}", 11, "end"),
        _text(across, bottom + 16, f"{x:,.0f}", 11, "middle"),
    ]


def _curve(frame: Frame, places: Any, rows: Any, colour: str) -> list[str]:
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
        parts.append(_text(WIDTH - NAMES + 8, last + 4, f"{name}  {count}", 12, colour=colour))
    return parts


def _text(
    x: float,
    y: float,
    text: str,
    size: float,
    anchor: str = "start",
    opacity: float = 1.0,
    weight: int = 400,
    colour: str = "#1c2024",
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" fill="{colour}" '
        f'fill-opacity="{opacity:g}" font-weight="{weight}">{clean(text)}</text>'
    )
