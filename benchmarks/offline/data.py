"""Tasks of finite worlds, and the data of two grades from which they are learned."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.datasets.environments import make_env
from zerogym.benchmarks.studies.zero_shot.rivals import optimal
from zerogym.benchmarks.zero_shot.suite import GAMMA
from zerogym.envs.control.core.tasks import Task

Floats = NDArray[np.float64]

STEPS = 3_000  # transitions of a data set
RANDOM, MEDIOCRE = "random actions", "the optimum, every second action random"
# By grade, the share of actions that are random; the others are those of an optimal policy.
GRADES: Mapping[str, float] = MappingProxyType({RANDOM: 1.0, MEDIOCRE: 0.5})
_ACTIONS = 1  # of the streams of random numbers, none of which is the world's


@dataclass(frozen=True)
class OfflineTask:
    """One task of a world.

    Attributes:
        env: Registered id.
        task: Name of the task.
        horizon: Its effective horizon, by `effective_horizon_of`.
        kwargs: Arguments of the environment.
    """

    env: str
    task: str
    horizon: int
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def world(self) -> tuple[Any, Task]:
        """Return the tabular environment and the task."""
        made: Any = make_env(self.env, self.kwargs).unwrapped
        return made, made.tasks[self.task]


# Chosen by their effective horizons, before any agent was scored: none is solved by one step of
# improvement over random actions.
TASKS: Mapping[str, OfflineTask] = MappingProxyType(
    {
        "rooms, penalties": OfflineTask("zerogym/FourRooms-v0", "goal_penalty_5", 12),
        "U-map, three goals": OfflineTask("zerogym/UMap-v0", "multi_goal_3", 35),
        "slippery rooms, penalties": OfflineTask("zerogym/SlipperyGrid-v0", "goal_penalty_6", 18),
        "slippery pits, goal": OfflineTask("zerogym/Pits-v0", "goal_1_1", 74),
        "cliff, goal": OfflineTask(
            "zerogym/Pits-v0", "goal_4_12", 3, {"layout": "cliff", "slip": 0.0}
        ),
    }
)


class Drawn:
    """A policy given by a table; a `zerogym.agents.core.Policy`.

    Args:
        world: A grid; it names the states.
        policy: Probabilities (S, A).
        rng: Of the actions.
    """

    def __init__(self, world: Any, policy: Floats, rng: np.random.Generator) -> None:
        self._world, self._rng = world, rng
        self._bounds = policy.cumsum(axis=1)

    def predict(
        self,
        observations: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[np.int64], Any]:
        """Return actions (B,) for observations (B, k); always samples, the state is passed on."""
        bounds = self._bounds[self._world.state_of(observations)]  # (B, A)
        drawn = self._rng.random(len(bounds)) * bounds[:, -1]
        return (bounds <= drawn[:, None]).sum(axis=1), state


def data_of(task: OfflineTask, grade: str, seed: int) -> Dataset:
    """Return the transitions of a grade, in episodes from all start states.

    Args:
        task: Whose optimal policy the mediocre grade is made from.
        grade: Of `GRADES`.
        seed: Of the world and of the actions, in streams of their own.
    """
    world, known = task.world()
    best, share = optimal(world, known, GAMMA), GRADES[grade]
    policy = share / best.shape[1] + (1 - share) * best
    rng = np.random.default_rng((seed, _ACTIONS))
    return collect(world, STEPS, Drawn(world, policy, rng), seed=seed)
