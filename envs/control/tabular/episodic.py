"""Models of episodes that end at a goal, with an absorbing terminal state for dynamic programming.

A step that enters a final state gets its reward and leads to the terminal state, where every action
stays with reward 0. An episode may begin in a final state: it ends only when one is entered.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.base import TabularEnv
from zerogym.envs.control.tabular.dynamic_programming import Dynamics, Floats


def episode_model(env: TabularEnv, task: Task) -> tuple[Dynamics, Floats]:
    """Return the dynamics and expected rewards of the episodes of a task as they are played.

    Args:
        env: A tabular environment.
        task: One of its tasks.

    Returns:
        For `dynamic_programming.py`: dynamics of either kind and rewards (S, A); with one more
        state, the last, if episodes end at the goal of this task.
    """
    dynamics, reward = env.mdp.dynamics, env.reward_of(task)
    if not env.ends_at_goal or task.goal is None:
        return dynamics, reward
    return with_terminal_state(dynamics, reward, env.mdp.on_goal(task))


def with_terminal_state(
    dynamics: Dynamics, reward: Floats, final: NDArray[np.bool_]
) -> tuple[Dynamics, Floats]:
    """Return dynamics and rewards with the terminal state as one more state, the last.

    Args:
        dynamics: (S, A) or (S, A, S).
        reward: (S, A).
        final: (S,) True where entering a state ends the episode.
    """
    states, actions = reward.shape
    rewards = np.concatenate([reward, np.zeros((1, actions))])
    if dynamics.ndim == 2:
        after: NDArray[Any] = np.where(final[dynamics], states, dynamics)
        return np.concatenate([after, np.full((1, actions), states)]), rewards
    table = np.zeros((states + 1, actions, states + 1))
    table[:states, :, :states] = dynamics * ~final
    table[:states, :, states] = dynamics[:, :, final].sum(axis=2)
    table[states, :, states] = 1.0
    return table, rewards
