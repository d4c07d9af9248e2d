"""What is measured of an ant: closed forms of observations, and the tasks made of it.

Columns of an observation: 0 height; 1 to 4 the quaternion (w, x, y, z) of the torso; 5 to 12 the
joints; 13 to 15 the torso's velocity in the world; 16 to 18 how fast it turns about its own axes;
19 to 26 the joints' velocities.

| tasks | from |
|---|---|
| `stand`, `walk`, `run`, `jump` | URLB's quadruped [1]; the height of `jump` is the torso's |
| `move_0`, ... `move_315`, `spin`, `spin_right`, `lie`, `on_back`, `height_*` | ours |

[1] "URLB: Unsupervised Reinforcement Learning Benchmark" (2021, arXiv 2110.15191).

Left out: the centre of mass, whose motion differs little from the torso's; `roll` of [1], which
pays for any speed of an upright torso.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import ClassVar

import numpy as np

from zerogym.envs.control.core.arrays import Array, Single, columns, namespace
from zerogym.envs.control.core.features import Features, Measures
from zerogym.envs.control.core.tasks import Task, tolerance
from zerogym.envs.control.mujoco.locomotion.planar_tasks import (
    AtLeast,
    Row,
    Rule,
    Together,
    Within,
    height_rows,
    task_table,
    upright,
    upside_down,
)

POSE = 13  # columns before the velocities
WALK, RUN = 0.5, 5.0  # m/s
JUMP = 1.0  # m
MOVE = 1.0  # m/s
SPIN = np.pi  # radian/s
DIRECTIONS = tuple(range(0, 360, 45))  # degrees counter-clockwise from forward
GOAL_RADIUS, GOAL_MARGIN = 0.1, 0.5  # of a pose, root mean square over its columns; our choice

Columns = tuple[Array, ...]


def _upright(columns: Columns) -> Array:
    """Cosine between the torso's axis and the vertical: 1 upright, -1 on its back."""
    _, _, x, y, _ = columns[:5]
    return 1 - 2 * (x * x + y * y)


def _speed(columns: Columns) -> Array:
    """Of the torso along its own forward axis, m/s."""
    _, w, x, y, z = columns[:5]
    u, v, climb = columns[13:16]
    return (1 - 2 * (y * y + z * z)) * u + 2 * (x * y + w * z) * v + 2 * (x * z - w * y) * climb


def _sideways(columns: Columns) -> Array:
    """Of the torso along its own axis to the left, m/s."""
    _, w, x, y, z = columns[:5]
    u, v, climb = columns[13:16]
    return 2 * (x * y - w * z) * u + (1 - 2 * (x * x + z * z)) * v + 2 * (y * z + w * x) * climb


def _column(index: int, columns: Columns) -> Array:
    return columns[index]


def _of_columns(measure: Callable[[Columns], Array], observations: Array) -> Array:
    if type(observations) is Single:
        return measure(observations)
    if namespace(observations) is np:
        rows = np.asarray(observations, dtype=np.float64)
        return measure(tuple(np.ascontiguousarray(rows.T[:19])))
    return measure(tuple(observations[:, index] for index in range(19)))


OF_COLUMNS: Mapping[str, Callable[[Columns], Array]] = {
    "height": partial(_column, 0),
    "upright": _upright,
    "speed": _speed,
    "sideways": _sideways,
    "climb": partial(_column, 15),
    "roll_rate": partial(_column, 16),
    "pitch_rate": partial(_column, 17),
    "yaw_rate": partial(_column, 18),
}
MEASURES: Measures = {name: partial(_of_columns, measure) for name, measure in OF_COLUMNS.items()}


@dataclass(frozen=True)
class HalfAtNone:
    """URLB's tolerance: 1 from `least` on, half of that at 0, in a line."""

    feature: str
    least: float

    def __call__(self, features: Features, action: Array) -> Array:
        value = features[self.feature]
        return tolerance(value, (self.least, np.inf), self.least, "linear", 0.5)


@dataclass(frozen=True)
class Heading:
    """The share of a speed in one direction of the body's plane, less where it drifts aside."""

    degrees: float  # counter-clockwise from forward
    speed: float

    def __call__(self, features: Features, action: Array) -> Array:
        cosine, sine = np.cos(np.deg2rad(self.degrees)), np.sin(np.deg2rad(self.degrees))
        forward, left = features["speed"], features["sideways"]
        along = float(cosine) * forward + float(sine) * left
        aside = float(cosine) * left - float(sine) * forward
        share = tolerance(along, (self.speed, np.inf), self.speed, "linear", 0.0)
        return share * tolerance(aside, (-self.speed / 4, self.speed / 4), self.speed)


@dataclass(frozen=True, eq=False)
class NearPose:
    """1 near a pose, less beyond; velocities do not count."""

    pose: tuple[float, ...]  # height, quaternion, joints
    of_single: ClassVar[bool] = True

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return tolerance(self.distance(next_obs), (0.0, GOAL_RADIUS), GOAL_MARGIN)

    def distance(self, observations: Array) -> Array:
        """Root mean square over the columns of the pose; a quaternion and its negative are one."""
        seen = columns(observations)
        same = sum(seen[index] * self.pose[index] for index in range(1, 5))
        total = 2 - 2 * abs(same)
        for index in (0, *range(5, POSE)):
            away = seen[index] - self.pose[index]
            total = total + away * away
        xp = namespace(total)
        return xp.sqrt(xp.clip(total, 0.0, None) / POSE)


def rows() -> Iterator[Row]:
    """The tasks."""
    yield "stand", "Keep the torso upright.", upright
    for name, speed in (("walk", WALK), ("run", RUN)):
        text = f"{name.title()} forward at {speed:g} metres a second or faster, upright."
        yield name, text, Together((upright, HalfAtNone("speed", speed)))
    jump = Together((upright, HalfAtNone("height", JUMP)))
    yield "jump", "Have the torso a metre above the floor, upright.", jump
    for degrees in DIRECTIONS:
        text = f"Move {degrees} degrees to the left of forward at {MOVE:g} metre a second, upright."
        yield f"move_{degrees}", text, Together((upright, Heading(degrees, MOVE)))
    for name, side, rate in (("spin", "left", SPIN), ("spin_right", "right", -SPIN)):
        text = f"Turn to the {side} half a turn a second or faster, upright."
        yield name, text, Together((upright, AtLeast("yaw_rate", rate)))
    low: Rule = Within("height", 0.0, 0.3, 0.2)
    yield "lie", "Lie on the belly.", Together((upright, low))
    yield "on_back", "Lie on the back.", upside_down
    yield from height_rows((0.4, 0.6))


@cache
def ant_tasks() -> Mapping[str, Task]:
    """All tasks by name."""
    return task_table(rows(), MEASURES)
