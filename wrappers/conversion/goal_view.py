"""Worlds with goals in the form of goal-conditioned algorithms: `GoalView`.

The interface is that of Gymnasium Robotics' `GoalEnv`, which Stable-Baselines3's `HerReplayBuffer`
and others expect: "Multi-Goal Reinforcement Learning: Challenging Robotics Environments and Request
for Research" (2018, arXiv 1802.09464). A goal is an observation to reach, and what is achieved is
the observation itself.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.env import ControlEnv
from zerogym.envs.control.core.tasks import Batch, Goal, Task
from zerogym.errors import UnknownName
from zerogym.wrappers.core import Options, Start, Step
from zerogym.wrappers.seeded import SeededWrapper
from zerogym.wrappers.vectors import Vector, world_columns


class GoalView(SeededWrapper):
    """Shows observation, achieved goal and desired goal; each episode has one of the named goals.

    Observation:
        A dictionary of three float32 vectors (n,): `observation`, `achieved_goal` (the same) and
        `desired_goal`.

    Reward:
        The world's own for the task of the desired goal. `compute_reward(achieved_goal,
        desired_goal, info)` is that of arriving at `achieved_goal`, for any goal in the world.

    Args:
        env: A control world with named goals.
        goals: Names of the tasks that are drawn, each as often; None: all that have a goal. The
            option `task` of `reset` pins one.

    Raises:
        TypeError: If the world has no goals, their rewards depend on more than the observation
            that is reached (as in a T-maze), or a wrapper inside changes observations.
        UnknownName: If one of `goals` is no task with a goal.

    Example:
        >>> import zerogym
        >>> env = GoalView(gym.make("zerogym/PointMaze-v0", task=None))
        >>> obs, info = env.reset(seed=0)
        >>> sorted(obs)
        ['achieved_goal', 'desired_goal', 'observation']
        >>> env.compute_reward(obs["desired_goal"], obs["desired_goal"], {})
        1.0
    """

    changes_observations = True

    def __init__(self, env: gym.Env[Any, Any], goals: Sequence[str] | None = None) -> None:
        super().__init__(env, goals=goals)
        world_columns(env, "GoalView")
        world: Any = env.unwrapped
        named = world.tasks if isinstance(world, ControlEnv) else {}
        self._tasks = {name: task for name, task in named.items() if task.goal is not None}
        if not self._tasks:
            raise TypeError(f"GoalView needs a world with goals, {env} has none")
        for name in goals or ():
            if name not in self._tasks:
                raise UnknownName("goal", name, list(self._tasks))
        self._check_rewards(world._transitions())
        self._goals = list(goals or self._tasks)
        box = env.observation_space
        names = ("observation", "achieved_goal", "desired_goal")
        self.observation_space = spaces.Dict(dict.fromkeys(names, box))
        self._of_place: dict[bytes, Task] = {}

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Draw a goal and start an episode."""
        self.reseed(seed)
        options = dict(options or {})
        name = options.setdefault("task", self._goals[int(self.rng.integers(len(self._goals)))])
        task = name if isinstance(name, Task) else self._tasks.get(name)
        if task is None or task.goal is None:
            raise UnknownName("goal", str(name), list(self._tasks))
        obs, info = self.env.reset(seed=seed, options=options)
        self._memory = np.asarray(task.goal, np.float32)
        return self._shown(obs), info

    def step(self, action: Any) -> Step:
        """Step the world; `info["is_success"]` as Stable-Baselines3 counts it."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        info = {**info, "is_success": bool(info.get("success", False))}
        return self._shown(obs), reward, terminated, truncated, info

    def compute_reward(
        self, achieved_goal: NDArray[Any], desired_goal: NDArray[Any], info: Any
    ) -> Any:
        """Return the reward of arriving at `achieved_goal` where `desired_goal` is the task's.

        Args:
            achieved_goal: Observations (n,) or (B, n).
            desired_goal: Goals, of the same shape.
            info: Not used.

        Returns:
            A float, or float64 (B,).

        Raises:
            ValueError: If the shapes differ, or a goal is not in the world.
        """
        achieved, desired = np.asarray(achieved_goal), np.asarray(desired_goal)
        if achieved.shape != desired.shape or achieved.ndim not in (1, 2):
            raise ValueError(
                f"GoalView: {achieved.shape} achieved and {desired.shape} desired goals"
            )
        if achieved.ndim == 1:
            return float(self.compute_reward(achieved[None], desired[None], info)[0])
        rewards = np.zeros(len(achieved))
        places, row_of = np.unique(desired, axis=0, return_inverse=True)
        for number, place in enumerate(places):
            rows = row_of.reshape(-1) == number
            arrived = achieved[rows]
            action = np.zeros((len(arrived), *self._no_action.shape), self._no_action.dtype)
            rewards[rows] = self._task(place).relabel(arrived, action, arrived)
        return rewards

    def _check_rewards(self, probe: Batch) -> None:
        task = next(iter(self._tasks.values()))
        _, actions, arrived = probe
        if not np.allclose(task.relabel(*probe), task.relabel(arrived, 0 * actions, arrived)):
            raise TypeError(
                f"GoalView: rewards of goals in {self.env} depend on more than where one arrives"
            )

    @property
    def _no_action(self) -> NDArray[Any]:
        """An action for rewards of goals, which do not depend on it."""
        space = self.env.action_space
        return np.zeros(space.shape or (), space.dtype)

    def _task(self, place: NDArray[Any]) -> Task:
        key = place.astype(np.float32).tobytes()
        if key not in self._of_place:
            known = (task for task in self._tasks.values() if _same(task.goal, place))
            world: Any = self.env.unwrapped
            self._of_place[key] = next(known, None) or world.task_of(Goal(place))
        return self._of_place[key]

    def _shown(self, obs: Any) -> dict[str, Vector]:
        return {
            "observation": obs,
            "achieved_goal": obs.copy(),
            "desired_goal": self._memory.copy(),
        }


def _same(goal: NDArray[Any] | None, place: NDArray[Any]) -> bool:
    return goal is not None and np.array_equal(goal.astype(np.float32), place.astype(np.float32))
