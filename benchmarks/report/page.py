"""The frame of every report: one self-contained HTML file that says where its numbers come from.

No script, no request, nothing fetched: it opens from a disk, offline, light or dark, on a phone.
The style sheet is in `data/page.html`.
"""

import importlib.resources
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

from zerogym.benchmarks.report.markup import clean
from zerogym.benchmarks.report.svg import line_chart
from zerogym.benchmarks.results.results_file import Record, write_whole

LEARNERS_SHOWN = 12  # learning curves


def write_page(path: Path, title: str, body: str, records: Sequence[Record]) -> Path:
    """Write a report and return its path.

    Args:
        path: The file.
        title: Text.
        body: HTML.
        records: Of the run: the last `session` says where, `end` how long.
    """
    sessions = [r for r in records if r.get("kind") == "session"]
    text = fill(
        "page.html",
        title=clean(title),
        header=_header(sessions, records),
        body=body,
        provenance=_provenance(sessions),
    )
    write_whole(path, text)
    return path


def fill(name: str, **parts: str) -> str:
    """A file of `data` with HTML in its places."""
    page = importlib.resources.files("zerogym.benchmarks").joinpath(f"data/{name}")
    return Template(page.read_text(encoding="utf-8")).substitute(parts)


def notes(items: Sequence[tuple[str, str]]) -> str:
    """Names and what they mean."""
    return "".join(f"<dt>{clean(name)}</dt><dd>{clean(text)}</dd>" for name, text in items)


def learning_curves(records: Sequence[Record]) -> str:
    """A chart for each learner, the last training of each."""
    latest = {r["name"]: r for r in records if r.get("kind") == "curve"}
    figures = []
    for curve in list(latest.values())[:LEARNERS_SHOWN]:
        points = [
            (float(x), float(y)) for x, y in curve["points"] if x is not None and y is not None
        ]
        chart = line_chart(points, curve["x"], curve["y"])
        caption = f"<b>{clean(curve['name'])}</b><br>{clean(curve['y'])}"
        figures.append(f"<figure><figcaption>{caption}</figcaption>{chart}</figure>")
    return "".join(figures) or '<p class="quiet">Nothing was trained in this run.</p>'


def _header(sessions: Sequence[Record], records: Sequence[Record]) -> str:
    if not sessions:
        return ""
    last: dict[str, Any] = sessions[-1]
    seconds = sum(float(r.get("seconds") or 0) for r in records if r.get("kind") == "end")
    facts = (
        str(last.get("date", ""))[:16].replace("T", " "),
        f"zerogym {last.get('zerogym')}",
        f"commit {last.get('commit') or 'unknown'}",
        f"{seconds / 60:.1f} min" + (f" in {len(sessions)} sessions" if sessions[1:] else ""),
        f"{last.get('processor')}, {last.get('cores')} cores",
        f"GPU {last['gpu']}" if last.get("gpu") else "no GPU used",
        f"seed {last.get('seed')}",
    )
    return " ".join(f"<span>{clean(fact)}</span>" for fact in facts)


def _provenance(sessions: Sequence[Record]) -> str:
    if not sessions:
        return ""
    last = sessions[-1]
    packages = last.get("packages") or {}
    rows = [
        ("Python", last.get("python")),
        ("Platform", last.get("platform")),
        ("Memory", f"{last.get('memory_gib')} GiB"),
        *packages.items(),
    ]
    return notes([(str(name), str(value)) for name, value in rows])
