"""`zerogym bench talk`: welfare, roles and success in the games of talk."""

import os
from pathlib import Path
from typing import Annotated

import typer

from zerogym.cli.bench_screen import Screen
from zerogym.cli.console import (
    AsJson,
    friendly,
    interrupted,
    json_only,
    out,
    print_json,
    usage_errors,
)
from zerogym.errors import require


@friendly
def talk(
    out_dir: Annotated[Path, typer.Option("--out", help="Folder of results and report.")] = Path(
        "results/talk"
    ),
    seed: Annotated[int, typer.Option(min=0, help="Of deals and players.")] = 0,
    episodes: Annotated[
        int | None,
        typer.Option(
            min=2, help="Of each cell. Default: 100, and 20 where a language model plays."
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="A game or player of the table; may be repeated."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A language model that joins: a folder, a hub id, or http://HOST:PORT/v1#MODEL; "
            "may be repeated."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Players of all kinds in the games of talk: payoffs, welfare. Continues after a stop."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: the model is small
    json_only(as_json)
    require("jinja2", "bench", "the report")
    from zerogym.benchmarks.results.results_file import RESULTS
    from zerogym.benchmarks.talk.report import CSV, write_talk_report
    from zerogym.benchmarks.talk.runner import run_talk
    from zerogym.benchmarks.talk.scores import COLUMNS, long_rows, tabulate
    from zerogym.benchmarks.talk.suite import talk_suite
    from zerogym.benchmarks.talk.terminal import render_talk

    suite, screen = talk_suite(only or (), model or (), episodes), Screen("talk")
    kept = "finished cells are kept; the same command continues"
    with usage_errors(OSError, ValueError), interrupted(kept), screen.live():
        records = run_talk(suite, out_dir, seed, screen.update)
    table = tabulate(suite, records)
    out.print(render_talk(table))
    report = write_talk_report(table, records, out_dir / "report.html")
    out.print(f"[bold]Report[/]  {report.resolve().as_uri()}")
    out.print(f"[dim]Results {out_dir / RESULTS}, {out_dir / CSV}[/]")
    if as_json:
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in long_rows(table)]
        paths = {"results": out_dir / RESULTS, "report": report}
        print_json({"suite": suite.name, "seed": seed, **paths, "rows": rows})
