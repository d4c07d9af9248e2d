"""A two-legged body in a plane: standing, walking, running, flipping and more, on one physics.

Rewards of features, in [0, 1]:

| tasks | from |
|---|---|
| `stand`, `walk`, `run` | the control suite [1] |
| `flip` | URLB [2] |
| `walk_backward`, `run_backward`, `flip_backward` | the same to the other side, ours |
| `spin`, `crawl`, `jump`, `lie`, `headstand`, `height_*`, `speed_*` | ours |

[1] "dm_control: Software and Tasks for Continuous Control" (2020, arXiv 2006.12983); [2] "URLB:
Unsupervised Reinforcement Learning Benchmark" (2021, arXiv 2110.15191).

Left out: rolling, which in a plane is `flip`.
"""

from collections.abc import Iterator

import numpy as np

from zerogym.envs.control.core.arrays import Array
from zerogym.envs.control.core.features import Features
from zerogym.envs.control.core.interval_rewards import ProductReward, at_least
from zerogym.envs.control.core.tasks import tolerance
from zerogym.envs.control.mujoco.locomotion.planar_base import PlanarEnv
from zerogym.envs.control.mujoco.locomotion.planar_tasks import (
    Lifted,
    Row,
    While,
    crawl_row,
    height_rows,
    lie_row,
    speed_rows,
    turning_rows,
    upright,
    upside_down,
)

STAND_HEIGHT = 1.2  # m, of the torso
WALK, RUN = 1.0, 8.0  # m/s
FEET = ("right_foot", "left_foot")
FOOT_AT_REST = 0.05  # m, the radius of a foot


def stand(features: Features, action: Array) -> Array:
    """Return how high and upright the torso is."""
    high = tolerance(features["height"], (STAND_HEIGHT, np.inf), STAND_HEIGHT / 2)
    return (3 * high + (1 + features["upright"]) / 2) / 4


def rows() -> Iterator[Row]:
    """Yield the tasks."""
    yield "stand", "Stand upright.", stand
    for name, speed in (("walk", WALK), ("run", RUN)):
        line = f"at {speed:g} metres a second or faster, upright."
        yield name, f"{name.title()} forward {line}", While(stand, at_least("speed", speed))
        backward = While(stand, at_least("speed", -speed))
        yield f"{name}_backward", f"{name.title()} backward {line}", backward
    yield from turning_rows(lambda movement: While(stand, movement))
    yield crawl_row(0.6, 0.3, WALK)
    jump = ProductReward((upright, Lifted(FEET, FOOT_AT_REST, 0.5)))
    yield "jump", "Have both feet half a metre above the floor, upright.", jump
    yield lie_row()
    headstand = ProductReward((upside_down, Lifted(FEET, FOOT_AT_REST, 1.0)))
    yield "headstand", "Stand on the head with both feet a metre up.", headstand
    yield from height_rows((0.5, 0.8, 1.1))
    yield from speed_rows((-4, -2, 2, 4), stand)


class WalkerEnv(PlanarEnv):
    """A planar biped, any reward.

    Description:
        Torso, two thighs, shins and feet in the plane of x (forward) and z (up), simulated by
        MuJoCo with steps of 2.5 ms; ten make one step of the world. Physics and reward are apart:
        `env.unwrapped.tasks` holds the named rewards, any other can be given. It cannot fall out
        of an episode: it starts in any posture and may get up. Episodes start with the joints
        anywhere within their limits and any pitch.

    Observation:
        float32 (18,): height of the torso (m), sine and cosine of its pitch, the angles of right
        hip, knee, ankle and left hip, knee, ankle (radian); the velocities of the torso along x
        and z (m/s), of the pitch and the six joints (radian/s). All of the state but the place
        along x. `env.unwrapped.features(observations)` gives `height`, `upright`, `front_up`,
        `speed` and `climb` (of the centre of mass), `angular_momentum`, `pitch_rate` and the
        height of each part; `states(observations)` gives MuJoCo's `qpos` and `qvel`.

    Action:
        float32 (6,) in [-1, 1]: torques of the joints in the same order, in shares of 100, 50 and
        20 newton metres; larger values are clipped.

    Episode end:
        Truncated after `horizon` steps (25 seconds), never terminated. `info["success"]` (goals):
        the pose has been reached.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Walker-v0", task="walk")
        >>> obs, info = env.reset(seed=0)
        >>> obs, reward, terminated, truncated, info = env.step([0.0] * 6)
        >>> obs.shape, 0 <= reward <= 1, info["category"]
        ((18,), True, 'walk')

    Source:
        Body and first tasks after "dm_control: Software and Tasks for Continuous Control" (2020,
        arXiv 2006.12983), written anew: the same sizes, masses, joints and motors. Ours: the
        observation (angles where the suite gives directions of all parts), pictures, constants.
    """

    default_task = "walk"
    file = "walker.xml"
    rows = staticmethod(rows)
    substeps = 10
