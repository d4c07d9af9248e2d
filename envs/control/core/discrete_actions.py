"""Numbered actions of an environment with a numeric and a text view: requests, replies, parsing."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, Space

from zerogym.envs.control.core.env import ControlEnv
from zerogym.envs.core import MAX_ACTION_LENGTH
from zerogym.envs.reasoning.answers import AnswerFormat, extract_answer
from zerogym.envs.spaces import Utf8Text
from zerogym.errors import UnknownName

ParsedMove = tuple[int | None, AnswerFormat]  # the action, and where in the reply it was found

_LONGEST_MOVE = 16  # characters, with room for quotes and a full stop


def move_request(names: Sequence[str]) -> str:
    """Return the last line of an episode's first prompt."""
    return f"Answer with one move: {', '.join(names[:-1])} or {names[-1]}."


def parse_move(reply: str, names: Sequence[str]) -> ParsedMove:
    """Return the action that a reply names, None if there is none, and where it was found.

    Example:
        >>> parse_move("So I go\\n Up.", ["up", "down"]), parse_move("up or down", ["up", "down"])
        ((0, 'line'), (None, 'line'))
    """
    answer, found = extract_answer(reply)
    word = answer[:_LONGEST_MOVE].strip(" \t\n.!\"'*`").lower()
    if len(answer) > _LONGEST_MOVE or word not in names:
        return None, found
    return names.index(word), found


def move_reply(action: int, names: Sequence[str]) -> str:
    """Return a reply that `parse_move` reads as the action."""
    return f"<answer>{names[action]}</answer>"


def parse_action(
    name: str, given: Any, space: Space[Any], parse: Callable[[str], ParsedMove]
) -> tuple[int | None, dict[str, Any]]:
    """Return the number of the action that `step` was called with, and entries of `info`.

    Args:
        name: The name of the environment, for errors.
        given: An integer if the action space is `Discrete`, else a reply.
        space: The action space.
        parse: Parser of replies.

    Returns:
        The action, None if the reply names none, and the format and validity of the reply.

    Raises:
        TypeError: If a reply is no string.
        ValueError: If there is no action of this number.
    """
    if not isinstance(space, Discrete):
        if not isinstance(given, str):
            raise TypeError(f"{name} takes a str as action, got {type(given).__name__}")
        move, found = parse(given)
        return move, {"answer_format": found, "void_turn": move is None}
    if isinstance(given, str) or not space.contains(given):
        raise ValueError(
            f"{name}: action must be an integer from 0 to {space.n - 1}, got {str(given)[:40]!r}"
        )
    return int(given), {}


def check_view(view: str, views: Sequence[str]) -> None:
    """Raise `UnknownName` for a view that an environment does not have."""
    if view not in views:
        raise UnknownName("view", view, list(views))


class NumberedActions(ControlEnv):
    """An environment with a few numbered actions, which replies name in its text view.

    Attributes:
        view: `text`, or a numeric view.
        action_names: The words of the text view.
    """

    view: str
    action_names: Sequence[str]

    def _set_spaces(self, size: int, low: Any = 0.0, high: Any = 1.0) -> None:
        """Set the spaces of the view; numeric observations have this size."""
        self.observation_space: Space[Any] = Utf8Text()
        self.action_space: Space[Any] = Utf8Text(MAX_ACTION_LENGTH)
        if self.view != "text":
            self.observation_space = Box(low, high, (size,), np.float32)
            self.action_space = Discrete(len(self.action_names))

    def random_action(self, rng: np.random.Generator) -> Any:
        """Return a uniformly random action."""
        return self._reply(int(rng.integers(len(self.action_names))))

    def _parse(self, reply: str) -> ParsedMove:
        return parse_move(reply, self.action_names)

    def _reply(self, action: int) -> Any:
        return move_reply(action, self.action_names) if self.view == "text" else np.int64(action)
