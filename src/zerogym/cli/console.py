"""Output of the CLI, and its errors: one readable line, exit code 2."""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import gymnasium as gym
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from zerogym.errors import ZerogymError, reason_of

USER_ERROR = 2
INTERRUPTED = 130

out = Console(highlight=False)
err = Console(stderr=True, highlight=False, soft_wrap=True)

Verb = TypeVar("Verb", bound=Callable[..., Any])


class UsageError(ZerogymError):
    """The command cannot run as typed; the message names the reason and the alternatives."""


def friendly(verb: Verb) -> Verb:
    """Wrap a verb: errors raised on purpose end it with one line instead of a traceback.

    So do those of the system, such as a folder that may not be written, and of unknown ids.
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
        except KeyboardInterrupt as stop:
            message = printable(str(stop))
            err.print(f"\n[yellow]stopped[/]{': ' if message else ''}{escape(message)}")
            raise typer.Exit(INTERRUPTED) from None

    return wrapped  # type: ignore[return-value]


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
        raise UsageError(f"{prefix}{error}") from None


@contextmanager
def interrupted(message: Callable[[], str] | str) -> Iterator[None]:
    """Explain on Ctrl-C what is kept and how to continue."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(message if isinstance(message, str) else message()) from None


def progress_bar(transient: bool = False) -> Progress:
    """A bar with description, numbers, remaining time and a `note`."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[note]}[/]"),
        console=out,
        transient=transient,
    )


def printable(text: str) -> str:
    """Replace control characters and surrogates by visible escapes, for safe output."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)
