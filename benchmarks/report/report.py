"""One self-contained HTML file about a run: table, plots, transcripts, provenance.

The frame of the page is in `page.py`, its contents are `data/report.html`.
"""

from collections.abc import Sequence
from pathlib import Path

from zerogym.benchmarks.report.charts import forest
from zerogym.benchmarks.report.findings import findings
from zerogym.benchmarks.report.page import write_page
from zerogym.benchmarks.report.transcripts import mazes, transcripts
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.results.schema import Suite, World
from zerogym.benchmarks.suites.scores import tabulate


def write_report(suite: Suite, records: Sequence[Record], path: Path) -> Path:
    """Write the report of a run and return its path."""
    table = tabulate(suite, records)
    totals = [
        (f"{agent.title} ({total.worlds})", *vars(total.estimate).values())
        for agent in suite.agents
        if (total := table.totals.get(agent.name)) is not None
    ]
    return write_page(
        path,
        "report.html",
        f"zerogym bench {suite.name}",
        records,
        table=table,
        findings=findings(table),
        totals=forest(totals) if totals else "",
        mazes=mazes(suite, records),
        transcripts=transcripts(suite, records),
        agents=[(agent.title, agent.about) for agent in suite.agents],
        worlds=[(world.name, _about(world)) for world in suite.worlds],
        problems=[(*key, score.error) for key, score in table.cells.items() if score.error],
    )


def _about(world: World) -> str:
    arguments = ", ".join(f"{k}={v!r}" for k, v in sorted(world.kwargs.items()))
    how = "exact value" if world.measure == "game_tree" else f"{world.episodes} episodes each"
    tasks = f"{len(world.variants)} tasks, " if len(world.variants) > 1 else ""
    return f"{world.about} {world.env_id}({arguments}); {tasks}{how}."
