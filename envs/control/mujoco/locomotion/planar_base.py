"""MuJoCo bodies in a plane: observations, and starts as in the control suite.

The features are those of `planar_kinematics.py`.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Floats
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.mujoco.base import compiled
from zerogym.envs.control.mujoco.locomotion.base import LocomotionEnv
from zerogym.envs.control.mujoco.locomotion.planar_kinematics import POSE, Link, PlanarBody
from zerogym.envs.control.mujoco.locomotion.planar_tasks import Row, task_table

ROOT = 3  # coordinates of the torso: x, z, pitch


class PlanarEnv(LocomotionEnv):
    """A body whose torso slides along x and z and pitches; subclasses name file and tasks."""

    root = ROOT
    rows: ClassVar[Callable[[], Iterator[Row]]]  # of the tasks
    has_random_pitch: ClassVar[bool] = True  # at the start

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks."""
        return _planar_tasks(self.file, type(self).rows)

    @property
    def measures(self) -> Measures:
        """The features of `planar_kinematics.py`, with the masses of the file in any context."""
        return planar_body(self.file).measures

    def observations(self, qpos: NDArray[Any], qvel: NDArray[Any]) -> NDArray[np.float32]:
        """Return height, sine and cosine of the pitch, hinge angles, velocities."""
        height, pitch = qpos[:, 1] + self._rest_height, qpos[:, 2]
        pose = np.stack([height, np.sin(pitch), np.cos(pitch)], axis=1)
        return np.concatenate([pose, qpos[:, ROOT:], qvel], axis=1, dtype=np.float32)

    def _observe(self, place: list[float], moving: list[float]) -> NDArray[np.float32]:
        pitch = place[2]
        pose = (place[1] + self._rest_height, np.sin(pitch), np.cos(pitch))
        return np.array((*pose, *place[ROOT:], *moving), dtype=np.float32)

    def states(self, observations: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Invert `observations`, with the torso at x = 0 and the pitch in [-pi, pi].

        Raises:
            ValueError: If one is no observation of this environment.
        """
        rows, hinges = self._rows(observations, unit=slice(1, 3)), self.model.nq - ROOT
        qpos = np.zeros((len(rows), self.model.nq))
        qpos[:, 1] = rows[:, 0] - self._rest_height
        qpos[:, 2] = np.arctan2(rows[:, 1], rows[:, 2])
        qpos[:, ROOT:] = rows[:, POSE : POSE + hinges]
        return qpos, rows[:, POSE + hinges :].copy()

    def _pose(self, observation: Floats, qpos: Floats) -> Floats:
        return observation[: -self.model.nv]

    @cached_property
    def _rest_height(self) -> float:
        return planar_body(self.file).rest_height

    def _draw_start(self) -> None:
        """Draw the hinges within their limits, and any pitch: the body falls to the floor."""
        self.data.qpos[ROOT:] = self.np_random.uniform(*self._limits.T)
        if self.has_random_pitch:
            self.data.qpos[2] = self.np_random.uniform(-np.pi, np.pi)


@cache
def _planar_tasks(file: str, rows: Callable[[], Iterator[Row]]) -> Mapping[str, Task]:
    """Make the tasks of a body, once: they are known by identity."""
    return task_table(rows(), planar_body(file).measures)


@cache
def planar_body(file: str) -> PlanarBody:
    """Read the body of an MJCF file in data/."""
    model = compiled(file)
    links = tuple(_link(model, index) for index in range(1, model.nbody))
    return PlanarBody(links, float(model.body_pos[1, 2]))


def _link(model: Any, body: int) -> Link:
    """Read a body of a compiled model; MuJoCo's body 0 is the world."""
    joint = ROOT - 1 + body - 1  # one hinge for each body, after the torso's slides
    parent = int(model.body_parentid[body])
    w, x, y, z = model.body_iquat[body]
    axis = np.array([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)])  # y
    hinge = model.jnt_pos[joint]
    offset = model.body_pos[body] + hinge - (model.jnt_pos[parent + 1] if parent else 0)
    return Link(
        name=model.body(body).name,
        parent=parent - 1,
        sign=float(np.sign(model.jnt_axis[joint, 1])),
        offset=(float(offset[0]), float(offset[2])) if parent else (0.0, 0.0),
        centre=tuple((model.body_ipos[body] - hinge)[[0, 2]].tolist()),
        mass=float(model.body_mass[body]),
        inertia=float((axis * model.body_inertia[body] * axis).sum()),
    )
