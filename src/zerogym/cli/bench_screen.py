"""Progress of a benchmark: one bar and the activity of each lane, or lines for a log."""

from rich.console import Group
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from zerogym.benchmarks.suites.runner import Progress as Event
from zerogym.cli.console import out, printable


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
        self._group = Group(self._bar)

    def live(self) -> Live:
        """Show the screen while a context is open."""
        return Live(self._group, console=out, refresh_per_second=4, transient=True)

    def update(self, event: Event) -> None:
        """Redraw after an event of the runner."""
        if event.record is not None and event.record["kind"] == "error":
            what = f"{event.record['contender']}: {event.record['world']}"
            colour = "yellow" if event.record["missing"] else "red"
            message = printable(event.record["message"])
            out.print(f"[{colour}]{escape(what)}[/] [dim]{escape(message)}[/]")
        if event.doing:
            doing = f"{event.lane}: {printable(event.doing)}"
            self._doing[event.lane] = Text(f"  {doing}", "dim")
            if not out.is_terminal:  # a bar cannot move there
                out.print(f"[dim]{event.done}/{event.total} {escape(doing)}[/]")
        left = f"about {event.seconds_left / 60:.0f} min left" if event.seconds_left else ""
        self._bar.update(self._line, completed=event.done, total=event.total, left=left)
        self._group.renderables[1:] = list(self._doing.values())
