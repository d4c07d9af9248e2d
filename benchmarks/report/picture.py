"""The table as one SVG picture, for a README or a slide."""

import math
from collections.abc import Container, Mapping

from matplotlib.patches import Rectangle

from zerogym.benchmarks.report.charts import alone, figure
from zerogym.benchmarks.report.markup import visible
from zerogym.benchmarks.suites.scores import DAGGER, Score, Table

ROW, COLUMN, NAMES, HEAD = 30, 124, 180, 44  # pixels
POSITIVE, NEGATIVE = "#2f9e8f", "#cf7a45"
NOTE = "0 is a random policy, 1 is the oracle; small: 95 % interval"


def picture(table: Table) -> str:
    """Return the table of a run: worlds down, agents across, each cell coloured by its score."""
    worlds = [w.name for w in table.suite.worlds if any(k[0] == w.name for k in table.cells)]
    agents = {a.name: a.title for a in table.shown}
    marked = {
        (world.name, agent.name)
        for world in table.suite.worlds
        for agent in table.shown
        if table.is_transfer(world, agent)
    }
    note = "; ".join(filter(None, (NOTE, table.transfer_note.removesuffix("."))))
    return grid_picture({name: name for name in worlds}, agents, table.cells, note, marked)


def grid_picture(
    rows: Mapping[str, str],
    columns: Mapping[str, str],
    cells: Mapping[tuple[str, str], Score],
    note: str,
    marked: Container[tuple[str, str]] = (),
) -> str:
    """Return a picture of scores.

    Args:
        rows: Names in `cells`, and what to write.
        columns: The same.
        cells: Scores by row and column; some may be absent.
        note: How to read them, in a line.
        marked: Cells with a dagger, which the note explains.
    """
    width, height = NAMES + COLUMN * len(columns) + 8, HEAD + ROW * len(rows) + 34
    with figure(width, height) as (drawn, axes):
        drawn.set_layout_engine("none")
        axes.set(position=(0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        axes.axis("off")

        def write(x: float, y: float, text: str, **style: object) -> None:
            axes.text(x, y, visible(text), parse_math=False, va="center", **style)

        for place, title in enumerate(columns.values()):
            write(NAMES + COLUMN * (place + 0.5), HEAD - 16, title, ha="center", weight="bold")
        for down, (row, title) in enumerate(rows.items()):
            y = HEAD + ROW * (down + 0.5)
            write(8, y, title)
            for across, column in enumerate(columns):
                x = NAMES + COLUMN * (across + 0.5)
                score = cells.get((row, column))
                if score is None or score.estimate is None or not score.has_scale:
                    write(x, y, "·" if score is None else "–", ha="center", alpha=0.4)
                    continue
                value, low, high = score.estimate.value, score.estimate.low, score.estimate.high
                mark = DAGGER if (row, column) in marked else ""
                box = Rectangle((x - COLUMN / 2 + 2, y - ROW / 2 + 2), COLUMN - 4, ROW - 4)
                box.set(color=NEGATIVE if value < 0 else POSITIVE, alpha=0.65 * min(abs(value), 1))
                axes.add_patch(box)
                if not score.measured or score.exact or not math.isfinite(low):
                    write(x, y, _number(value) + mark, ha="center")
                    continue
                digits = 1 if max(abs(low), abs(high)) >= 10 else 2  # so that it stays in its cell
                write(x - 17, y, _number(value, digits) + mark, ha="right")
                interval = f"{_number(low, digits)} to {_number(high, digits)}"
                write(x - 12, y, interval, size=6, alpha=0.7)
        write(8, height - 14, note, size=8, alpha=0.7)
        return alone(drawn)


def _number(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace("-", "−")
