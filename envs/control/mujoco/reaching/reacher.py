"""An arm of two links on a table: any place that its tip can reach is a goal.

Rewards of features: the `reach_*` tasks as in the control suite, `spin`, `fold` and `stretch` are
ours. Left out: targets drawn for each episode; draw a goal and pass it to `reset`.
"""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, Floats, namespace
from zerogym.envs.control.core.interval_rewards import IntervalReward, NearPoint, at_least
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.mujoco.locomotion.planar_tasks import task_table
from zerogym.envs.control.mujoco.reaching.base import ReachingEnv, table_of

UPPER, FORE = 0.12, 0.12  # m, from joint to joint and from there to the tip
BEND = np.deg2rad(160.0)  # limit of the wrist
RADIUS = 0.025  # m, of the suite's small target and the tip together
SPIN = 2 * np.pi  # radian/s
ROUNDING = 1e-5  # of a goal that is stored in float32
SPRING = np.array([2.0, 2.0])  # of the oracle, 1/radian
BRAKE = np.array([0.3, 0.05])  # s/radian


Columns = Sequence[Array]  # of observations, (B,) each, or plain numbers


def _tip(columns: Columns) -> tuple[Array, Array]:
    """Return the place of the tip, m."""
    sine, cosine, wrist = columns[:3]
    xp = namespace(wrist)
    along, across = UPPER + FORE * xp.cos(wrist), FORE * xp.sin(wrist)
    return along * cosine - across * sine, along * sine + across * cosine


def _tip_x(columns: Columns) -> Array:
    return _tip(columns)[0]


def _tip_y(columns: Columns) -> Array:
    return _tip(columns)[1]


def _tip_speed(columns: Columns) -> Array:
    """Return the speed of the tip on the table, m/s."""
    wrist, turning, bending = columns[2:]
    xp = namespace(wrist)
    outer = FORE * (turning + bending)
    along = -outer * xp.sin(wrist)
    across = UPPER * turning + outer * xp.cos(wrist)
    return xp.sqrt(along * along + across * across)


def _bend(columns: Columns) -> Array:
    """Return the angle of the wrist either way, radian: 0 with a stretched arm."""
    return abs(columns[2])


MEASURES = table_of(
    {"x": _tip_x, "y": _tip_y, "tip_speed": _tip_speed, "bend": _bend, "turning": itemgetter(3)}
)
MOVEMENTS = (
    ("spin", "Turn the shoulder once a second or faster.", at_least("turning", SPIN)),
    ("fold", "Fold the arm, either way.", IntervalReward("bend", BEND - 0.1, np.inf, 1.0)),
    ("stretch", "Keep the arm stretched.", IntervalReward("bend", 0.0, 0.1, 1.0)),
)


class ReacherEnv(ReachingEnv):
    """An arm of two links, any reward.

    Description:
        Two links of 0.12 m on a table, simulated by MuJoCo with steps of 20 ms.
        The shoulder, in the middle of the table, turns without limit, the wrist 160 degrees either
        way. Physics and reward are apart: `env.unwrapped.tasks` holds the named rewards, any other
        can be given. `oracle_action` brings the tip to any goal.

    Observation:
        float32 (5,): sine and cosine of the shoulder's angle, the wrist's angle (radian), their
        velocities (radian/s). Features: `x` and `y` of the tip (m, 0 at the shoulder), `tip_speed`
        (m/s), `bend` (of the wrist, either way, radian), `turning` (of the shoulder, radian/s).

    Action:
        float32 (2,) in [-1, 1]: torques of shoulder and wrist, in units of 0.05 newton metres;
        larger values are clipped.

    Reward:
        That of the task. Of goals: 1 with the tip within 0.025 m, else 0. `spin`, `fold` and
        `stretch` have rewards in [0, 1]. `task=None` is reward-free: 0.

    Episode end:
        Truncated after `horizon` steps (20 seconds), never terminated. `info["success"]` (goals):
        the tip has been within 0.025 m of the goal.

    Difficulty:
        The goal: nearer to the shoulder and with a sparse reward it is found more rarely.

    Arguments:
        task: None; the name of a task (`reach_top_left`, ..., `reach_bottom_right`, `spin`,
            `fold`, `stretch`); a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs)` or `reward(features, action)` of batches, returning
            (B,); or a goal: a place (x, y) from 0.042 to 0.24 m from the shoulder, or an
            observation, whose tip is meant.
        horizon: Steps in an episode.
        render_mode: None or `rgb_array`.
        context: Constants of the physics, factors that are each 1 unless given: `mass`, `gain` (of
            the motors) and `damping`.

        `reset(options=...)` may pin `start` (an observation), `task` and `context` for one
        episode; else the arm is at rest at any angles.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Reacher-v0", task=(0.1, -0.05))
        >>> obs, info = env.reset(seed=0)
        >>> for _ in range(100):
        ...     obs, reward, terminated, truncated, info = env.step(env.unwrapped.oracle_action())
        >>> reward, info["success"]
        (1.0, True)

    Source:
        Arm and reward after "dm_control: Software and Tasks for Continuous Control" (2020, arXiv
        2006.12983), written anew. Ours: the observation, which does not show the target; the four
        places; the other tasks.
    """

    default_task = "reach_top_right"
    file = "reacher.xml"
    radius = RADIUS
    corner = 0.12
    sentence = "Bring the tip to the {} target and keep it there."
    measures = MEASURES

    @property
    def tasks(self) -> Mapping[str, Task]:
        """Four places and three movements."""
        return {**super().tasks, **task_table(MOVEMENTS, MEASURES)}

    def observations(self, qpos: NDArray[Any], qvel: NDArray[Any]) -> NDArray[np.float32]:
        """Return sine and cosine of the shoulder, the wrist, velocities."""
        angles = [np.sin(qpos[:, :1]), np.cos(qpos[:, :1]), qpos[:, 1:]]
        return np.concatenate([*angles, qvel], axis=1, dtype=np.float32)

    def _observe(self, place: list[float], moving: list[float]) -> NDArray[np.float32]:
        shoulder, wrist = place
        angles = (np.sin(shoulder), np.cos(shoulder), wrist)
        return np.array((*angles, *moving), dtype=np.float32)

    def states(self, observations: NDArray[Any]) -> tuple[Floats, Floats]:
        """Invert `observations`, with the shoulder in [-pi, pi].

        Raises:
            ValueError: If they are not (B, 5), or one is no observation.
        """
        rows = self._rows(observations, unit=slice(0, 2))
        qpos = np.stack([np.arctan2(rows[:, 0], rows[:, 1]), rows[:, 2]], axis=1)
        return qpos, rows[:, 3:].copy()

    def _draw_start(self) -> None:
        """Draw any angles, at rest."""
        shoulder, wrist = self.np_random.uniform((-np.pi, -BEND), (np.pi, BEND))
        self.data.qpos[:] = shoulder, wrist

    def _tip(self, columns: Columns) -> tuple[Array, Array]:
        return _tip(columns)

    def _reward(self, place: Floats) -> NearPoint:
        return NearPoint(("x", "y"), tuple(place.tolist()), RADIUS, margin=0.0)

    def _at_rest(self, place: Floats) -> Floats | None:
        poses = reaching(place)
        if not poses:
            return None
        shoulder, wrist = poses[0]
        return np.array([np.sin(shoulder), np.cos(shoulder), wrist, 0.0, 0.0])

    def _towards(self, place: Floats) -> Floats:
        """Return torques of damped springs between the joints and the nearer pose at a place."""
        ways = [pose - self.data.qpos for pose in reaching(place)]
        for way in ways:
            way[0] = (way[0] + np.pi) % (2 * np.pi) - np.pi
        way = min(ways, key=lambda way: float(np.abs(way).max()))
        torque: Floats = SPRING * way - BRAKE * self.data.qvel
        return torque


def reaching(place: Floats) -> list[Floats]:
    """Return both pairs of angles (shoulder, wrist) with the tip at a place, if it is in reach.

    By the law of cosines.
    """
    away = float(np.hypot(*place))
    cosine = (away**2 - UPPER**2 - FORE**2) / (2 * UPPER * FORE)
    if not np.cos(BEND) - ROUNDING <= cosine <= 1 + ROUNDING:
        return []
    cosine = float(np.clip(cosine, np.cos(BEND), 1.0))
    poses = []
    for wrist in (np.arccos(cosine), -np.arccos(cosine)):
        lead = np.arctan2(FORE * np.sin(wrist), UPPER + FORE * np.cos(wrist))
        poses.append(np.array([np.arctan2(place[1], place[0]) - lead, wrist]))
    return poses
