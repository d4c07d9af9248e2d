"""Planning by trying every short sequence of pushes in the world's own equations, as one batch.

Receding horizon control: the first push of the best sequence is made, then all is tried again. What
the horizon does not see, a guide values at its end. Near-optimal only where the guide is good.
"""

import itertools
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.classic.value_iteration import Advance, Observe
from zerogym.envs.control.core.tasks import Task

Floats = NDArray[np.float64]
PUSHES = (-1.0, 0.0, 1.0)


def best_push(
    advance: Advance,
    observe: Observe,
    state: Floats,
    context: Mapping[str, float],
    task: Task,
    guide: Callable[[Floats], Floats],
    decisions: int,
    hold: int,
) -> float:
    """The first action, in [-1, 1], of the best sequence.

    Args:
        advance: One step of the world: states (B, S), actions (B,), context.
        observe: Observations of states.
        state: Where it is, (S,).
        context: All its constants.
        task: What is paid.
        guide: What states (B, S) are worth at the horizon, in units of the reward; (B,).
        decisions: Pushes in a sequence.
        hold: Steps for which each is held.
    """
    sequences = _sequences(decisions)
    pushes = np.repeat(sequences.T, hold, axis=0)  # (T, B)
    now = np.repeat(state[None], len(sequences), axis=0)
    seen = [observe(now)]
    for actions in pushes:
        now = advance(now, actions, context)
        seen.append(observe(now))
    before, after = np.concatenate(seen[:-1]), np.concatenate(seen[1:])
    paid = task.relabel(before, pushes.reshape(-1, 1).astype(np.float32), after)
    worth = paid.reshape(pushes.shape).sum(axis=0) + guide(now)
    return float(sequences[int(worth.argmax()), 0])


@cache
def _sequences(decisions: int) -> Floats:
    """All sequences of pushes; (3 ** decisions, decisions)."""
    return np.array(list(itertools.product(PUSHES, repeat=decisions)))
