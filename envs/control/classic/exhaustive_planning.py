"""Planning by trying every short sequence of pushes in the exact equations, as one batch.

Receding horizon control: the first push of the best sequence is made, then all is tried again. A
guide values the states at the horizon. Near-optimal only where the guide is good.
"""

import itertools
from collections.abc import Callable, Mapping

import numpy as np

from zerogym.envs.control.classic.value_iteration import Advance, Observe
from zerogym.envs.control.core.arrays import Floats
from zerogym.envs.control.core.tasks import Task

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
    """Return the first action, in [-1, 1], of the best sequence.

    Args:
        advance: One step: states (B, S), actions (B,), context.
        observe: Observations of states.
        state: The present state, (S,).
        context: All its constants.
        task: The task.
        guide: Values (B,) of states (B, S) at the horizon, in units of the reward.
        decisions: Number of pushes in a sequence.
        hold: Steps for which each is held.
    """
    sequences = np.array(list(itertools.product(PUSHES, repeat=decisions)))
    pushes = np.repeat(sequences.T, hold, axis=0)  # (T, B)
    now = np.repeat(state[None], len(sequences), axis=0)
    observed = [observe(now)]
    for actions in pushes:
        now = advance(now, actions, context)
        observed.append(observe(now))
    before, after = np.concatenate(observed[:-1]), np.concatenate(observed[1:])
    rewards = task.relabel(before, pushes.reshape(-1, 1).astype(np.float32), after)
    worth = rewards.reshape(pushes.shape).sum(axis=0) + guide(now)
    return float(sequences[int(worth.argmax()), 0])
