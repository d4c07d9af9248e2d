"""Small inline SVG charts that follow the page's colours; no library, no script.

Classes (`axis`, `grid`, `line`, ...) are coloured by the style sheet of the report.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from zerogym.benchmarks.report.markup import clean

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Frame:
    """Maps data to pixels."""

    x: tuple[float, float]
    y: tuple[float, float]
    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Pixel of a data point."""
        across = (x - self.x[0]) / ((self.x[1] - self.x[0]) or 1)
        up = (y - self.y[0]) / ((self.y[1] - self.y[0]) or 1)
        inner_width = self.width - self.left - self.right
        inner_height = self.height - self.top - self.bottom
        return self.left + across * inner_width, self.top + (1 - up) * inner_height


def line_chart(points: Points, x_label: str, y_label: str) -> str:
    """A learning curve with a smoothed line over the raw one."""
    data = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
    if not data:
        return ""
    ys = [y for _, y in data]
    low, high = min(ys), max(ys)
    pad = 0.05 * ((high - low) or 1)
    frame = Frame(
        (min(x for x, _ in data), max(x for x, _ in data)),
        (low - pad, high + pad),
        *(250, 170, 40, 10, 10, 36),
    )
    parts = [_axes(frame)]
    if len(data) > 20:
        parts.append(_polyline(frame, data, "line raw"))
    parts.append(_polyline(frame, _smooth(data), "line"))
    x, y = frame.at(*_smooth(data)[-1])
    parts.append(f'<circle class="end" cx="{x:.1f}" cy="{y:.1f}" r="3"/>')
    parts.append(f'<text class="label" x="145" y="165">{clean(x_label)}</text>')
    return _svg(250, 170, f"{y_label} over {x_label}", parts)


def forest(rows: Sequence[tuple[str, float, float, float]], low: float = 0.0) -> str:
    """Values with intervals, one row each: (name, value, low, high)."""
    height = 26 * len(rows) + 34
    least = min([low, *(r[2] for r in rows if math.isfinite(r[2]))])
    frame = Frame((min(least, 0.0), 1.0), (0, 1), *(900, height, 150, 30, 8, 26))
    parts = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, _ = frame.at(tick, 0)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="8" y2="{height - 26}"/>')
        parts.append(f'<text class="tick mid" x="{x:.1f}" y="{height - 8}">{tick:g}</text>')
    for index, (name, value, least, most) in enumerate(rows):
        y = 8 + 26 * index + 13
        x, _ = frame.at(value, 0)
        parts.append(f'<text class="name" x="136" y="{y + 4}">{clean(name)}</text>')
        if math.isfinite(least) and math.isfinite(most):
            (x1, _), (x2, _) = frame.at(least, 0), frame.at(most, 0)
            parts.append(f'<line class="whisker" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y}" y2="{y}"/>')
        parts.append(f'<circle class="dot" cx="{x:.1f}" cy="{y}" r="5"/>')
    return _svg(900, height, "normalised score of each contender", parts)


def maze(
    paths: Sequence[Points],
    walls: Sequence[tuple[float, float, float, float]],
    size: float,
    goal: tuple[float, float] | None,
) -> str:
    """Paths in the square [0, size] x [0, size] with walls (x1, y1, x2, y2)."""
    frame = Frame((0, size), (0, size), *(200, 200, 6, 6, 6, 6))
    parts = ['<rect class="floor" x="6" y="6" width="188" height="188" rx="3"/>']
    for x1, y1, x2, y2 in walls:
        (left, top), (right, bottom) = frame.at(x1, y2), frame.at(x2, y1)
        box = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}"'
        parts.append(f'<rect class="wall" {box} height="{bottom - top:.1f}"/>')
    if goal is not None:
        x, y = frame.at(*goal)
        parts.append(f'<circle class="goal" cx="{x:.1f}" cy="{y:.1f}" r="{0.2 / size * 188:.1f}"/>')
    for index, path in enumerate(paths):
        parts.append(_polyline(frame, path, f"path p{index % 3}"))
        x, y = frame.at(*path[0])
        parts.append(f'<circle class="start p{index % 3}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>')
    return _svg(200, 200, "paths in the point maze", parts)


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{clean(title)}">'
        f"{''.join(parts)}</svg>"
    )


def _polyline(frame: Frame, points: Points, kind: str) -> str:
    pixels = " ".join("{:.1f},{:.1f}".format(*frame.at(x, y)) for x, y in points)
    return f'<polyline class="{kind}" points="{pixels}"/>'


def _axes(frame: Frame) -> str:
    parts = []
    for value in _ticks(*frame.y):
        x, y = frame.at(frame.x[0], value)
        end = frame.width - frame.right
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{end:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick end" x="{x - 6:.1f}" y="{y + 4:.1f}">{value:g}</text>')
    for value in frame.x:
        x, y = frame.at(value, frame.y[0])
        side = "mid" if value == frame.x[0] else "end"
        parts.append(f'<text class="tick {side}" x="{x:.1f}" y="{y + 15:.1f}">{value:,.0f}</text>')
    return "".join(parts)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers inside an interval: three to six of them."""
    span = high - low
    step = 10 ** math.floor(math.log10(span / 3)) if span > 0 else 1.0
    for factor in (1, 2, 5, 10):
        if span / (step * factor) <= 5:
            step *= factor
            break
    first = math.ceil(low / step)
    last = math.floor(high / step)
    return [round(n * step, 10) for n in range(first, last + 1)]


def _smooth(points: Points) -> list[tuple[float, float]]:
    """Running mean over a tenth of the points."""
    reach = len(points) // 20
    smooth = []
    for index, (x, _) in enumerate(points):
        near = points[max(0, index - reach) : index + reach + 1]
        smooth.append((x, sum(y for _, y in near) / len(near)))
    return smooth
