"""One self-contained HTML file about a run: table, plots, a section a task, provenance.

The frame of the page is in `page.py`, its contents are `data/report.html`. The numbers of the table
are beside it in `results.csv`.
"""

from collections.abc import Sequence
from pathlib import Path

from zerogym.benchmarks.report.charts import forest
from zerogym.benchmarks.report.findings import findings
from zerogym.benchmarks.report.page import write_page
from zerogym.benchmarks.report.pass_curves import pass_panels
from zerogym.benchmarks.report.reproduction import command_of
from zerogym.benchmarks.report.sections import sections
from zerogym.benchmarks.report.table_csv import table_csv
from zerogym.benchmarks.results.results_file import Record, write_whole
from zerogym.benchmarks.results.schema import Suite
from zerogym.benchmarks.suites.scores import DAGGER, tabulate

CSV = "results.csv"


def write_report(suite: Suite, records: Sequence[Record], path: Path) -> Path:
    """Write the report of a run, and the CSV beside it; return the path of the report."""
    table = tabulate(suite, records)
    totals = [
        (f"{agent.title} ({total.worlds})", *vars(total.estimate).values())
        for agent in suite.agents
        if (total := table.totals.get(agent.name)) is not None
    ]
    seeds = [r.get("seed") or 0 for r in records if r.get("kind") == "session"]
    write_whole(path.with_name(CSV), table_csv(table))
    return write_page(
        path,
        "report.html",
        f"zerogym bench {suite.name}",
        records,
        command=command_of(suite, seeds[-1] if seeds else 0),
        table=table,
        csv=CSV,
        dagger=DAGGER,
        findings=findings(table),
        totals=forest(totals) if totals else "",
        sections=sections(table, records),
        sampled=pass_panels(path.parent),
        agents=[(agent.title, agent.about) for agent in suite.agents],
        problems=[
            (*key, score.error)
            for key, score in table.cells.items()
            if score.error and key[1] not in table.absent
        ],
    )
