"""Episodes that end at a goal, as dynamic programming takes them: a state more, which is the end.

A step that enters a final state is paid, and then leads to the end, where every action stays and
pays nothing. An episode may begin in a final state: it ends only when one is entered.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.base import TabularEnv
from zerogym.envs.control.tabular.dynamic_programming import Dynamics, Floats


def episode_model(world: TabularEnv, task: Task) -> tuple[Dynamics, Floats]:
    """What may follow, and the expected rewards, of the episodes of a task as they are played.

    Args:
        world: A finite world.
        task: One of its tasks.

    Returns:
        For `dynamic_programming.py`: dynamics of either kind and rewards (S, A); one state more,
        the last, if the world ends at the goal of this task.
    """
    dynamics, reward = world.world.dynamics, world.reward_of(task)
    if not world.ends_at_goal or task.goal is None:
        return dynamics, reward
    return with_terminal_state(dynamics, reward, world.world.on_goal(task))


def with_terminal_state(
    dynamics: Dynamics, reward: Floats, final: NDArray[np.bool_]
) -> tuple[Dynamics, Floats]:
    """Dynamics and rewards with the end as one state more.

    Args:
        dynamics: (S, A) or (S, A, S).
        reward: (S, A).
        final: (S,) whether entering a state ends the episode.
    """
    states, actions = reward.shape
    paid = np.concatenate([reward, np.zeros((1, actions))])
    if dynamics.ndim == 2:
        after: NDArray[Any] = np.where(final[dynamics], states, dynamics)
        return np.concatenate([after, np.full((1, actions), states)]), paid
    table = np.zeros((states + 1, actions, states + 1))
    table[:states, :, :states] = dynamics * ~final
    table[:states, :, states] = dynamics[:, :, final].sum(axis=2)
    table[states, :, states] = 1.0
    return table, paid
