"""Learning curves as one SVG picture: a panel for each study, the mean of its runs and a band."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zerogym.benchmarks.report.charts import alone, banded, figure

WIDTH, HEIGHT = 380, 240  # pixels of a panel
COLUMNS = 2


def curves_picture(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the picture of the records of `llm_curves`, a panel each."""
    rows = -(-len(records) // COLUMNS)
    shape = {"nrows": rows, "ncols": COLUMNS, "squeeze": False}
    with figure(WIDTH * COLUMNS, HEIGHT * rows, **shape) as (drawn, panels):
        for number, axes in enumerate(panels.flat):
            if number >= len(records):
                axes.axis("off")
                continue
            points = curves(records[number])
            places, values = np.array(list(points)), np.array(list(points.values())).T  # (seeds, T)
            banded(axes, places, values, color=f"C{number % 4}")
            axes.set_ylim(bottom=min(0.0, float(values.min())))
            axes.set_title(records[number]["settings"]["title"])
            axes.set_xlabel(f"{places[-1]} steps; mean and range of {len(values)} runs")
        return alone(drawn)


def curves(record: Mapping[str, Any]) -> dict[int, list[float]]:
    """Return by step the mean return of each run."""
    found: dict[int, list[float]] = {}
    for row in record["cells"]:
        for step, values in row["scores"][row["run"]].items():
            found.setdefault(int(step), []).append(values["return"])
    return dict(sorted(found.items()))
