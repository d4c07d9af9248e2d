"""A person at the terminal: typed actions, and a person in the other seats.

`opponent="person"` puts one into every other seat of a game, also outside of `zerogym play`; all
seats share the screen, and with it the hidden information. Left out: several terminals.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from rich.markup import escape
from rich.text import Text

from zerogym.cli.console import out, printable
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.errors import UnknownName

_FENCE = re.compile(r"^\s*```", re.MULTILINE)
_TAG_ALONE = re.compile(r"^\s*<([a-z][a-z0-9_]*)>\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Person:
    """A text player (`envs/games/core/players.py`) who reads and types."""

    def reply(self, message: str, memory: Any, rng: np.random.Generator) -> tuple[str, Any]:
        """Show the message and wait for a reply.

        Raises:
            EOFError: If the person leaves.
        """
        out.print("[bold]Another seat[/]")
        out.print(Text(printable(message)))
        return read_text(), None


def person_opponent(game: Game[Any], argument: str) -> Person:
    """The entry point `person`, for `opponent="person"` in any game."""
    if argument:
        raise UnknownName("opponent", f"person:{argument}", ["person"])
    return Person()


def read_action(space: spaces.Space[Any]) -> Any:
    """Repeat the input until it is an action of the space.

    Raises:
        EOFError: At the end of the input.
    """
    while True:
        if isinstance(space, spaces.Text):
            return read_text()
        action = _number(space, out.input("[green]› [/]"))
        if action is not None:
            return action
        out.print(f"[yellow]Type an action of {escape(str(space))}[/]")


def read_message(env: TalkEnv) -> str:
    """Read a move in a game of talk, the answer tag of which need not be typed.

    What is no move is not sent, and costs nothing.

    Raises:
        EOFError: At the end of the input.
    """
    while True:
        text = read_text()
        reply = text if "</answer>" in text else f"<answer>{text.strip()}</answer>"
        if env.is_move(reply):
            return reply
        out.print(Text(f"That is no move now. {plain(env.request())}", style="yellow"))


def plain(message: str) -> str:
    """Return a message of a game of talk with quotes in the place of answer tags."""
    return message.replace("<answer>", "‘").replace("</answer>", "’")


def read_text() -> str:
    """One line, or several from ``` or a tag that stands alone in a line up to its end.

    Raises:
        EOFError: At the end of the input.
    """
    text = out.input("[green]› [/]")
    while len(_FENCE.findall(text)) % 2 or any(
        f"</{tag}>" not in text for tag in _TAG_ALONE.findall(text)
    ):
        text += "\n" + out.input("[green]… [/]")
    return text


def _number(space: spaces.Space[Any], line: str) -> Any:
    """Parse an action of a numeric space; None if the line is none."""
    try:
        numbers = [float(word) for word in line.replace(",", " ").split()]
    except ValueError:
        return None
    if isinstance(space, spaces.Discrete):
        whole = len(numbers) == 1 and numbers[0].is_integer() and space.contains(int(numbers[0]))
        return int(numbers[0]) if whole else None
    if isinstance(space, spaces.Box):
        action = np.array(numbers, space.dtype)
        return action if space.contains(action) else None
    return None
