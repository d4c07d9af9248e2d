"""Returns in finite worlds without playing: backward induction over the steps of an episode.

The same number as the mean of infinitely many episodes: undiscounted, `horizon` steps, from every
start alike, over at a goal where the world says so. The best policy knows the state, also where an
observation does not tell it.
"""

import numpy as np

from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.base import TabularEnv
from zerogym.envs.control.tabular.dynamic_programming import finite_horizon_values
from zerogym.envs.control.tabular.episodic import episode_model


def exact_returns(world: TabularEnv, task: Task) -> tuple[float, float]:
    """Mean returns of random actions and of the best policy.

    Args:
        world: A finite world.
        task: One of its tasks.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> chain = gym.make("zerogym/Chain-v0", length=3, horizon=2).unwrapped
        >>> exact_returns(chain, chain.tasks["goal_3"])  # it begins in the second of three states
        (0.75, 2.0)
    """
    dynamics, reward = episode_model(world, task)
    starts = list(world.mdp.starts)
    even = np.full(reward.shape, 1 / reward.shape[1])  # (S, A)
    chance = finite_horizon_values(dynamics, reward, world.horizon, even)[-1, starts]
    best = finite_horizon_values(dynamics, reward, world.horizon)[-1, starts]
    return float(chance.mean()), float(best.mean())
