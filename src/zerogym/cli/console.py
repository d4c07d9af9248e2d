"""Output of the CLI, and its errors: one readable line, exit code 2."""

import functools
import json
import math
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar

import gymnasium as gym
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from zerogym.errors import ZerogymError, reason_of

USER_ERROR = 2
INTERRUPTED = 130
LINE_SECONDS = 5  # between lines of progress where there is no terminal

out = Console(highlight=False)
err = Console(stderr=True, highlight=False, soft_wrap=True)

Verb = TypeVar("Verb", bound=Callable[..., Any])


class UsageError(ZerogymError):
    """The command cannot run as typed; the message names the reason and the alternatives."""


def friendly(verb: Verb) -> Verb:
    """Wrap a verb: errors raised on purpose end it with one line instead of a traceback.

    So do those of the system, such as a folder that may not be written, and of unknown ids.
    What `json_only` did ends with the verb.
    """

    @functools.wraps(verb)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return verb(*args, **kwargs)
        except BrokenPipeError:
            raise  # a reader such as `head` has enough: click ends the command without a word
        except (ZerogymError, OSError, gym.error.Error) as error:
            err.print(f"[bold red]error[/] {escape(printable(_line_of(error)))}")
            raise typer.Exit(USER_ERROR) from None
        except RecursionError as error:
            if not _is_from_json(error):
                raise
            err.print("[bold red]error[/] the JSON of a file or option is nested too deeply")
            raise typer.Exit(USER_ERROR) from None
        except KeyboardInterrupt as stop:
            message = printable(str(stop))
            err.print(f"\n[yellow]stopped[/]{': ' if message else ''}{escape(message)}")
            raise typer.Exit(INTERRUPTED) from None
        finally:
            out.stderr = False

    return wrapped  # type: ignore[return-value]


def _is_from_json(error: RecursionError) -> bool:
    """Return True if a text made it, by brackets without end, and not a mistake of ours."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__")).startswith("json.")


def _line_of(error: Exception) -> str:
    """Return the message of an error; the path first in one of the system."""
    path = None if isinstance(error, ZerogymError) else getattr(error, "filename", None)
    return str(error) if path is None else f"{path}: {reason_of(error)}"


@contextmanager
def usage_errors(*kinds: type[Exception], prefix: str = "") -> Iterator[None]:
    """Turn exceptions of some kinds into a `UsageError` with the same message."""
    try:
        yield
    except ZerogymError:
        raise
    except kinds as error:
        # The prefix has the path, which the text of the system's errors repeats after a number.
        reason = reason_of(error) if prefix and isinstance(error, OSError) else str(error)
        raise UsageError(f"{prefix}{reason}") from None


@contextmanager
def interrupted(message: Callable[[], str] | str) -> Iterator[None]:
    """Explain on Ctrl-C what is kept and how to continue."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(message if isinstance(message, str) else message()) from None


class Bar(Progress):
    """A bar; where there is no terminal, a line now and then."""

    _printed = -math.inf  # when the last line was

    def update(self, task_id: TaskID, **changes: Any) -> None:
        """Change the state of a task."""
        super().update(task_id, **changes)
        self._print_line(task_id)

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        """Advance a task by some steps."""
        super().advance(task_id, advance)
        self._print_line(task_id)

    def _print_line(self, task_id: TaskID) -> None:
        [task] = (each for each in self.tasks if each.id == task_id)
        now = self.get_time()
        if not self.disable or (now < self._printed + LINE_SECONDS and not task.finished):
            return
        self._printed = now
        total = "" if task.total is None else f"/{task.total:.0f}"
        left = task.time_remaining
        left_text = f"  about {_duration(left)} left" if left else ""
        note = f"  {escape(task.fields['note'])}" if task.fields.get("note") else ""
        self.console.print(f"{task.description} {task.completed:.0f}{total}{left_text}{note}")


def progress_bar(transient: bool = False) -> Progress:
    """A bar with description, numbers, remaining time and a `note`.

    The time is that of the steps so far. Rich's own is that of the last 30 seconds, in which a busy
    machine may finish no step.
    """
    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", style="dim", markup=False),
        console=out,
        transient=transient,
        disable=not out.is_terminal,
        speed_estimate_period=math.inf,
        get_time=time.monotonic,
    )


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min" if minutes else f"{rest} s"


AsJson = Annotated[
    bool, typer.Option("--json", help="Print the result to stdout as one JSON document.")
]


def json_only(as_json: bool) -> None:
    """Print all that a verb prints from here on to stderr, where it ends with a JSON document."""
    out.stderr = as_json


def print_json(document: Any) -> None:
    """Print a document to stdout; numbers that are not finite become null."""
    typer.echo(json.dumps(_finite(document), indent=1, default=str))


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _finite(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def printable(text: str) -> str:
    """Replace control characters and surrogates by visible escapes, for safe output."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)
