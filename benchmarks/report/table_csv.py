"""The table of a run as `results.csv`: a row for each task and agent."""

import csv
import io
import math
from typing import Any

from zerogym.benchmarks.report.markup import visible
from zerogym.benchmarks.suites.scores import Table

COLUMNS = (
    "task", "env_id", "agent", "status", "estimate", "low", "high", "n", "interval_over",
    "mean_return",
)  # fmt: skip


def table_csv(table: Table) -> str:
    """Return the table as CSV; numbers that do not exist are empty.

    `estimate`, `low` and `high` are scores (0 a random policy, 1 the oracle), `n` counts episodes.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in table_rows(table):
        writer.writerow([_cell(value) for value in row.values()])
    return text.getvalue()


def table_rows(table: Table) -> list[dict[str, Any]]:
    """Return the rows of the table, with the values of `COLUMNS`."""
    rows = []
    for world in table.suite.worlds:
        for agent in table.suite.agents:  # those that could not play, too
            score = table.cells.get((world.name, agent.name))
            if score is None:
                continue
            value = None if score.estimate is None else score.estimate.value
            low, high = None, None
            if score.estimate is not None and score.measured and not score.exact:
                low, high = score.estimate.low, score.estimate.high
            words = [visible(word) for word in (world.name, world.env_id, agent.name)]
            counted = (score.episodes, score.over, score.raw)
            values = (*words, score.status, value, low, high, *counted)
            rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value
