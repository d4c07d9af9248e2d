"""Audits as Markdown tables, from the JSON files that `zerogym audit --json` writes."""

import json
from pathlib import Path
from typing import Any

from zerogym.benchmarks.audit.runner import number, read_json, worst_floor
from zerogym.benchmarks.audit.subject import Finding

_MARKS = {"pass": "", "fail": " ✗", "skip": "–"}
_COLUMNS = ("own answer", "wrong answers", "constant answer", "hostile replies", "determinism",
            "seeds overlap", "splits overlap", "difficulty")  # fmt: skip
_TITLES = (
    "own", "changed", "constant", "hostile", "same again", "next seed", "splits", "difficulty",
)  # fmt: skip


def table(path: Path, strip: str = "") -> str:
    """One file: where it comes from, and a row for each environment.

    Args:
        path: A file of `write_json`.
        strip: Beginning of the names that the table leaves out.
    """
    origin = json.loads(path.read_text("utf-8"))["provenance"]
    rows = ["| environment | " + " | ".join(_TITLES) + " |", "|---" * (1 + len(_TITLES)) + "|"]
    for subject, findings in sorted(read_json(path).items()):
        cells = [_cell(findings.get(check)) for check in _COLUMNS]
        name = subject.removeprefix("zerogym/").removesuffix("-v0").removeprefix(strip)
        rows.append(f"| {name.removesuffix('&guarded=False')} | {' | '.join(cells)} |")
    return f"{_origin(origin)}\n\n" + "\n".join(rows)


def _origin(origin: dict[str, Any]) -> str:
    packages = [
        f"{name} {origin['packages'][name]}"
        for name in ("reasoning-gym", "reasoning-core", "gymnasium", "numpy")
        if name in origin["packages"]
    ]
    return (
        f"{origin['date'][:10]}, {origin['processor']} ({origin['cores']} cores), Python "
        f"{origin['python']}, {', '.join(packages)}."
    )


def _cell(finding: Finding | None) -> str:
    if finding is None:
        return ""
    mark = _MARKS[finding.status]
    if finding.check == "constant answer" and "categories" in finding.measured:
        return f"{worst_floor(finding):.2f}{_answer(finding)}{mark}"
    if finding.check == "hostile replies":
        return f"{_kinds(finding)}{mark}"
    return f"{number(finding)}{mark}".strip()


def _answer(finding: Finding) -> str:
    """The constant that earns it, where it earns too much."""
    if finding.status != "fail":
        return ""
    worst = max(finding.measured["categories"].values(), key=lambda floor: floor["mean"])
    text = str(worst["answer"]).replace("|", "\\|").replace("`", "'").replace("\n", " ")
    return f" `{text[:24]}`" if text.strip() else " (nothing)"


def _kinds(finding: Finding) -> str:
    faults = finding.measured.get("faults", {}).values()
    kinds: dict[str, int] = {}
    for fault in faults:
        kind = str(fault).partition(" ")[0].rstrip(":")
        kinds[kind] = kinds.get(kind, 0) + 1
    return ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
