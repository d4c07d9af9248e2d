"""The finite world of a grid map, with a floor that may be slippery.

A step goes where it is meant to with chance `1 - slip`, else to one of the two sides of its
direction, both alike; the 4x3 world of "Artificial Intelligence: A Modern Approach" (1995) has
`slip` 0.2. Into a wall is staying, also when slipping.
"""

from functools import cache

import numpy as np

from zerogym.envs.control.tabular.layouts import ACTION_NAMES, MOVES, Layout
from zerogym.envs.control.tabular.mdp import TabularMDP, deterministic_mdp

_NAMES_OF = {step: name for name, step in MOVES.items()}


def grid_world(layout: Layout, slip: float = 0.0) -> TabularMDP:
    """The world of a map; observations are one-hot, episodes begin on any free cell.

    Raises:
        ValueError: If `slip` is no chance.
    """
    if isinstance(slip, bool) or not isinstance(slip, int | float) or not 0 <= slip <= 1:
        raise ValueError(f"slip must be a chance from 0 to 1, got {str(slip)[:40]}")
    return _world(layout, float(slip))


@cache
def _world(layout: Layout, slip: float) -> TabularMDP:
    states = len(layout.cells)
    seen, starts = np.eye(states, dtype=np.float32), tuple(range(states))
    if slip == 0:
        return deterministic_mdp(layout.next_state, seen, starts)
    ways = np.array([(action, *_sides(action)) for action in range(len(ACTION_NAMES))])  # (A, 3)
    chances = np.broadcast_to([1 - slip, slip / 2, slip / 2], (states, *ways.shape))
    return TabularMDP(layout.next_state[:, ways], chances.copy(), seen, starts)


def _sides(action: int) -> tuple[int, int]:
    """The moves at right angles to a move; staying has none and stays."""
    down, right = MOVES[ACTION_NAMES[action]]
    sides = (right, -down), (-right, down)
    return tuple(ACTION_NAMES.index(_NAMES_OF[side]) for side in sides)  # type: ignore[return-value]
