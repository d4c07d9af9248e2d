"""Who plays without having learned: random actions, a planner, and a world's scripts for a task.

A script is there if the world has its method, and it answers: some know some tasks only. Where a
drawn world has nothing of what a task asks for, the best return is 0, and an oracle earns that.
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
ASKED = 20  # episodes in which a script must know what to do


def players(
    env: gym.Env[Any, Any], task: str, wanted: Sequence[str], finite: bool
) -> Iterator[tuple[str, Policy]]:
    """Those who play: what is computed exactly need not be."""
    if "random" in wanted and not finite:
        yield "random", RandomPolicy([env])
    if "planner" in wanted:
        yield "planner", PlannerPolicy([env], task)
    if "scripted" in wanted:
        for name, make in SCRIPTS.items():
            if not (finite and name == "oracle") and _knows(env, f"{name}_action", make):
                yield name, make([env])


def needs_no_learner(entry: Entry, task: str) -> bool:
    """Whether the best policy of a task can be computed, or a script does it in every episode."""
    env = gym.make(entry.id, task=task)
    world: Any = env.unwrapped
    try:
        if isinstance(world, TabularEnv) and task in world.tasks:
            return True
        seeds = episode_seeds(ASKED, 0)
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
    """Whether a world has a script, and one for this task: it is asked for one action."""
    if not env.has_wrapper_attr(method):
        return False
    env.reset(seed=seed)
    try:
        make([env]).predict([None])
    except NoOracle:
        return False
    return True
