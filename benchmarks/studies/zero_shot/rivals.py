"""Simple rivals of zero-shot agents in tabular environments: exact policies without any network.

Greedy on random's Q does not plan: an agent below it is worse than one step of improvement. The two
others plan, with the data alone, or with the world's model and the data's actions.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.dataset import Dataset
from zerogym.benchmarks.studies.zero_shot.coverage import best_inside
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.base import TabularEnv
from zerogym.envs.control.tabular.dynamic_programming import expected, value_iteration
from zerogym.envs.control.tabular.effective_horizon import ROUNDING, random_q
from zerogym.envs.control.tabular.episodic import episode_model

Floats = NDArray[np.float64]


def greedy_on_random(world: TabularEnv, task: Task, gamma: float) -> Floats:
    """Return one step of improvement over random actions: greedy in their exact Q; (S, A).

    Its score is 1 on every task of effective horizon 1.
    """
    q = random_q(*episode_model(world, task), gamma)[: world.num_states]
    return _even(q >= q.max(axis=1, keepdims=True) - ROUNDING * np.abs(q).max())


def planned_on_counts(world: Any, task: Task, data: Dataset, gamma: float) -> Floats:
    """Return the optimal policy (S, A) of the model that the data count.

    Pairs of state and action without data stay in place with the least reward of the data (our
    choice: planning then keeps away from them); actions in states without data are random.

    Args:
        world: Names the states; its model is not used.
        task: Its rewards are those of the data's transitions.
        data: Transitions.
        gamma: Discount.
    """
    states, actions = world.num_states, len(world.action_names)
    rewards = data.rewards(task)  # (N,)
    pairs = world.state_of(data.observations), data.actions
    counts = np.zeros((states, actions, states))
    np.add.at(counts, (*pairs, world.state_of(data.next_observations)), 1.0)
    summed = np.zeros((states, actions))
    np.add.at(summed, pairs, rewards)
    visits = counts.sum(axis=2)  # (S, A)
    stays = np.broadcast_to(np.eye(states)[:, None], counts.shape)
    chances = np.where(visits[:, :, None] > 0, counts / np.maximum(visits, 1)[:, :, None], stays)
    mean = np.where(visits > 0, summed / np.maximum(visits, 1), rewards.min())
    best = value_iteration(chances, mean, gamma)[1]
    return np.where(visits.sum(axis=1, keepdims=True) > 0, np.eye(actions)[best], 1 / actions)


def optimal(world: TabularEnv, task: Task, gamma: float) -> Floats:
    """Return an optimal policy (S, A) by value iteration on the world's own model."""
    dynamics, reward = episode_model(world, task)
    best = value_iteration(dynamics, reward, gamma)[1][: world.num_states]
    return np.asarray(np.eye(reward.shape[1])[best])


def best_of_data(world: TabularEnv, task: Task, shown: NDArray[np.bool_], gamma: float) -> Floats:
    """Return the best policy (S, A) with only the actions of the data, by the world's own model.

    Args:
        world: A tabular environment.
        task: The task.
        shown: (S, A) of `coverage.actions_in_data`; in states without data, actions are random.
        gamma: Discount.
    """
    values = best_inside(world, task, shown, gamma)
    q = world.reward_of(task) + gamma * expected(world.mdp.dynamics, values)  # (S, A)
    inside = np.where(shown, q, -np.inf)
    chosen = np.eye(q.shape[1])[inside.argmax(axis=1)]
    return np.where(shown.any(axis=1, keepdims=True), chosen, 1 / q.shape[1])


def _even(allowed: NDArray[np.bool_]) -> Floats:
    """Return the policy that takes each allowed action equally often; (S, A)."""
    return np.asarray(allowed / allowed.sum(axis=1, keepdims=True))
