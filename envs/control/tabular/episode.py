"""What changes while an episode in a finite world runs, and the tables that its task gives it."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.env import ControlEpisode
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.dynamic_programming import Floats
from zerogym.envs.control.tabular.mdp import TabularMDP


@dataclass(kw_only=True)
class TabularEpisode(ControlEpisode):
    """Where the mover is, and what its task pays."""

    state: int
    rewards: Floats  # (S, A, K)
    expected_rewards: Floats  # (S, A)
    on_goal: NDArray[np.bool_]  # (S,)
    facing: int = 0
    # (horizon + 1, S) each, made when the oracle is first asked: see `TabularEnv.oracle_action`.
    values: list[Floats] = field(default_factory=list)


def begin(world: TabularMDP, state: int, task: Task | None) -> TabularEpisode:
    """The first moment of an episode."""
    rewards = world.reward_table(task)
    return TabularEpisode(
        task=task,
        state=state,
        rewards=rewards,
        expected_rewards=world.average(rewards),
        on_goal=world.on_goal(task),
    )
