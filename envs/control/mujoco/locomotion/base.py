"""The base of bodies that move over a floor: poses as goals.

Left out: text views, goals with a velocity.
"""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, Floats
from zerogym.envs.control.core.interval_rewards import GOAL_RADIUS, NearGoal
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.mujoco.base import SLACK, MujocoEnv


class LocomotionEnv(MujocoEnv):
    """A body with a torso and hinges.

    Reward:
        That of the task, in [0, 1] for each named one. `task=None` is reward-free: 0.

    Difficulty:
        The task, and the constants: `context`.

    Arguments:
        task: None; the name of a task; a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs)` or `reward(features, action)` of batches, returning
            (B,); or an observation whose pose is to be reached.
        horizon: Steps in an episode.
        render_mode: None or `rgb_array`.
        context: Constants of the physics: `gravity` (m/s2, 9.81), and the factors `mass`,
            `friction` and `gain` (of the motors), each 1; what is left out keeps its default.

        `reset(options=...)` may pin `start` (an observation), `task` and `context` for one episode.
        `push(force)` applies a force to the torso during the next step.
    """

    root: ClassVar[int]  # coordinates of the torso in `qpos`
    near: ClassVar[type[NearGoal]] = NearGoal

    @abstractmethod
    def _pose(self, observation: Floats, qpos: Floats) -> Floats:
        """Return the columns of an observation that are no velocities."""

    @property
    def _limits(self) -> Floats:
        """Limits of the hinges; (J, 2)."""
        limits: Floats = self.model.jnt_range[self.root - self.model.nq :]
        return limits

    def _near(self, pose: NDArray[Any]) -> NearGoal:
        return self.near(tuple(map(float, pose)), (1.0,) * len(pose))

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        target = self._one_observation(goal, "goal")
        qpos, limits = self.states(target[None])[0][0], self._limits
        hinges = qpos[self.root :]
        bent = (hinges < limits[:, 0] - SLACK) | (hinges > limits[:, 1] + SLACK)
        if bent.any() or target[0] < -SLACK:
            raise ValueError(
                f"{self.name}: goal must be an observation with a height of at least 0 and hinges "
                f"within their limits, got {str(goal)[:60]}"
            )
        text = f"Reach the pose {np.array2string(target[: -self.model.nv], precision=2)}."
        return Task("goal", text, self._near(self._pose(target, qpos)), target.astype(np.float32))

    def _at_goal(self, observations: Array, goal: NDArray[Any]) -> Array:
        return self._near(goal[: -self.model.nv]).distance(observations) <= GOAL_RADIUS
