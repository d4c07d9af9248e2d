"""The effective horizon of a task: the steps of lookahead over random's Q that solve it.

Q^1 is the Q of uniformly random actions, Q^(i+1)(s, a) = E[r + gamma max_a' Q^i(s', a')]. A task
is solved by k steps if *every* policy that is greedy in Q^k has the optimal return from the start
states: "k-QVI-solvable" in "The Effective Horizon Explains Deep RL Performance in Stochastic
Environments" (2023, arXiv 2312.08369), after "Bridging RL Theory and Practice with the Effective
Horizon" (2023, arXiv 2304.09853). k = 1 means that no planning is needed: one step of improvement
over random actions solves the task.

The papers have a fixed horizon and no discount; here values are discounted and policies stationary,
because scores of tabular tasks are. Left out: the number of samples that Q^k costs, which the
effective horizon of the first paper adds to k.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.base import TabularEnv
from zerogym.envs.control.tabular.dynamic_programming import (
    Dynamics,
    Floats,
    evaluate_policy,
    expected,
    transition_probabilities,
    transition_reward,
)
from zerogym.envs.control.tabular.episodic import episode_model

MOST_GAMMA = 0.999  # beyond it, rounding errors of the values are not far below `ROUNDING`
# Parts of the largest |Q|. Both Q are exact up to rounding: closer ones are equal.
ROUNDING = 1e-12
NEAR_OPTIMAL = 1e-8  # loss of an action that counts as optimal; above the error of both Q


def random_q(dynamics: Dynamics, reward: ArrayLike, gamma: float) -> Floats:
    """Return the exact Q of uniformly random actions, (S, A).

    Args:
        dynamics: Next states (S, A) or probabilities (S, A, S).
        reward: (S,) for the state entered, or (S, A), or (S, A, S).
        gamma: Discount in [0, 1).
    """
    rewards = transition_reward(dynamics, reward)
    uniform = np.full(rewards.shape, 1 / rewards.shape[1])
    return rewards + gamma * expected(dynamics, evaluate_policy(dynamics, uniform, rewards, gamma))


def effective_horizon(
    dynamics: Dynamics,
    reward: ArrayLike,
    gamma: float,
    starts: Iterable[int] | None = None,
) -> int:
    """Return the least k for which every policy greedy in Q^k is optimal from the start states.

    Args:
        dynamics: Next states (S, A) or probabilities (S, A, S).
        reward: (S,) for the state entered, or (S, A), or (S, A, S).
        gamma: Discount in [0, 0.999].
        starts: Start states; None: all. States that no greedy policy reaches do not count.

    Returns:
        k >= 1.

    Raises:
        ValueError: If the model is malformed, or gamma is out of range.
    """
    if not 0 <= gamma <= MOST_GAMMA:
        raise ValueError(f"gamma must be in [0, {MOST_GAMMA}], got {gamma}")
    rewards = transition_reward(dynamics, reward)
    begin = np.zeros(len(rewards), dtype=bool)
    begin[list(range(len(rewards)) if starts is None else starts)] = True
    q, k = random_q(dynamics, rewards, gamma), 1
    best = _optimal_q(dynamics, rewards, gamma, q)
    scale = float(np.abs(best).max())
    optimal = best >= best.max(axis=1, keepdims=True) - NEAR_OPTIMAL * scale
    while True:
        greedy = q >= q.max(axis=1, keepdims=True) - ROUNDING * scale
        wrong = (greedy & ~optimal).any(axis=1)  # (S,)
        # The closure is computed only where it can matter.
        if not wrong.any() or not (wrong & _reached(dynamics, greedy, begin)).any():
            return k
        q = rewards + gamma * expected(dynamics, q.max(axis=1))
        k += 1


def effective_horizon_of(world: TabularEnv, task: Task, gamma: float = 0.95) -> int:
    """Return the effective horizon of a task in a tabular environment, as its episodes end.

    Args:
        world: A tabular environment; where its observations hide the state, k is of the states.
        task: One of its tasks.
        gamma: Discount in [0, 0.999].
    """
    return effective_horizon(*episode_model(world, task), gamma, world.mdp.starts)


def _optimal_q(dynamics: Dynamics, rewards: Floats, gamma: float, q: Floats) -> Floats:
    """Return the optimal Q by policy iteration from the greedy policy of `q`.

    A few exact solves: value iteration would need hundreds of sweeps for the same error.
    """
    while True:
        values = evaluate_policy(dynamics, q.argmax(axis=1), rewards, gamma)
        q = rewards + gamma * expected(dynamics, values)
        if (q.max(axis=1) - values).max() <= ROUNDING * np.abs(q).max():
            return q


def _reached(
    dynamics: Dynamics, greedy: NDArray[np.bool_], begin: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the states (S,) that some greedy policy reaches."""
    possible = (transition_probabilities(dynamics) > 0) & greedy[:, :, None]
    steps = np.asarray(possible.any(axis=1))  # (S, S)
    reached = begin
    while True:
        more = reached | steps[reached].any(axis=0)
        if (more == reached).all():
            return reached
        reached = more
