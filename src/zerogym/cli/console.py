"""Where the CLI writes, and how its verbs fail: one readable line, exit code 2."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.markup import escape

from zerogym.errors import ZerogymError

USER_ERROR = 2
INTERRUPTED = 130

out = Console(highlight=False)
err = Console(stderr=True, highlight=False, soft_wrap=True)

Verb = TypeVar("Verb", bound=Callable[..., Any])


class UsageError(ZerogymError):
    """What was typed cannot be done; the message says why and what can."""


def friendly(verb: Verb) -> Verb:
    """Errors raised on purpose end the command with one line instead of a traceback."""

    @functools.wraps(verb)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return verb(*args, **kwargs)
        except ZerogymError as error:
            err.print(f"[bold red]error[/] {escape(printable(str(error)))}")
            raise typer.Exit(USER_ERROR) from None
        except KeyboardInterrupt as stop:
            message = printable(str(stop))
            err.print(f"\n[yellow]stopped[/]{': ' if message else ''}{escape(message)}")
            raise typer.Exit(INTERRUPTED) from None

    return wrapped  # type: ignore[return-value]


def printable(text: str) -> str:
    """Text that cannot steer a terminal: control characters and surrogates are shown, not sent."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)
