"""`zerogym audit`: check that a text environment scores right answers only, deterministically."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from zerogym.cli.console import (
    AsJson,
    UsageError,
    friendly,
    json_only,
    out,
    print_json,
    printable,
    progress_bar,
)
from zerogym.cli.names import typed_id
from zerogym.envs.processors import processors
from zerogym.envs.registry import FAMILIES
from zerogym.errors import UnknownName

SECONDS = 120.0


@friendly
def audit(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            help="Gymnasium ids, `module:id` to import a module first, with arguments as "
            "`ID?name=value&...`; of ours the bare name is enough."
        ),
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(help="All text tasks of one of our families; may be repeated."),
    ] = None,
    check: Annotated[
        list[str] | None,
        typer.Option(help="Run this check only, such as 'shortcut'; may be repeated."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Draw less; seconds for each id.")] = False,
    file: Annotated[
        Path | None, typer.Option("--out", help="Write every number to this JSON file.")
    ] = None,
    as_json: AsJson = False,
    known: Annotated[
        Path | None,
        typer.Option(
            help="JSON of findings that are known and open, {ID: {CHECK: REASON}}: they are shown, "
            "and do not fail the audit. An entry whose check ran without a fault is named as stale."
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, help="Wall time for one check.")] = SECONDS,
    processes: Annotated[int, typer.Option(min=0, help="Ids at once; 0: one a core.")] = 0,
) -> None:
    """Audit text environments; ends with exit code 1 if any check fails.

    An environment offers its oracle as `oracle_action()`; without it the checks that need a right
    answer are skipped.
    """
    from zerogym.benchmarks.auditing.checks import CHECKS
    from zerogym.benchmarks.auditing.runner import Report, as_document, write_json
    from zerogym.benchmarks.auditing.runner import audit as run
    from zerogym.benchmarks.auditing.subject import QUICK, Finding, Size, text_tasks
    from zerogym.benchmarks.auditing.tables import render

    json_only(as_json)
    for name in family or []:
        if name not in FAMILIES:
            raise UnknownName("family", name, list(FAMILIES))
    for name in check or []:
        if name not in CHECKS:
            raise UnknownName("check", name, list(CHECKS))
    checks = [name for name in CHECKS if name in check] if check else list(CHECKS)
    subjects = [_subject(text) for text in ids or []]
    subjects += [subject for name in family or [] for subject in text_tasks(name)]
    if not subjects:
        raise UsageError("name the ids to audit, or a --family")
    bar = progress_bar(transient=True)
    line = bar.add_task("[bold]audit[/]", total=len(subjects), note="")
    reports: list[Report] = []

    def on_finding(report: Report, finding: Finding) -> None:
        if report not in reports:
            reports.append(report)
        bar.update(line, note=f"{report.subject}: {finding.check}")
        if finding.status == "fail" or finding.check == "make":
            what = escape(f"{report.subject}: {finding.check}")
            color = "red" if finding.status == "fail" else "yellow"
            out.print(f"[{color}]{what}[/] {escape(printable(finding.says))}", soft_wrap=True)
        if finding.check in (checks[-1], "make"):
            bar.advance(line)

    try:
        with bar:
            reports = run(
                subjects, QUICK if quick else Size(), seconds, processes or processors(),
                on_finding, checks,
            )  # fmt: skip
    finally:
        out.print(render(reports))
        if file is not None:
            write_json(reports, file)
        if as_json:
            print_json(as_document(reports))
    open_findings = _read_known(known) if known else {}
    dirty = []
    for report in reports:
        reasons = open_findings.get(str(report.subject), {})
        failed = {finding.check for finding in report.findings if finding.status == "fail"}
        for name in sorted(failed & set(reasons)):
            out.print(f"known: {escape(f'{report.subject}: {name}: {reasons[name]}')}")
        done = {finding.check for finding in report.findings}
        for name in sorted(set(reasons) - failed & set(reasons)):
            if name in done or name not in CHECKS:
                gone = f"{report.subject}: {name} does not fail; delete it from {known}"
                out.print(f"[yellow]stale:[/] {escape(gone)}", soft_wrap=True)
        if failed - set(reasons) or not (failed or report.clean):
            dirty.append(report)
    if dirty:
        out.print(f"[bold red]{len(dirty)} of {len(reports)} environments are not clean[/]")
        raise typer.Exit(1)
    skipped = sum(report.of("make") is not None for report in reports)
    left_out = f", {skipped} could not be audited here" if skipped else ""
    out.print(f"[bold green]{len(reports) - skipped} environments are clean[/]{left_out}")


def _read_known(path: Path) -> dict[str, dict[str, str]]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"--known {path}: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(each, dict) for each in found.values()):
        raise UsageError(f"--known {path} must hold {{ID: {{CHECK: REASON}}}}")
    return found


def _subject(text: str) -> Any:
    """The subject of an id; the module of `module:ID` is imported."""
    from zerogym.benchmarks.auditing.by_id import subject_of

    name = text.partition("?")[0]
    if ":" in name:
        typed_id(name)
    return subject_of(text)
