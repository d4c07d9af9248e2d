"""Features of an ant, in closed form over observations, and its tasks.

Columns of an observation: 0 height; 1 to 4 the quaternion (w, x, y, z) of the torso; 5 to 12 the
joints; 13 to 15 the torso's velocity in the world; 16 to 18 its rates about its own axes;
19 to 26 the joints' velocities.

| tasks | from |
|---|---|
| `stand`, `walk`, `run`, `jump` | URLB's quadruped [1]; the height of `jump` is the torso's |
| `move_0`, ... `move_315`, `spin`, `spin_right`, `lie`, `on_back`, `height_*` | ours |

[1] "URLB: Unsupervised Reinforcement Learning Benchmark" (2021, arXiv 2110.15191).

Left out: the centre of mass, whose motion differs little from the torso's; `roll` of [1], which
rewards any speed of an upright torso.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

import numpy as np

from zerogym.envs.control.core.arrays import Array, Single, columns, namespace
from zerogym.envs.control.core.features import Features, Measures
from zerogym.envs.control.core.interval_rewards import (
    IntervalReward,
    NearGoal,
    ProductReward,
    at_least,
)
from zerogym.envs.control.core.tasks import tolerance
from zerogym.envs.control.mujoco.locomotion.planar_tasks import (
    Row,
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

Columns = tuple[Array, ...]


def _upright(columns: Columns) -> Array:
    """Return the cosine between the torso's axis and the vertical: -1 on its back."""
    _, _, x, y, _ = columns[:5]
    return 1 - 2 * (x * x + y * y)


def _speed(columns: Columns) -> Array:
    """Return the speed of the torso along its own forward axis, m/s."""
    _, w, x, y, z = columns[:5]
    u, v, climb = columns[13:16]
    return (1 - 2 * (y * y + z * z)) * u + 2 * (x * y + w * z) * v + 2 * (x * z - w * y) * climb


def _sideways(columns: Columns) -> Array:
    """Return the speed of the torso along its own axis to the left, m/s."""
    _, w, x, y, z = columns[:5]
    u, v, climb = columns[13:16]
    return 2 * (x * y - w * z) * u + (1 - 2 * (x * x + z * z)) * v + 2 * (y * z + w * x) * climb


def _of_columns(measure: Callable[[Columns], Array], observations: Array) -> Array:
    if type(observations) is Single:
        return measure(observations)
    if namespace(observations) is np:
        rows = np.asarray(observations, dtype=np.float64)
        return measure(tuple(np.ascontiguousarray(rows.T[:19])))
    return measure(tuple(observations[:, index] for index in range(19)))


OF_COLUMNS: Mapping[str, Callable[[Columns], Array]] = {
    "height": itemgetter(0),
    "upright": _upright,
    "speed": _speed,
    "sideways": _sideways,
    "climb": itemgetter(15),
    "roll_rate": itemgetter(16),
    "pitch_rate": itemgetter(17),
    "yaw_rate": itemgetter(18),
}
MEASURES: Measures = {name: partial(_of_columns, measure) for name, measure in OF_COLUMNS.items()}


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


class NearPose(NearGoal):
    """1 near a pose (height, quaternion, joints), less beyond; velocities do not count."""

    def distance(self, observations: Array) -> Array:
        """Return the root mean square over the columns; a quaternion and its negative are one."""
        now = columns(observations)
        same = sum(now[index] * self.goal[index] for index in range(1, 5))
        total = 2 - 2 * abs(same)
        for index in (0, *range(5, POSE)):
            away = now[index] - self.goal[index]
            total = total + away * away
        xp = namespace(total)
        return xp.sqrt(xp.clip(total, 0.0, None) / POSE)


def rows() -> Iterator[Row]:
    """Yield the tasks."""
    yield "stand", "Keep the torso upright.", upright
    for name, speed in (("walk", WALK), ("run", RUN)):
        text = f"{name.title()} forward at {speed:g} metres a second or faster, upright."
        yield name, text, ProductReward((upright, at_least("speed", speed, 0.5)))
    jump = ProductReward((upright, at_least("height", JUMP, 0.5)))
    yield "jump", "Have the torso a metre above the floor, upright.", jump
    for degrees in DIRECTIONS:
        text = f"Move {degrees} degrees to the left of forward at {MOVE:g} metre a second, upright."
        yield f"move_{degrees}", text, ProductReward((upright, Heading(degrees, MOVE)))
    for name, side, rate in (("spin", "left", SPIN), ("spin_right", "right", -SPIN)):
        text = f"Turn to the {side} half a turn a second or faster, upright."
        yield name, text, ProductReward((upright, at_least("yaw_rate", rate)))
    low = IntervalReward("height", 0.0, 0.3, 0.2)
    yield "lie", "Lie on the belly.", ProductReward((upright, low))
    yield "on_back", "Lie on the back.", upside_down
    yield from height_rows((0.4, 0.6))


TASKS = task_table(rows(), MEASURES)
