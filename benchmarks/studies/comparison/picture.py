"""A study as one SVG picture: a panel a task, each variant's runs, their mean and its interval."""

import math
from collections.abc import Mapping
from typing import Any

from zerogym.benchmarks.report.charts import ACCENTS, INK, MUTED, alone, figure
from zerogym.benchmarks.studies.comparison.study import RIVAL, START
from zerogym.benchmarks.studies.comparison.table import lines

WIDTH, ROW, EDGE = 380, 20, 60  # pixels of a panel, of a row, and around the rows


def study_picture(record: Mapping[str, Any]) -> str:
    """Return the picture of a record; a vertical line marks the mean of the baseline."""
    tasks = record["tasks"]
    most = max(len(lines(record, task)) for task in tasks)
    size = WIDTH * len(tasks), ROW * most + EDGE
    with figure(*size, ncols=len(tasks), squeeze=False) as (drawn, [panels]):
        for axes, task in zip(panels, tasks, strict=True):
            rows = lines(record, task)
            for place, row in enumerate(rows):
                colour = ACCENTS[1] if row.name in (START, RIVAL) else ACCENTS[0]
                runs = list(row.runs.values())
                axes.plot(runs, [place] * len(runs), "o", color=colour, alpha=0.3, markersize=3)
                if math.isfinite(row.mean.low):
                    ends = [row.mean.low, row.mean.high]
                    axes.plot(ends, [place] * 2, color=colour, alpha=0.5, linewidth=3)
                axes.plot(row.mean.value, place, "o", color=colour, markersize=5)
                if row.name == record["baseline"]:
                    axes.axvline(row.mean.value, color=MUTED, linewidth=0.8, zorder=0)
            axes.set_yticks(range(len(rows)), [row.name for row in rows], parse_math=False)
            axes.tick_params(axis="y", labelcolor=INK)
            axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
            axes.grid(axis="y", visible=False)
            axes.grid(axis="x", visible=True)
            axes.set_title(task, parse_math=False)
            axes.set_xlabel("mean return: runs, their mean, 95 % interval")
        return alone(drawn)
