"""Payoffs of the best known matrix games, and what is refused as payoffs or names of actions."""

from typing import Any

import numpy as np

from zerogym.envs.games.core.replies import MAX_MOVE_LENGTH, written_move

MAX_CELLS = 32  # of a matrix that is listed in the rules

# Actions, of which the first is the kind one where there is a kind one, and payoffs.
MATRICES: dict[str, tuple[tuple[str, ...], Any]] = {
    "prisoners_dilemma": (("cooperate", "defect"), (((3, 3), (0, 5)), ((5, 0), (1, 1)))),
    "stag_hunt": (("stag", "hare"), (((2, 2), (0, 1)), ((1, 0), (1, 1)))),
    "rock_paper_scissors": (
        ("rock", "paper", "scissors"),
        (((0, 0), (-1, 1), (1, -1)), ((1, -1), (0, 0), (-1, 1)), ((-1, 1), (1, -1), (0, 0))),
    ),
    "matching_pennies": (("heads", "tails"), (((1, -1), (-1, 1)), ((-1, 1), (1, -1)))),
    # Three seats have 3 points each; what is given is doubled, and shared by all.
    "public_goods": (
        ("give", "keep"),
        (
            (((6, 6, 6), (4, 4, 7)), ((4, 7, 4), (2, 5, 5))),
            (((7, 4, 4), (5, 2, 5)), ((5, 5, 2), (3, 3, 3))),
        ),
    ),
}


def check_actions(actions: Any) -> None:
    """Raise ValueError unless all have names of their own, by which a reply can choose them."""
    names = actions if isinstance(actions, tuple) else ()
    readable = [name for name in names if isinstance(name, str) and _is_readable(name)]
    if not readable or len({name.lower() for name in readable}) < len(names):
        raise ValueError(
            "actions must have names of their own that can stand alone as an answer, of at most "
            f"{MAX_MOVE_LENGTH} characters, got {actions!r:.200}"
        )


def check_payoffs(name: str, payoffs: Any, num_actions: int) -> None:
    """Raise ValueError unless there is a cell for each choice of the seats, a worst and a best."""
    try:
        table = np.array(payoffs, dtype=np.float64)
    except (TypeError, ValueError):  # not numbers, or not as many in each row
        table = np.zeros(0)
    *choices, seats = table.shape or (0,)
    if seats < 2 or choices != [num_actions] * seats or np.prod(choices) > MAX_CELLS:
        raise ValueError(
            f"payoffs of {name} must be a matrix with a cell for each choice of the seats among "
            f"{num_actions} actions, of at most {MAX_CELLS} cells"
        )
    if not np.isfinite(table).all() or table.min() == table.max():
        raise ValueError(f"payoffs of {name} must be finite numbers, not all the same")


def _is_readable(name: str) -> bool:
    """Return True if a reply of only this name, with or without tags, is read as written."""
    replies = (name, f"<answer>{name}</answer>")
    return name != "" and all(written_move(reply) == name.lower() for reply in replies)
