"""Payoffs of the best known matrix games."""

from typing import Any

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
