"""How each contender comes to its policy; learners are trained here, once a run.

A builder gets the world and the workshop, and returns a function from a batch of environments and
a variant to a policy. Models in memory are shared by the cells of a run; trained ones are kept in
the workshop's folder where their format needs no pickle.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from zerogym.agents.baselines.bounds import OraclePolicy, RandomPolicy
from zerogym.benchmarks.records import PolicyMaker, Workshop, World

Envs = Sequence[gym.Env[Any, Any]]


def random(world: World, workshop: Workshop) -> PolicyMaker:
    """Well-formed actions without knowledge."""
    return lambda envs, variant: RandomPolicy(envs, workshop.seed)


def oracle(world: World, workshop: Workshop) -> PolicyMaker:
    """The truth of each world."""
    return lambda envs, variant: OraclePolicy(envs)
