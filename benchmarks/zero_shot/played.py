"""Scores of played episodes, for worlds with continuous actions, and the rivals there.

Where the world has an oracle, 0 is the mean return of random actions and 1 that of the oracle, on
the same starts; elsewhere a score is the mean reward a step.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import gymnasium as gym

from zerogym.agents.baselines.random_and_oracle import OraclePolicy, RandomPolicy
from zerogym.agents.core import Policy
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.datasets.environments import make_env
from zerogym.agents.zero_shot.evaluation.returns import Act, evaluate_returns
from zerogym.benchmarks.zero_shot.fitted import FittedQ
from zerogym.benchmarks.zero_shot.suite import (
    GAMMA,
    GREEDY,
    ORACLE,
    RIVALS,
    ZeroShotWorld,
    tasks_by_kind,
)
from zerogym.envs.control.core.tasks import Task

Env = gym.Env[Any, Any]
Kwargs = tuple[tuple[str, Any], ...]  # of a world, in an order
Player = Callable[[Task, Env], Act | Policy]  # of a task and its environment
LINE, RANDOM = RIVALS[0], RIVALS[4]
FIRST = 100_000  # seed of the first start; data begin elsewhere
UPDATES = 2_000  # of the fitted Q


def play(world: ZeroShotWorld, seed: int, player: Player) -> dict[str, dict[str, float]]:
    """Return the scores of a player by kind and task.

    Args:
        world: A world of episodes.
        seed: Every seed has starts of its own, which all players share.
        player: Makes the policy of a task.
    """
    env = make_env(world.env, world.kwargs)
    kinds = tasks_by_kind(world, env.unwrapped.tasks)  # type: ignore[attr-defined]
    env.close()
    kwargs = tuple(world.kwargs.items())
    scores: dict[str, dict[str, float]] = {}
    for kind, tasks in kinds.items():
        for task in tasks:
            low, high = _ends(world.env, kwargs, task.name, world.episodes, seed)
            found = _mean_return(world.env, kwargs, task.name, player, world.episodes, seed)
            scores.setdefault(kind, {})[task.name] = (found - low) / (high - low)
    return scores


def player_of(rival: str, world: ZeroShotWorld, data: Dataset, seed: int) -> Player | None:
    """Return the player of one of `RIVALS`; None where the world has none.

    Nothing can be counted here, and the best actions of the data are not known. Greedy on random's
    Q is one step of improvement, by a Q that is fitted to the walks of the data.
    """
    env = make_env(world.env, world.kwargs)
    inner: Any = env.unwrapped
    tasks, has_oracle = inner.tasks, inner.has_oracle
    has_line = hasattr(inner, "straight_line_action")
    env.close()
    if rival == RANDOM:
        return lambda task, env: RandomPolicy([env], seed)
    if rival == ORACLE and has_oracle:
        return lambda task, env: OraclePolicy([env])
    if rival == LINE and has_line:
        return lambda task, env: _straight(env)
    if rival == GREEDY:
        fitted = FittedQ(data, list(tasks.values()), GAMMA, seed)
        fitted.learn(UPDATES)
        return lambda task, env: fitted.greedy(task)
    return None


def _straight(env: Env) -> Act:
    inner: Any = env.unwrapped
    return lambda observation: inner.straight_line_action(None)


@cache
def _ends(env: str, kwargs: Kwargs, task: str, episodes: int, seed: int) -> tuple[float, float]:
    """Return the returns that score 0 and 1."""
    made = make_env(env, dict(kwargs))
    inner: Any = made.unwrapped
    has_oracle, horizon = inner.has_oracle, inner.horizon
    made.close()
    if not has_oracle:
        return 0.0, float(horizon)
    ends: tuple[Player, Player] = (
        lambda task, env: RandomPolicy([env], seed),
        lambda task, env: OraclePolicy([env]),
    )
    low, high = (_mean_return(env, kwargs, task, end, episodes, seed) for end in ends)
    return low, high


def _mean_return(
    env: str, kwargs: Kwargs, task: str, player: Player, episodes: int, seed: int
) -> float:
    made = make_env(env, {**dict(kwargs), "task": task})
    inner: Any = made.unwrapped
    policy = player(inner.tasks[task], made)
    found = evaluate_returns(policy, made, episodes, FIRST + seed * episodes)
    made.close()
    return found
