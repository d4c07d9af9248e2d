"""`zerogym bench zero_shot`: zero-shot agents beside simple rivals, scored exactly or played."""

import csv
import io
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

MARKDOWN, CSV = "table.md", "table.csv"


@friendly
def zero_shot(
    out_dir: Annotated[Path, typer.Option("--out", help="Folder of the results.")] = Path(
        "results/zero_shot"
    ),
    seeds: Annotated[int, typer.Option(min=1, help="Training runs of each agent and world.")] = 10,
    first_seed: Annotated[
        int, typer.Option(min=0, help="The least seed: those before it are of another run.")
    ] = 0,
    only: Annotated[
        list[str] | None,
        typer.Option(help="A world, agent or rival of the table; may be repeated."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Agents trained without rewards, and simple rivals, on all tasks. Continues after a stop."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: the networks are small
    json_only(as_json)
    require("torch", "control", "zero-shot agents")
    require("scipy", "games", "the linear programs of proto successor measures")
    from zerogym.benchmarks.results.results_file import RESULTS, write_whole
    from zerogym.benchmarks.zero_shot.runner import Plan, run_zero_shot
    from zerogym.benchmarks.zero_shot.table import COLUMNS, long_rows, markdown, render, tabulate

    screen = Screen("zero_shot")
    kept = "finished cells are kept; the same command continues"
    with usage_errors(OSError, ValueError), interrupted(kept), screen.live():
        plan = Plan(seeds=seeds, first_seed=first_seed).only(only or ())
        records = run_zero_shot(plan, out_dir, screen.update)
    rows = tabulate(plan, records)
    out.print(render(plan, rows))
    out.print(
        "0 = random actions, 1 = the optimum, but for behaviours, the mean reward of a step; "
        "± half of the 95 % interval over seeds."
    )
    lines = io.StringIO()
    csv.writer(lines).writerows([COLUMNS, *long_rows(rows)])
    write_whole(out_dir / CSV, lines.getvalue())
    write_whole(out_dir / MARKDOWN, markdown(plan, rows))
    out.print(f"[dim]Results {out_dir / RESULTS}, {out_dir / MARKDOWN}, {out_dir / CSV}[/]")
    if as_json:
        found = [dict(zip(COLUMNS, row, strict=True)) for row in long_rows(rows)]
        print_json({"suite": "zero_shot", "seeds": seeds, "first_seed": first_seed, "rows": found})
