"""The text view of the finite worlds: how a place is said and a move is read."""

from collections.abc import Sequence

from zerogym.envs.control.layouts import ACTION_NAMES, Cell, Layout
from zerogym.envs.reasoning.answers import AnswerFormat, extract_answer

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


def read_move(reply: str, names: Sequence[str] = ACTION_NAMES) -> tuple[int | None, AnswerFormat]:
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
