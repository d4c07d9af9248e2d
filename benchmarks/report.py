"""One self-contained HTML file about a run."""

from collections.abc import Sequence
from pathlib import Path

from zerogym.benchmarks.records import Suite
from zerogym.benchmarks.results import Record, write_whole


def write_report(suite: Suite, records: Sequence[Record], path: Path) -> Path:
    """Write the report and return its path."""
    write_whole(path, "<!doctype html>")
    return path
