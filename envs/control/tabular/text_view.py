"""How worlds of few actions are spoken to: a place is said, a move is read, in either view."""

from collections.abc import Callable, Sequence
from typing import Any

from gymnasium.spaces import Discrete, Space

from zerogym.envs.control.tabular.layouts import ACTION_NAMES, Cell, Layout
from zerogym.envs.reasoning.answers import AnswerFormat, extract_answer

Reading = tuple[int | None, AnswerFormat]  # the action, and where in the reply it was found

_LONGEST_MOVE = 16  # characters, with room for quotes and a full stop


def place(cell: Cell) -> str:
    """A cell in words."""
    return f"row {cell[0]}, column {cell[1]}"


def where(layout: Layout, state: int) -> str:
    """The mover's cell, and the moves that no wall stops."""
    after = layout.next_state[state]
    free = [name for name, to in zip(ACTION_NAMES, after, strict=True) if to != state]
    return f"You are at {place(layout.cells[state])}. Open: {', '.join(free)}."


def request(names: Sequence[str]) -> str:
    """What is asked for at the start of an episode."""
    return f"Answer with one move: {', '.join(names[:-1])} or {names[-1]}."


def read_move(reply: str, names: Sequence[str] = ACTION_NAMES) -> Reading:
    """The action that a reply says, or None; and where in the reply it was found.

    Example:
        >>> read_move("So I go\\n Up."), read_move("up or down")
        ((1, 'line'), (None, 'line'))
    """
    answer, found = extract_answer(reply)
    word = answer[:_LONGEST_MOVE].strip(" \t\n.!\"'*`").lower()
    if len(answer) > _LONGEST_MOVE or word not in names:
        return None, found
    return names.index(word), found


def say_move(action: int, names: Sequence[str] = ACTION_NAMES) -> str:
    """A reply that `read_move` reads as the action."""
    return f"<answer>{names[action]}</answer>"


def action_of(
    who: str, given: Any, space: Space[Any], read: Callable[[str], Reading]
) -> tuple[int | None, dict[str, Any]]:
    """The action that is meant by what `step` was given.

    Args:
        who: The name of the environment, for errors.
        given: An integer where the space is of integers, else a reply.
        space: Of actions.
        read: Reads replies.

    Returns:
        The action, None if a reply says none, and what `info` tells of the reading.

    Raises:
        TypeError: If a reply is no string.
        ValueError: If there is no action of this number.
    """
    if not isinstance(space, Discrete):
        if not isinstance(given, str):
            raise TypeError(f"{who} takes a str as action, got {type(given).__name__}")
        move, found = read(given)
        return move, {"answer_format": found, "void_turn": move is None}
    if isinstance(given, str) or not space.contains(given):
        raise ValueError(
            f"{who}: action must be an integer from 0 to {space.n - 1}, got {str(given)[:40]!r}"
        )
    return int(given), {}
