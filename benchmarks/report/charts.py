"""Charts of reports and of the documentation, as SVG by matplotlib.

The style is `data/zerogym.mplstyle`. Charts inside a page take the page's colours, so that they
follow its light and dark themes; pictures that stand alone have a background of their own.
"""

import importlib.resources
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib.style
import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from zerogym.benchmarks.report.markup import visible

Points = Sequence[tuple[float, float]]
INK, MUTED, LINE, PAGE = "#1c2024", "#6b7178", "#e4e1db", "#fbfaf8"
ACCENTS = ("#16786e", "#b4652a", "#5b6bb0")
# The variables of the style sheet in `data/page.html` that hold these colours.
VARIABLES = {
    INK: "ink", MUTED: "quiet", LINE: "line", PAGE: "page",
    **dict(zip(ACCENTS, ("accent", "second", "third"), strict=True)),
}  # fmt: skip
PIXELS = 100  # an inch


@contextmanager
def figure(width: float, height: float, **axes: Any) -> Iterator[tuple[Figure, Any]]:
    """Open a figure of some pixels with its axes in the style of zerogym."""
    style = importlib.resources.files("zerogym.benchmarks").joinpath("data/zerogym.mplstyle")
    with importlib.resources.as_file(style) as path, matplotlib.style.context(path):
        drawn = Figure(figsize=(width / PIXELS, height / PIXELS), dpi=PIXELS, layout="constrained")
        yield drawn, drawn.subplots(**axes)


def alone(drawn: Figure) -> str:
    """Return a figure as an SVG file with a background."""
    drawn.set_facecolor(PAGE)
    return _svg(drawn)


def inline(drawn: Figure, title: str) -> Markup:
    """Return a figure as an element of a page, in the colours of the page."""
    text = _svg(drawn)
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r' (xmlns(:\w+)?|version|width|height)="[^"]*"', "", text, count=5)
    for colour, name in VARIABLES.items():
        text = text.replace(colour, f"var(--{name})")
    label = Markup('role="img" aria-label="{}"').format(title)
    return Markup(text.replace("<svg", f"<svg {label}", 1))


def _svg(drawn: Figure) -> str:
    text = io.StringIO()
    # Without a date and a creator two runs of one version write the same file.
    drawn.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def line_chart(points: Points, x_label: str, y_label: str) -> Markup:
    """Return a learning curve with a smoothed line (a running mean of a tenth) over the raw one."""
    data = np.array([p for p in points if all(map(math.isfinite, p))], np.float64)  # (T, 2)
    if not len(data):
        return Markup()
    xs, ys = data.T
    reach = len(data) // 20
    smooth = [ys[max(0, t - reach) : t + reach + 1].mean() for t in range(len(data))]
    with figure(250, 170) as (drawn, axes):
        if len(data) > 20:
            axes.plot(xs, ys, color=ACCENTS[0], alpha=0.28, linewidth=1)
        axes.plot(xs, smooth, color=ACCENTS[0])
        axes.plot(xs[-1:], smooth[-1:], "o", color=ACCENTS[0], markersize=4)
        axes.set_xlabel(visible(x_label), parse_math=False)
        axes.locator_params(nbins=4)
        return inline(drawn, f"{y_label} over {x_label}")


def forest(
    rows: Sequence[tuple[str, float, float, float]],
    label: str = "normalised score of each agent",
    span: tuple[float, float] = (0.0, 1.0),
) -> Markup:
    """Return a chart of values with intervals.

    Args:
        rows: Name, value, low and high of each.
        label: What is shown, for readers of the page who do not see it.
        span: What the axis covers at least.
    """
    with figure(420, 24 * len(rows) + 34) as (drawn, axes):  # a phone shows it at 3/4 of this
        for place, (_, value, low, high) in enumerate(rows):
            if math.isfinite(low) and math.isfinite(high):
                axes.plot([low, high], [place] * 2, color=ACCENTS[0], alpha=0.4, linewidth=3)
            axes.plot(value, place, "o", color=ACCENTS[0])
        axes.set_yticks(range(len(rows)), [visible(row[0]) for row in rows], parse_math=False)
        axes.tick_params(axis="y", labelcolor=INK)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(min(span[0], axes.get_xlim()[0]), max(span[1], axes.get_xlim()[1]))
        axes.grid(axis="y", visible=False)
        axes.grid(axis="x", visible=True)
        return inline(drawn, label)


def maze(
    paths: Sequence[Points],
    walls: Sequence[tuple[float, float, float, float]],
    size: float,
    goal: tuple[float, ...] | None,
) -> Markup:
    """Return paths in the square [0, size] x [0, size] with walls (x1, y1, x2, y2) and the goal."""
    with figure(200, 200) as (drawn, axes):
        axes.set(xlim=(0, size), ylim=(0, size), aspect="equal")
        axes.axis("off")
        axes.add_patch(Rectangle((0, 0), size, size, facecolor=PAGE, edgecolor=LINE))
        for x1, y1, x2, y2 in walls:
            axes.add_patch(Rectangle((x1, y1), x2 - x1, y2 - y1, facecolor=MUTED, alpha=0.55))
        if goal is not None:
            axes.add_patch(Circle((goal[0], goal[1]), 0.2, facecolor=ACCENTS[0], alpha=0.22))
        for colour, path in zip(ACCENTS * len(paths), paths, strict=False):
            axes.plot(*np.array(path).T, color=colour)
            axes.plot(*path[0], "o", color=colour, markersize=5)
        return inline(drawn, "paths in the point maze")


def banded(axes: Axes, places: Any, rows: Any, **line: Any) -> None:
    """Draw the mean of curves, rows (seeds, T) at places (T,), in a band from least to most."""
    (drawn,) = axes.plot(places, rows.mean(axis=0), **line)
    colour = drawn.get_color()
    axes.fill_between(places, rows.min(axis=0), rows.max(axis=0), color=colour, alpha=0.13, lw=0)


def coverage_picture(record: Mapping[str, Any]) -> str:
    """Return the picture of what `exploration.measure` returns: a panel for each environment."""
    places = np.arange(record["every"], record["steps"] + 1, record["every"])
    with figure(760, 420 * len(record["curves"]), nrows=len(record["curves"]), squeeze=False) as (
        drawn,
        panels,
    ):
        for axes, (world, curves) in zip(panels[:, 0], record["curves"].items(), strict=True):
            counts = {name: np.array([row["cells"] for row in curves[name]]) for name in curves}
            for name, rows in counts.items():  # (seeds, T)
                banded(axes, places, rows, label=f"{name}  {rows[:, -1].mean():.0f}")
            seeds = len(next(iter(counts.values())))
            axes.set_title(f"{world}: cells of states entered")
            axes.set_xlabel(f"steps; mean and range of {seeds} seeds")
            lines, names = axes.get_legend_handles_labels()
            order = sorted(range(len(names)), key=lambda i: -lines[i].get_ydata()[-1])
            axes.legend(
                [lines[i] for i in order], [names[i] for i in order], loc="center left",
                bbox_to_anchor=(1, 0.5), labelcolor="linecolor",
            )  # fmt: skip
        return alone(drawn)
