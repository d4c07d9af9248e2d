"""Policies without learning: random actions, a planner, and a world's scripts for a task.

A script is available if the world has its method and the method covers the task. Where a drawn
world has nothing that a task rewards, the best return is 0, which is an oracle's return too.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import gymnasium as gym

from zerogym.agents.baselines.planner import PlannerPolicy
from zerogym.agents.baselines.random_and_oracle import OraclePolicy, RandomPolicy
from zerogym.agents.baselines.scripted import StraightLinePolicy
from zerogym.agents.core import Policy
from zerogym.benchmarks.suites.cells import episode_seeds
from zerogym.envs.control.tabular.base import TabularEnv
from zerogym.envs.registry import Task as Entry
from zerogym.errors import NoOracle

SCRIPTS: Mapping[str, Callable[[Sequence[gym.Env[Any, Any]]], Policy]] = {
    "straight_line": StraightLinePolicy,
    "oracle": OraclePolicy,
}
TRIALS = 20  # episodes in which a script must give an action


def players(
    env: gym.Env[Any, Any], task: str, requested: Sequence[str], finite: bool
) -> Iterator[tuple[str, Policy]]:
    """Yield the policies to be played; exactly computed ones are left out."""
    if "random" in requested and not finite:
        yield "random", RandomPolicy([env])
    if "planner" in requested:
        yield "planner", PlannerPolicy([env], task)
    if "scripted" in requested:
        for name, make in SCRIPTS.items():
            if not (finite and name == "oracle") and _knows(env, f"{name}_action", make):
                yield name, make([env])


def needs_no_learner(entry: Entry, task: str) -> bool:
    """Return True if the best policy can be computed, or a script covers every episode."""
    env = gym.make(entry.id, task=task)
    world: Any = env.unwrapped
    try:
        if isinstance(world, TabularEnv) and task in world.tasks:
            return True
        seeds = episode_seeds(TRIALS, 0)
        return any(
            all(_knows(env, f"{name}_action", make, seed) for seed in seeds)
            for name, make in SCRIPTS.items()
        )
    finally:
        env.close()


def _knows(
    env: gym.Env[Any, Any],
    method: str,
    make: Callable[[Sequence[gym.Env[Any, Any]]], Policy],
    seed: int = 0,
) -> bool:
    """Return True if a world has a script that gives an action for this task."""
    if not env.has_wrapper_attr(method):
        return False
    env.reset(seed=seed)
    try:
        make([env]).predict([None])
    except NoOracle:
        return False
    return True
