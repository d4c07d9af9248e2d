"""The frame of every report: one self-contained HTML file that says where its numbers come from.

No script, no request, nothing fetched: it opens from a disk, offline, light or dark, on a phone.
The frame and its style sheet are `data/page.html`, which the other templates extend.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from zerogym.benchmarks.report.charts import line_chart
from zerogym.benchmarks.report.markup import render
from zerogym.benchmarks.report.reproduction import citation
from zerogym.benchmarks.results.results_file import Record, write_whole

LEARNERS_SHOWN = 12  # learning curves
LOSS = "loss of F and B"  # label of curves of older runs, which tell nothing about returns


def write_page(
    path: Path,
    template: str,
    title: str,
    records: Sequence[Record],
    command: str = "",
    **context: Any,
) -> Path:
    """Write a report and return its path.

    Args:
        path: The file.
        template: Name of a template of `data` that extends `page.html`.
        title: Text.
        records: Of the run: the last `session` gives the machine, `end` the time, `curve` a chart.
        command: What makes the run again; empty if no command does.
        context: What else the template shows.
    """
    latest = {r["name"]: r for r in records if r.get("kind") == "curve"}
    curves = [
        (r["name"], "" if r["y"] == LOSS else r["y"], _chart(r))
        for r in list(latest.values())[:LEARNERS_SHOWN]
    ]
    text = render(
        template, title=title, facts=_facts(records), curves=curves,
        provenance=_provenance(records), command=command, citation=citation(), **context,
    )  # fmt: skip
    write_whole(path, text)
    return path


def _chart(curve: Record) -> str:
    """Return the chart of a learning curve; empty where no return was measured."""
    if curve["y"] == LOSS:
        return ""
    points = [(float(x), float(y)) for x, y in curve["points"] if x is not None and y is not None]
    return line_chart(points, curve["x"], curve["y"])


def _facts(records: Sequence[Record]) -> list[str]:
    """Return when, where and how long, in a few words each."""
    sessions = [r for r in records if r.get("kind") == "session"]
    if not sessions:
        return []
    last: dict[str, Any] = sessions[-1]
    seconds = sum(float(r.get("seconds") or 0) for r in records if r.get("kind") == "end")
    return [
        str(last.get("date", ""))[:16].replace("T", " "),
        f"zerogym {last.get('zerogym')}",
        f"commit {last.get('commit') or 'unknown'}",
        f"{seconds / 60:.1f} min" + (f" in {len(sessions)} sessions" if sessions[1:] else ""),
        f"{last.get('processor')}, {last.get('cores')} cores",
        f"GPU {last['gpu']}" if last.get("gpu") else "no GPU used",
        f"seed {last.get('seed')}",
    ]


def _provenance(records: Sequence[Record]) -> list[tuple[str, Any]]:
    """Return names and versions of the machine's parts and of the packages."""
    sessions = [r for r in records if r.get("kind") == "session"]
    if not sessions:
        return []
    last = sessions[-1]
    made_by = dict.fromkeys((s.get("zerogym"), s.get("commit") or "unknown") for s in sessions)
    versions = "; then ".join(f"{version} at commit {commit}" for version, commit in made_by)
    return [
        ("zerogym", versions),
        ("Processor", f"{last.get('processor')}, {last.get('cores')} cores"),
        ("GPU", last.get("gpu") or "none used"),
        ("Python", last.get("python")),
        ("Platform", last.get("platform")),
        ("Memory", f"{last.get('memory_gib')} GiB"),
        *(last.get("packages") or {}).items(),
    ]
