"""`zerogym compare`: runs of `zerogym bench` side by side, with intervals of their differences."""

from pathlib import Path
from typing import Annotated

import typer

from zerogym.cli.console import AsJson, friendly, out, print_json, usage_errors
from zerogym.errors import require


@friendly
def compare(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of runs; the first is compared with the others.")
    ],
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="The agent to compare; given once for each run, the agent of each. Default: all "
            "that the runs have in common."
        ),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="A task of the runs; may be repeated.")
    ] = None,
    as_json: AsJson = False,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Folder to write compare.html into.")
    ] = None,
) -> None:
    """Compare runs of `zerogym bench quick`, or agents of one run that is given twice.

    Runs of other tasks or versions are refused.
    """
    if not as_json:
        require("jinja2", "bench", "the table")
    if out_dir is not None:
        require("matplotlib", "bench", "the page")
    from zerogym.benchmarks.suites.comparison import compare as compare_runs

    with usage_errors(ValueError):
        comparison = compare_runs(runs, agent or (), only or ())
    if as_json:
        print_json(comparison.to_json())
    else:
        from zerogym.benchmarks.report.comparison_table import render_comparison

        out.print(render_comparison(comparison))
    if out_dir is not None:
        from zerogym.benchmarks.report.comparison_page import write_comparison

        page = write_comparison(comparison, out_dir)
        if not as_json:
            out.print(f"[bold]Page[/]  {page.resolve().as_uri()}", soft_wrap=True)
