"""The tabular MDP of a grid map, with a floor that may be slippery.

A step goes in the intended direction with probability `1 - slip`, else to one of the two sides,
both equally likely; the 4x3 grid of "Artificial Intelligence: A Modern Approach" (1995) has `slip`
0.2. A step into a wall stays in place, also when it slips.
"""

from functools import cache

import numpy as np

from zerogym.envs.control.tabular.layouts import MOVES, Layout
from zerogym.envs.control.tabular.mdp import TabularMDP, deterministic_mdp


def grid_world(layout: Layout, slip: float = 0.0) -> TabularMDP:
    """Return the MDP of a map; observations are one-hot, episodes begin on any free cell.

    Raises:
        ValueError: If `slip` is no probability.
    """
    if isinstance(slip, bool) or not isinstance(slip, int | float) or not 0 <= slip <= 1:
        raise ValueError(f"slip must be a probability from 0 to 1, got {str(slip)[:40]}")
    return _grid_world(layout, float(slip))


@cache
def _grid_world(layout: Layout, slip: float) -> TabularMDP:
    states = len(layout.cells)
    one_hot, starts = np.eye(states, dtype=np.float32), tuple(range(states))
    if slip == 0:
        return deterministic_mdp(layout.next_state, one_hot, starts)
    steps = list(MOVES.values())
    # Each move and its two sides, at right angles to it: (A, 3).
    ways = np.array([[steps.index(way) for way in ((r, c), (c, -r), (-c, r))] for r, c in steps])
    chances = np.broadcast_to([1 - slip, slip / 2, slip / 2], (states, *ways.shape))
    return TabularMDP(layout.next_state[:, ways], chances.copy(), one_hot, starts)
