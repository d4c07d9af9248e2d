"""Tables of findings: for the terminal, and as Markdown from the JSON files of `zerogym audit`."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from zerogym.benchmarks.auditing.runner import Report, read_json
from zerogym.benchmarks.auditing.subject import Finding

MARKS = {"pass": ("✓", "green"), "fail": ("✗", "bold red"), "skip": ("–", "dim")}
_MARKDOWN_MARKS = {"pass": "", "fail": " ✗", "skip": "–"}
COLUMNS = {  # check: title in the terminal, title in Markdown
    "own answer": ("own", "own"),
    "fitting answers": ("fit", "fitting"),
    "wrong answers": ("wrong", "changed"),
    "constant answer": ("const", "constant"),
    "shortcut": ("short", "shortcut"),
    "answer in sight": ("sight", "in sight"),
    "one call enough": ("1call", "one call"),
    "hostile replies": ("host", "hostile"),
    "determinism": ("same", "same again"),
    "seeds overlap": ("seeds", "next seed"),
    "splits overlap": ("split", "splits"),
    "overlap up to names": ("names", "up to names"),
    "difficulty": ("diff", "difficulty"),
}
EXACT = ("own answer", "determinism", "splits overlap")  # one number passes


def render(reports: Iterable[Report]) -> Table:
    """One row for each environment: a mark and a number for each check."""
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
    table.add_column("audit of", overflow="fold", min_width=12)
    for title in (*(short for short, _ in COLUMNS.values()), "/s"):
        table.add_column(title, justify="right", no_wrap=True)
    for report in reports:
        cells = []
        for finding in map(report.of, COLUMNS):
            mark, style = MARKS[finding.status] if finding else ("", "")
            exact = finding is not None and finding.status == "pass" and finding.check in EXACT
            shown = number(finding) if finding and not exact else ""
            cells.append(Text(f"{shown}{mark}", style))
        if made := report.of("make"):
            cells[0] = Text(*MARKS[made.status])
        found = report.of("rates")
        rate = found.measured.get("resets/s") if found else None
        shown = "" if rate is None else f"{rate:.0f}" if rate < 1000 else f"{rate / 1000:.3g}k"
        name = str(report.subject).removeprefix("zerogym/").removesuffix("-v0")
        table.add_row(Text(name), *cells, shown)
    return table


def markdown_table(path: Path, strip: str = "") -> str:
    """One file: its provenance, and a row for each environment.

    Args:
        path: A file of `write_json`.
        strip: Beginning of the names that the table leaves out.
    """
    origin = json.loads(path.read_text("utf-8"))["provenance"]
    packages = [
        f"{name} {origin['packages'][name]}"
        for name in ("reasoning-gym", "reasoning-core", "textarena", "gymnasium", "numpy")
        if name in origin["packages"]
    ]
    reports = read_json(path)
    made = {check for findings in reports.values() for check in findings}
    columns = [check for check in COLUMNS if check in made]
    titles = [COLUMNS[check][1] for check in columns]
    rows = ["| environment | " + " | ".join(titles) + " |", "|---" * (1 + len(titles)) + "|"]
    for subject, findings in sorted(reports.items()):
        cells = [_markdown_cell(findings.get(check)) for check in columns]
        name = subject.removeprefix("zerogym/").removesuffix("-v0").removeprefix(strip)
        rows.append(f"| {name.removesuffix('&guarded=False')} | {' | '.join(cells)} |")
    head = (
        f"{origin['date'][:10]}, {origin['processor']} ({origin['cores']} cores), Python "
        f"{origin['python']}, {', '.join(packages)}."
    )
    return f"{head}\n\n" + "\n".join(rows)


def _markdown_cell(finding: Finding | None) -> str:
    if finding is None:
        return ""
    mark = _MARKDOWN_MARKS[finding.status]
    if finding.check == "constant answer" and "categories" in finding.measured:
        answer = ""
        if finding.status == "fail":  # the constant whose score is too high
            floors = finding.measured["categories"].values()
            worst = str(max(floors, key=lambda floor: floor["mean"])["answer"])
            text = worst.replace("|", "\\|").replace("`", "'").replace("\n", " ")
            answer = f" `{text[:24]}`" if text.strip() else " (nothing)"
        return f"{worst_floor(finding):.2f}{answer}{mark}"
    if finding.check == "hostile replies":
        faults = finding.measured.get("faults", {}).values()
        kinds = Counter(str(fault).partition(" ")[0].rstrip(":") for fault in faults)
        return ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) + mark
    return f"{number(finding)}{mark}".strip()


def number(finding: Finding) -> str:
    """The one number of a finding that a table shows."""
    m = finding.measured
    match finding.check:
        case "own answer" | "wrong answers" if "mean" in m:
            return f"{m['mean']:.2g}"
        case "constant answer" if "overall" in m:
            return f"{worst_floor(finding):.2f}"
        case "fitting answers" if m.get("refused"):
            return str(len(m["refused"]))
        case "shortcut" if "best" in m:
            return f"{m['classifiers'][m['best']]['right']:.2f}"
        case "overlap up to names" if "levels" in m:
            return f"{max(level['share'] for level in m['levels'].values()):.0%}"
        case "answer in sight" | "one call enough" if "share" in m:
            return f"{m['share']:.0%}"
        case "hostile replies":
            return str(len(m.get("faults", ())) or "")
        case "determinism" if "ways" in m:
            return f"{sum(way == 'same' for way in m['ways'].values())}/{len(m['ways'])}"
        case "seeds overlap" if "next seed" in m:
            return f"{m['next seed']:.0%}"
        case "splits overlap" if "shared" in m:
            return str(m["shared"])
    return ""


def worst_floor(finding: Finding) -> float:
    """Mean score of the best constant answer, in the category where it is highest."""
    return max(float(floor["mean"]) for floor in finding.measured["categories"].values())
