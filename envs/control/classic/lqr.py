"""Linear quadratic regulation about a state of rest, from the world's own equations of motion.

The Jacobians are central differences of one step, so they are right in every context; the gains
are the fixed point of the discrete Riccati recursion (Bertsekas, "Dynamic Programming and Optimal
Control", 2017, volume I, section 3.1).
"""

from collections.abc import Callable

import numpy as np

from zerogym.envs.control.core.arrays import Floats

Advance = Callable[[Floats, Floats], Floats]  # states (B, S) and actions (B,) to states

DIFFERENCE = 1e-5
ROUNDS = 20_000  # of the recursion, at most
SETTLED = 1e-10  # relative change at which it has converged


def gains(advance: Advance, rest: Floats, state_cost: Floats, action_cost: float) -> Floats:
    """Return K (S,) so that the action `-K @ (state - rest)` is cheapest near a state of rest (S,).

    Args:
        advance: One step of the world.
        rest: A state that the action 0 keeps.
        state_cost: Cost of the square of each state number, (S,).
        action_cost: Cost of the square of the action.
    """
    size = len(rest)
    shifts = DIFFERENCE * np.eye(size)
    still = np.zeros(size)
    changed = advance(rest + shifts, still) - advance(rest - shifts, still)
    a = changed.T / (2 * DIFFERENCE)  # (S, S)
    pushed = advance(np.tile(rest, (2, 1)), np.array([DIFFERENCE, -DIFFERENCE]))
    b = (pushed[0] - pushed[1]) / (2 * DIFFERENCE)  # (S,)
    costs = np.diag(state_cost)
    ahead = costs
    for _ in range(ROUNDS):
        found = (b @ ahead @ a) / (action_cost + b @ ahead @ b)  # (S,)
        before = costs + a.T @ ahead @ (a - np.outer(b, found))
        if np.abs(before - ahead).max() <= SETTLED * np.abs(before).max():
            break
        ahead = before
    return found
