"""A body on four legs in three dimensions: standing, walking any way, jumping, spinning.

Features and tasks are in `ant_features.py`. Left out: random tilts at the start, as an ant cannot
get back to its feet with these legs; contact forces, which are no function of the state.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Floats
from zerogym.envs.control.mujoco.locomotion.ant_features import MEASURES, POSE, TASKS, NearPose
from zerogym.envs.control.mujoco.locomotion.base import LocomotionEnv

HIDDEN = 2  # coordinates that are not observed: x and y of the torso
ROOT = 7  # coordinates of the torso: place and quaternion


class AntEnv(LocomotionEnv):
    """An ant, any reward.

    Description:
        A torso on four legs with a hip and a knee each, free in three dimensions, simulated by
        MuJoCo with steps of 10 ms; five make one step of the world. Physics and reward are apart:
        `env.unwrapped.tasks` holds the named rewards, any other can be given. It cannot fall out
        of an episode. Episodes start with any heading and joints anywhere within their limits; the
        ant falls a few centimetres to its feet.

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

    Episode end:
        Truncated after `horizon` steps (50 seconds), never terminated. `info["success"]` (goals):
        the pose has been reached.

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

    default_task = "walk"
    file = "ant.xml"
    substeps = 5
    root = ROOT
    near = NearPose
    tasks = TASKS
    measures = MEASURES

    def observations(self, qpos: NDArray[Any], qvel: NDArray[Any]) -> NDArray[np.float32]:
        """Return height, quaternion (of length 1), joints, velocities."""
        quaternion = qpos[:, 3:ROOT]
        quaternion = quaternion / np.sqrt((quaternion**2).sum(axis=1, keepdims=True))
        parts = [qpos[:, 2:3], quaternion, qpos[:, ROOT:], qvel]
        return np.concatenate(parts, axis=1, dtype=np.float32)

    def _observe(self, place: list[float], moving: list[float]) -> NDArray[np.float32]:
        w, x, y, z = place[3:ROOT]
        length = math.sqrt(w * w + x * x + y * y + z * z)
        torso = (place[2], w / length, x / length, y / length, z / length)
        return np.array((*torso, *place[ROOT:], *moving), dtype=np.float32)

    def states(self, observations: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Invert `observations`, with the torso above the origin.

        Raises:
            ValueError: If they are not (B, 27), or one is no observation.
        """
        rows = self._rows(observations, unit=slice(1, 5))
        qpos = np.zeros((len(rows), self.model.nq))
        qpos[:, HIDDEN:] = rows[:, :POSE]
        qpos[:, 3:ROOT] /= np.linalg.norm(rows[:, 1:5], axis=1)[:, None]
        return qpos, rows[:, POSE:].copy()

    def _pose(self, observation: Floats, qpos: Floats) -> Floats:
        return qpos[HIDDEN:]

    def _draw_start(self) -> None:
        """Draw a direction and joint angles; the torso is upright."""
        turn = self.np_random.uniform(-np.pi, np.pi)
        self.data.qpos[3:ROOT] = np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)
        self.data.qpos[ROOT:] = self.np_random.uniform(*self._limits.T)
