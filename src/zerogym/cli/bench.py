"""`zerogym bench quick`: run the suite, print the table, write the report."""

from pathlib import Path
from typing import Annotated

import typer
from rich.live import Live

from zerogym.benchmarks.runner import only as part_of
from zerogym.cli.bench_games import games
from zerogym.cli.bench_screen import Screen
from zerogym.cli.console import UsageError, friendly, out

bench = typer.Typer(help="Let agents sit the same exams.", no_args_is_help=True)


@bench.callback()
def _root() -> None:
    pass


@bench.command("quick")
@friendly
def quick(
    out_dir: Annotated[Path, typer.Option("--out", help="Folder of results and report.")] = Path(
        "results/quick"
    ),
    seed: Annotated[int, typer.Option(min=0, help="Of episodes, policies and training.")] = 0,
    only: Annotated[
        list[str] | None,
        typer.Option(help="A world or contender of the suite; may be repeated."),
    ] = None,
    processes: Annotated[
        bool, typer.Option(help="Language models and the others in a process each.")
    ] = True,
) -> None:
    """All worlds, all agents, a few minutes on two cores. Run again to continue after a stop."""
    from zerogym.benchmarks.picture import picture
    from zerogym.benchmarks.report import write_report
    from zerogym.benchmarks.results import read_records, write_whole
    from zerogym.benchmarks.runner import run_suite
    from zerogym.benchmarks.scores import tabulate
    from zerogym.benchmarks.suites import QUICK
    from zerogym.benchmarks.terminal import render_table

    suite = part_of(QUICK, only or [])
    screen = Screen(suite.name)
    try:
        with Live(screen.group, console=out, refresh_per_second=4, transient=True):
            path = run_suite(suite, out_dir, seed, screen.hear, processes)
    except ValueError as error:
        raise UsageError(str(error)) from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"finished cells are kept; continue with: zerogym bench quick --out {out_dir}"
        ) from None
    records = list(read_records(path))
    table = tabulate(suite, records)
    out.print(render_table(table))
    write_whole(out_dir / "table.svg", picture(table))
    report = write_report(suite, records, out_dir / "report.html")
    out.print(f"[bold]Report[/]  {report.resolve().as_uri()}")
    out.print(f"[dim]Results {path}[/]")


bench.command("games")(games)
