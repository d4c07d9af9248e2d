"""MuJoCo bodies in a plane: what is observed, goals as poses, starts as in the control suite.

The features are those of `planar_kinematics.py`. Left out: text views.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, columns, namespace
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task, tolerance
from zerogym.envs.control.mujoco.base import MujocoEnv, compiled
from zerogym.envs.control.mujoco.locomotion.planar_kinematics import POSE, Link, PlanarBody

ROOT = 3  # coordinates of the torso: x, z, pitch
GOAL_RADIUS, GOAL_MARGIN = 0.1, 0.5  # of a pose, root mean square over its columns; our choice
SLACK = 0.1  # radian, or height and direction, by which an observation may miss the possible


@dataclass(frozen=True, eq=False)
class PoseReward:
    """1 near a pose (P,), less beyond; velocities do not count."""

    pose: tuple[float, ...]
    of_single: ClassVar[bool] = True

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return tolerance(self.distance(next_obs), (0.0, GOAL_RADIUS), GOAL_MARGIN)

    def distance(self, observations: Array) -> Array:
        """Root mean square over the columns of the pose; (B,)."""
        total: Any = 0.0
        for column, wanted in zip(columns(observations), self.pose, strict=False):
            total = total + (column - wanted) * (column - wanted)
        return namespace(total).sqrt(total / len(self.pose))


class PlanarEnv(MujocoEnv):
    """A body whose torso slides along x and z and pitches; subclasses name file and tasks."""

    has_random_pitch: ClassVar[bool] = True  # at the start

    @property
    @abstractmethod
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks."""

    @property
    def measures(self) -> Measures:
        """The features of `planar_kinematics.py`: with the masses of the file, whatever the
        context."""
        return planar_body(self.file).measures

    def observations(self, qpos: NDArray[Any], qvel: NDArray[Any]) -> NDArray[np.float32]:
        """Height, sine and cosine of the pitch, hinge angles, velocities."""
        hinges = qpos.shape[1] - ROOT
        seen = np.empty((len(qpos), POSE + hinges + qvel.shape[1]), dtype=np.float32)
        seen[:, 0] = qpos[:, 1] + self._rest_height
        seen[:, 1], seen[:, 2] = np.sin(qpos[:, 2]), np.cos(qpos[:, 2])
        seen[:, POSE : POSE + hinges] = qpos[:, ROOT:]
        seen[:, POSE + hinges :] = qvel
        return seen

    def _observe(self, place: list[float], moving: list[float]) -> NDArray[np.float32]:
        pitch = place[2]
        pose = (place[1] + self._rest_height, np.sin(pitch), np.cos(pitch))
        return np.array((*pose, *place[ROOT:], *moving), dtype=np.float32)

    def states(self, observations: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The inverse, with the torso at x = 0 and the pitch in [-pi, pi].

        Raises:
            ValueError: If one is no observation of this world.
        """
        rows = np.asarray(observations, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1:] != self.observation_space.shape:
            raise ValueError(f"{self.name}: observations must be (B, n), got {rows.shape}")
        sine, cosine = rows[:, 1], rows[:, 2]
        good = np.isfinite(rows).all(axis=1) & (np.abs(np.hypot(sine, cosine) - 1.0) < SLACK)
        if not good.all():
            raise ValueError(
                f"{self.name}: {np.array2string(rows[~good][0], precision=3)[:120]} is no "
                "observation: it is not finite, or columns 1 and 2 are no sine and cosine"
            )
        hinges = self.model.nq - ROOT
        qpos = np.zeros((len(rows), self.model.nq))
        qpos[:, 1] = rows[:, 0] - self._rest_height
        qpos[:, 2] = np.arctan2(sine, cosine)
        qpos[:, ROOT:] = rows[:, POSE : POSE + hinges]
        return qpos, rows[:, POSE + hinges :].copy()

    @cached_property
    def _rest_height(self) -> float:
        return planar_body(self.file).rest_height

    def _draw_start(self) -> None:
        """Hinges evenly within their limits, and any pitch: the body falls to the floor."""
        limits = self.model.jnt_range[ROOT:]
        self.data.qpos[ROOT:] = self.np_random.uniform(limits[:, 0], limits[:, 1])
        if self.has_random_pitch:
            self.data.qpos[2] = self.np_random.uniform(-np.pi, np.pi)

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        wanted = self._one_observation(goal, "goal")
        qpos = self.states(wanted[None])[0][0]
        limits = self.model.jnt_range[ROOT:]
        bent = (qpos[ROOT:] < limits[:, 0] - SLACK) | (qpos[ROOT:] > limits[:, 1] + SLACK)
        if bent.any() or wanted[0] < -SLACK:
            raise ValueError(
                f"{self.name}: goal must be an observation with a height of at least 0 and hinges "
                f"within their limits, got {str(goal)[:60]}"
            )
        text = f"Reach the pose {np.array2string(wanted[: POSE + len(limits)], precision=2)}."
        return Task("goal", text, self._pose_reward(wanted), wanted.astype(np.float32))

    def _at_goal(self, observations: Array, goal: NDArray[Any]) -> Array:
        return self._pose_reward(goal).distance(observations) <= GOAL_RADIUS

    def _pose_reward(self, goal: NDArray[Any]) -> PoseReward:
        return PoseReward(tuple(float(value) for value in goal[: self.model.nq]))


@cache
def planar_body(file: str) -> PlanarBody:
    """The body of an MJCF file in data/."""
    model = compiled(file)
    links = tuple(_link(model, index) for index in range(1, model.nbody))
    return PlanarBody(links, float(model.body_pos[1, 2]))


def _link(model: Any, body: int) -> Link:
    """What the compiled model says about a body; MuJoCo's body 0 is the world."""
    joint = ROOT - 1 + body - 1  # one hinge for each body, after the torso's slides
    parent = int(model.body_parentid[body])
    axes = _rotation(model.body_iquat[body])
    hinge = model.jnt_pos[joint]
    offset = model.body_pos[body] + hinge - (model.jnt_pos[parent + 1] if parent else 0)
    return Link(
        name=model.body(body).name,
        parent=parent - 1,
        sign=float(np.sign(model.jnt_axis[joint, 1])),
        offset=(float(offset[0]), float(offset[2])) if parent else (0.0, 0.0),
        centre=tuple((model.body_ipos[body] - hinge)[[0, 2]].tolist()),
        mass=float(model.body_mass[body]),
        inertia=float((axes * model.body_inertia[body] * axes)[1].sum()),
    )


def _rotation(quaternion: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix of a unit quaternion (w, x, y, z); (3, 3)."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
