"""A body on four legs in three dimensions: standing, walking any way, jumping, spinning.

Features and tasks are in `ant_features.py`. Left out: random tilts at the start, as these legs do
not bring an ant back to its feet; contact forces, which are no function of the state.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.mujoco.base import MujocoEnv
from zerogym.envs.control.mujoco.locomotion.ant_features import (
    GOAL_RADIUS,
    MEASURES,
    POSE,
    NearPose,
    ant_tasks,
)

HIDDEN = 2  # coordinates that are not observed: x and y of the torso
ROOT = 7  # coordinates of the torso: place and quaternion
SLACK = 0.1  # radian, or length of the quaternion, by which an observation may miss the possible


class AntEnv(MujocoEnv):
    """An ant, any reward.

    Description:
        A torso on four legs with a hip and a knee each, free in three dimensions, simulated by
        MuJoCo with steps of 10 ms; five make one step of the world. Physics and reward are apart:
        `env.unwrapped.tasks` holds the named rewards, any other can be given. It cannot fall out
        of an episode.

    Observation:
        float32 (27,): height of the torso (m), its quaternion (w, x, y, z), the angles of hip and
        knee of the front left, back left, back right and front right leg (radian); the torso's
        velocity in the world (m/s) and about its own axes (radian/s), the joints' (radian/s). All
        of the state but the place on the floor. `env.unwrapped.features(observations)` gives
        `height`, `upright`, `speed` and `sideways` (of the torso along its own axes), `climb`,
        `roll_rate`, `pitch_rate` and `yaw_rate`; `states(observations)` gives MuJoCo's `qpos` and
        `qvel`.

    Action:
        float32 (8,) in [-1, 1]: torques of the joints in the same order, in shares of 150 newton
        metres; larger values are clipped.

    Reward:
        That of the task, in [0, 1] for each named one. `task=None` is reward-free: 0.

    Episode end:
        Truncated after `horizon` steps (50 seconds), never terminated. `info["success"]` (goals):
        the pose has been reached.

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

        `reset(options=...)` may pin `start` (an observation), `task` and `context` for one
        episode; else the ant looks anywhere, its joints start anywhere within their limits, and
        it falls a few centimetres to its feet. `push(force)` lets a force act on the torso during
        the next step.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Ant-v0", task="walk")
        >>> obs, info = env.reset(seed=0)
        >>> obs, reward, terminated, truncated, info = env.step([0.0] * 8)
        >>> obs.shape, 0 <= reward <= 1, info["category"]
        ((27,), True, 'walk')

    Source:
        Body after "High-Dimensional Continuous Control Using Generalized Advantage Estimation"
        (2015, arXiv 1506.02438), written anew: the same sizes, masses, joints and motors. First
        tasks after "URLB: Unsupervised Reinforcement Learning Benchmark" (2021, arXiv
        2110.15191), whose quadruped has longer legs. Ours: the other tasks, the integrator (Euler's
        instead of Runge and Kutta's), the order of the legs and the signs of their knees.
    """

    file = "ant.xml"
    substeps = 5

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks."""
        return ant_tasks()

    @property
    def measures(self) -> Measures:
        """The features of `ant_features.py`."""
        return MEASURES

    def observations(self, qpos: NDArray[Any], qvel: NDArray[Any]) -> NDArray[np.float32]:
        """Height, quaternion (of length 1), joints, velocities."""
        seen = np.empty((len(qpos), qpos.shape[1] - HIDDEN + qvel.shape[1]), dtype=np.float32)
        quaternion = qpos[:, 3:ROOT]
        seen[:, 0] = qpos[:, 2]
        seen[:, 1:5] = quaternion / np.sqrt((quaternion**2).sum(axis=1, keepdims=True))
        seen[:, 5:POSE] = qpos[:, ROOT:]
        seen[:, POSE:] = qvel
        return seen

    def _observe(self, place: list[float], moving: list[float]) -> NDArray[np.float32]:
        w, x, y, z = place[3:ROOT]
        length = math.sqrt(w * w + x * x + y * y + z * z)
        torso = (place[2], w / length, x / length, y / length, z / length)
        return np.array((*torso, *place[ROOT:], *moving), dtype=np.float32)

    def states(self, observations: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The inverse, with the torso above the origin.

        Raises:
            ValueError: If they are not (B, 27), or one is no observation.
        """
        rows = np.asarray(observations, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1:] != self.observation_space.shape:
            raise ValueError(f"{self.name}: observations must be (B, n), got {rows.shape}")
        lengths = np.linalg.norm(rows[:, 1:5], axis=1)
        good = np.isfinite(rows).all(axis=1) & (np.abs(lengths - 1.0) < SLACK)
        if not good.all():
            raise ValueError(
                f"{self.name}: {np.array2string(rows[~good][0], precision=3)[:120]} is no "
                "observation: it is not finite, or columns 1 to 4 are no quaternion of length 1"
            )
        qpos = np.zeros((len(rows), self.model.nq))
        qpos[:, HIDDEN:] = rows[:, :POSE]
        qpos[:, 3:ROOT] /= lengths[:, None]
        return qpos, rows[:, POSE:].copy()

    def _draw_start(self) -> None:
        """Upright in any direction, with any joint angles."""
        turn = self.np_random.uniform(-np.pi, np.pi)
        limits = self.model.jnt_range[1:]
        self.data.qpos[3:ROOT] = np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)
        self.data.qpos[ROOT:] = self.np_random.uniform(limits[:, 0], limits[:, 1])

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        wanted = self._one_observation(goal, "goal")
        qpos = self.states(wanted[None])[0][0]
        limits = self.model.jnt_range[1:]
        bent = (qpos[ROOT:] < limits[:, 0] - SLACK) | (qpos[ROOT:] > limits[:, 1] + SLACK)
        if bent.any() or wanted[0] < -SLACK:
            raise ValueError(
                f"{self.name}: goal must be an observation with a height of at least 0 and joints "
                f"within their limits, got {str(goal)[:60]}"
            )
        text = f"Reach the pose {np.array2string(wanted[:POSE], precision=2)}."
        reward = NearPose(tuple(map(float, qpos[HIDDEN:])))
        return Task("goal", text, reward, wanted.astype(np.float32))

    def _at_goal(self, observations: Array, goal: NDArray[Any]) -> Array:
        return NearPose(tuple(map(float, goal[:POSE]))).distance(observations) <= GOAL_RADIUS
