"""Normalised returns of a zero-shot model on held-out tasks.

0 is the random policy, 1 is value iteration in tabular environments, and the environment's oracle
elsewhere.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import ArrayLike

from zerogym.agents.baselines.random_and_oracle import OraclePolicy
from zerogym.agents.core import Policy
from zerogym.agents.datasets.environments import find_recorder
from zerogym.agents.zero_shot.protocol import Prompted, ZeroShotModel
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.base import TabularEnv
from zerogym.envs.control.tabular.dynamic_programming import evaluate_policy, value_iteration
from zerogym.envs.control.tabular.episodic import episode_model
from zerogym.errors import NoOracle

Act = Callable[[Any], Any]

FEW = 8  # tasks that `mean_score` plays where it must play
NO_SPAN = 1e-9  # values closer than this are equal


def evaluate_tabular(
    model: ZeroShotModel, env: gym.Env[Any, Any], tasks: Iterable[Task], gamma: float = 0.95
) -> dict[str, float]:
    """Return exact normalised returns in a tabular environment.

    For each task (V - V_random) / (V_optimal - V_random), each value averaged over all start
    states: no rollout, so no noise.

    Args:
        model: A trained model.
        env: A tabular environment (FourRooms, UMap, SlipperyGrid, RiverSwim, ...), which may be
            stochastic; rewards after the end of an episode are 0.
        tasks: Of this environment, for example `env.unwrapped.tasks.values()`.
        gamma: Discount of the values.

    Returns:
        Score by task name; 1 is optimal, 0 random, below 0 worse than random, NaN where no policy
        has a higher return than random.

    Raises:
        TypeError: If the environment is not tabular, or the model is recurrent: its action is no
            function of the state.
    """
    world = env.unwrapped
    if not isinstance(world, TabularEnv):
        raise TypeError(f"exact evaluation needs a tabular environment, {world} is none")
    if model.recurrent:
        raise TypeError("exact evaluation needs a memoryless model: use evaluate_rollouts")
    here = world.observation_of(np.arange(world.num_states))  # (S, k)
    return {
        task.name: policy_score(world, task, model.predict(here, model.infer(task))[0], gamma)
        for task in tasks
    }


def policy_score(world: TabularEnv, task: Task, policy: ArrayLike, gamma: float = 0.95) -> float:
    """Return the exact normalised return of any policy; see `evaluate_tabular`.

    Args:
        world: A tabular environment.
        task: One of its tasks.
        policy: Actions (S,), or their probabilities (S, A).
        gamma: Discount of the values.
    """
    starts = list(world.mdp.starts)
    dynamics, reward = episode_model(world, task)  # with the end, perhaps one state more
    given = np.asarray(policy)
    # Actions in the terminal state do not matter.
    whole = np.concatenate([given, given[: len(reward) - len(given)]])
    uniform = np.full(reward.shape, 1 / reward.shape[1])  # (S, A)
    value = evaluate_policy(dynamics, whole, reward, gamma)[starts].mean()
    chance = evaluate_policy(dynamics, uniform, reward, gamma)[starts].mean()
    best = value_iteration(dynamics, reward, gamma)[0][starts].mean()
    span = best - chance
    return float((value - chance) / span) if span > NO_SPAN else math.nan


def mean_score(
    model: ZeroShotModel,
    make: Callable[[Task | None], gym.Env[Any, Any]],
    gamma: float,
    seed: int = 0,
) -> float:
    """Return the mean score of an environment's own tasks: exact if tabular, else of episodes.

    Args:
        model: A model, trained or in training; its generators are not touched.
        make: The environment of a task; of None for none.
        gamma: Discount of exact values.
        seed: Of the starts.

    Returns:
        The mean over all tasks of a tabular environment without wrappers for a model that is not
        recurrent, else over `FEW`; 0 is random, 1 optimal; NaN where there is no oracle.
    """
    env = make(None)
    world: Any = env.unwrapped
    every = list(world.tasks.values())
    whole = find_recorder(env) is None and not model.recurrent
    exact = isinstance(world, TabularEnv) and whole
    chosen = every if exact else every[:: max(1, -(-len(every) // FEW))]
    inferable = [task for task in chosen if can_infer(model, task)]
    if exact:
        found = list(evaluate_tabular(model, env, inferable, gamma).values())
    else:
        rows = evaluate_rollouts(model, make, inferable, episodes=2, seed=seed).values()
        found = [row.get("score", math.nan) for row in rows]
    env.close()
    if not np.isfinite(found).any():
        return math.nan
    # A reward that is not in the data has no z: its score counts as random, 0.
    return float(np.nanmean(found)) * len(inferable) / len(chosen)


def can_infer(model: ZeroShotModel, task: Task) -> bool:
    """Return whether the model has a prompt for a task: its samples may all have reward 0."""
    try:
        model.infer(task)
    except ValueError:
        return False
    return True


def evaluate_returns(act: Act | Policy, env: gym.Env[Any, Any], episodes: int, seed: int) -> float:
    """Return the mean undiscounted return of whole episodes.

    Args:
        act: Maps an observation to an action; or a policy, which may be recurrent.
        env: Made with its task.
        episodes: Number of episodes.
        seed: Of the first reset; the same seed gives every policy the same starts.
    """
    total = 0.0
    for episode in range(episodes):
        observation, _ = env.reset(seed=seed + episode)
        done, state, start = False, None, np.array([True])
        while not done:
            if isinstance(act, Policy):
                actions, state = act.predict(observation[None], state, start)
                action, start = actions[0], np.array([False])
            else:
                action = act(observation)
            observation, reward, terminated, truncated, _ = env.step(action)
            total += float(reward)
            done = terminated or truncated
    return total / episodes


def evaluate_rollouts(
    model: ZeroShotModel,
    make: Callable[[Task], gym.Env[Any, Any]],
    tasks: Iterable[Task],
    episodes: int = 10,
    seed: int = 0,
) -> dict[str, Mapping[str, float]]:
    """Return the returns of the model and of other controllers, on the same starts.

    The straight line is a baseline: a maze that it solves is no evidence of learning.

    Args:
        model: A trained model.
        make: The environment of a task, for example `lambda task: gym.make(id, task=task)`.
        tasks: Tasks of that environment.
        episodes: Of each policy and task.
        seed: Of the starts and of the random policy.

    Returns:
        By task name: mean returns `model`, `random`, and where there are any, `oracle` (random
        where no reward is possible) and `straight_line` (of a goal); with an oracle also, on the
        scale where random is 0 and the oracle 1, `score` (the model) and `straight_line_score`.

    Raises:
        ValueError: If the environment does not fit the model, or a task has no prompt.
    """
    table: dict[str, Mapping[str, float]] = {}
    for task in tasks:
        env = make(task)
        model.check_env(env)
        policy = Prompted(model, model.infer(task))
        table[task.name] = returns_beside(policy, env, task, episodes, seed)
        env.close()
    return table


def returns_beside(
    policy: Policy, env: gym.Env[Any, Any], task: Task, episodes: int, seed: int
) -> Mapping[str, float]:
    """Return a row of `evaluate_rollouts`: returns of a policy and other controllers in one task.

    Args:
        policy: Named `model` in the row; it plays before the others.
        env: Made with its task.
        task: That task.
        episodes: Of each policy.
        seed: Of the starts and of the random policy.
    """
    world: Any = env.unwrapped
    rng = np.random.default_rng(seed)
    policies: dict[str, Act | Policy] = {
        "model": policy,
        "random": lambda observation: world.random_action(rng),
    }
    if world.has_oracle:
        policies["oracle"] = OraclePolicy([world])
    if task.goal is not None and hasattr(world, "straight_line_action"):
        policies["straight_line"] = lambda observation: world.straight_line_action(rng)
    row = {}
    for name, act in policies.items():
        with suppress(NoOracle):  # the oracle has no plan for this task
            row[name] = evaluate_returns(act, env, episodes, seed)
    span = row.get("oracle", row["random"]) - row["random"]
    scores = {}
    if span > NO_SPAN:
        scores["score"] = (row["model"] - row["random"]) / span
        if "straight_line" in row:
            scores["straight_line_score"] = (row["straight_line"] - row["random"]) / span
    return row | scores
