"""`zerogym bench quick`: run the suite, print the table, write the report."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from zerogym.benchmarks.records import Suite
from zerogym.benchmarks.runner import Progress as Event
from zerogym.benchmarks.runner import only as part_of
from zerogym.cli.console import UsageError, friendly, out, printable

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
    screen = _Screen(suite)
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


class _Screen:
    """Progress of the run: one bar, and what each lane does."""

    def __init__(self, suite: Suite) -> None:
        self._bar = Progress(
            TextColumn("[bold]{task.description}[/]"),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self._line = self._bar.add_task(f"bench {suite.name}", total=None, left="")
        self._doing: dict[str, Text] = {}
        self.group = Group(self._bar)

    def hear(self, event: Event) -> None:
        """Redraw after an event of the runner."""
        if event.record is not None and event.record["kind"] == "error":
            what = f"{event.record['contender']}: {event.record['world']}"
            colour = "yellow" if event.record["missing"] else "red"
            message = printable(event.record["message"])
            out.print(f"[{colour}]{escape(what)}[/] [dim]{escape(message)}[/]")
        if event.doing:
            self._doing[event.lane] = Text(f"  {event.lane}: {printable(event.doing)}", "dim")
        left = f"about {event.seconds_left / 60:.0f} min left" if event.seconds_left else ""
        self._bar.update(self._line, completed=event.done, total=event.total, left=left)
        self.group.renderables[1:] = list(self._doing.values())
