"""The text view of a grid map: how a place is said and a move is read."""

from zerogym.envs.control.layouts import ACTION_NAMES, Cell, Layout
from zerogym.envs.reasoning.answers import AnswerFormat, extract_answer

REQUEST = f"Answer with one move: {', '.join(ACTION_NAMES[:-1])} or {ACTION_NAMES[-1]}."
VOID = "That is not a move, so you stay."
_LONGEST_MOVE = 16  # characters, with room for quotes and a full stop


def place(cell: Cell) -> str:
    """A cell in words."""
    return f"row {cell[0]}, column {cell[1]}"


def where(layout: Layout, state: int) -> str:
    """The mover's cell, and the moves that no wall stops."""
    after = layout.next_state[state]
    free = [name for name, to in zip(ACTION_NAMES, after, strict=True) if to != state]
    return f"You are at {place(layout.cells[state])}. Open: {', '.join(free)}."


def read_move(reply: str) -> tuple[int | None, AnswerFormat]:
    """The action that a reply says, or None; and where in the reply it was found.

    Example:
        >>> read_move("So I go\\n Up."), read_move("up or down")
        ((1, 'line'), (None, 'line'))
    """
    answer, found = extract_answer(reply)
    word = answer[:_LONGEST_MOVE].strip(" \t\n.!\"'*`").lower()
    if len(answer) > _LONGEST_MOVE or word not in ACTION_NAMES:
        return None, found
    return ACTION_NAMES.index(word), found


def say_move(action: int) -> str:
    """A reply that `read_move` reads as the action."""
    return f"<answer>{ACTION_NAMES[action]}</answer>"
