"""Progress of a benchmark: one bar and the activity of each lane, or lines for a log."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from zerogym.cli.console import out, printable

if TYPE_CHECKING:
    from zerogym.benchmarks.suites.runner import Progress as Event


class Screen:
    """Progress of a run.

    Args:
        name: Of the suite.
    """

    def __init__(self, name: str) -> None:
        self._bar = Progress(
            TextColumn("[bold]{task.description}[/]"),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self._line = self._bar.add_task(f"bench {name}", total=None, left="")
        self._doing: dict[str, Text] = {}
        self._missing: set[tuple[str, str]] = set()
        self._group = Group(self._bar)

    def live(self) -> Live:
        """Show the screen while a context is open."""
        return Live(self._group, console=out, refresh_per_second=4, transient=True)

    def update(self, event: "Event") -> None:
        """Redraw after an event of the runner."""
        if event.record is not None and event.record["kind"] == "error":
            self._print_error(event.record)
        if event.doing:
            doing = f"{event.lane}: {printable(event.doing)}"
            self._doing[event.lane] = Text(f"  {doing}", "dim")
            if not out.is_terminal:  # a bar cannot move there
                out.print(f"[dim]{event.done}/{event.total} {escape(doing)}[/]")
        left = f"about {event.seconds_left / 60:.0f} min left" if event.seconds_left else ""
        self._bar.update(self._line, completed=event.done, total=event.total, left=left)
        self._group.renderables[1:] = list(self._doing.values())

    def _print_error(self, record: Mapping[str, Any]) -> None:
        """Print what failed where; what is missing once for each agent."""
        message = printable(record["message"])
        if not record["missing"]:
            what = f"{record['contender']}: {record['world']}"
            out.print(f"[red]{escape(what)}[/] [dim]{escape(message)}[/]")
        elif (missing := (record["contender"], message)) not in self._missing:
            self._missing.add(missing)
            out.print(f"[yellow]{escape(missing[0])}[/] [dim]{escape(message)}[/]")
