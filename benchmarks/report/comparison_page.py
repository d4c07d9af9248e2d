"""A comparison of runs as a page; its contents are `data/compare.html`."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from zerogym.benchmarks.report.charts import forest
from zerogym.benchmarks.report.comparison_table import NOTE, agents, interval_text, kind
from zerogym.benchmarks.report.page import write_page
from zerogym.benchmarks.results.run_folder import Run, read_run
from zerogym.benchmarks.suites.comparison import TOTAL, Comparison


def write_comparison(comparison: Comparison, folder: Path) -> Path:
    """Write `compare.html` into a folder and return its path."""
    runs = [read_run(Path(name)) for name in comparison.runs]
    several = len(comparison.runs) > 2
    differences = [
        (
            f"{row.task}, {agents(row)}" + (f", run {n}" if several else ""),
            *vars(difference.estimate).values(),
        )
        for row in comparison.rows
        for n, difference in enumerate(row.differences, 2)
        if difference is not None and row.unit == "score"
    ]
    label = "difference of each run's score from that of run 1"
    return write_page(
        folder / "compare.html",
        "compare.html",
        "zerogym compare",
        [],
        command=_command(comparison, runs),
        comparison=comparison,
        runs=[_facts(run) for run in runs],
        chart=forest(differences, label, (-0.1, 0.1)) if differences else "",
        agents=agents,
        interval=interval_text,
        kind=kind,
        note=NOTE,
    )


def _command(comparison: Comparison, runs: Sequence[Run]) -> str:
    blocks = dict.fromkeys(row.agents for row in comparison.rows)
    shown = [task for task in dict.fromkeys(row.task for row in comparison.rows) if task != TOTAL]
    names = dict.fromkeys(next(iter(blocks))) if len(blocks) == 1 else ()
    every = {task for run in runs for task in run.tasks}
    words = ["zerogym", "compare", *comparison.runs]
    words += [word for name in names for word in ("--agent", name)]
    words += [word for task in shown if len(shown) < len(every) for word in ("--only", task)]
    return shlex.join(words)


def _facts(run: Run) -> tuple[str, str]:
    """Return a run's folder, and when and with what it was made."""
    last = run.session
    return str(run.folder), ", ".join(
        (
            str(last.get("date", ""))[:16].replace("T", " "),
            f"suite {last.get('suite')}, seed {last.get('seed')}",
            f"zerogym {last.get('zerogym')} at commit {last.get('commit') or 'unknown'}",
            f"{last.get('processor')}, {last.get('cores')} cores",
            f"GPU {last['gpu']}" if last.get("gpu") else "no GPU used",
        )
    )
