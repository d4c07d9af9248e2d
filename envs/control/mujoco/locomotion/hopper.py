"""A one-legged body in a plane: standing, hopping, flipping and more.

Rewards of features, in [0, 1]:

| tasks | from |
|---|---|
| `stand`, `hop` | the control suite [1] |
| `hop_backward`, `flip`, `flip_backward` | URLB [2] |
| `spin`, `crawl`, `jump`, `lie`, `headstand`, `height_*`, `speed_*` | ours |

[1] "dm_control: Software and Tasks for Continuous Control" (2020, arXiv 2006.12983); [2] "URLB:
Unsupervised Reinforcement Learning Benchmark" (2021, arXiv 2110.15191).

Left out: rolling, which in a plane is `flip`.
"""

from collections.abc import Iterator

from zerogym.envs.control.core.arrays import Array, columns
from zerogym.envs.control.core.features import Features
from zerogym.envs.control.core.interval_rewards import ProductReward, at_least
from zerogym.envs.control.core.tasks import tolerance
from zerogym.envs.control.mujoco.locomotion.planar_base import PlanarEnv
from zerogym.envs.control.mujoco.locomotion.planar_tasks import (
    Lifted,
    Row,
    crawl_row,
    height_rows,
    lie_row,
    speed_rows,
    turning_rows,
    upright,
    upside_down,
)

STAND = (0.6, 2.0)  # m, of the torso's centre over the foot's
HOP, CRAWL = 2.0, 0.5  # m/s
FOOT_AT_REST = 0.04  # m, the radius of the foot


def standing(features: Features, action: Array) -> Array:
    """Return 1 if the torso is well above the foot, else 0."""
    return tolerance(features["torso_height"] - features["foot_height"], STAND)


def gentle(features: Features, action: Array) -> Array:
    """Return 0.8 with all motors at their strongest, up to 1 with none."""
    motors = columns(action)
    each = (tolerance(x, margin=1.0, decay="quadratic", at_margin=0.0) for x in motors)
    return (sum(each) / len(motors) + 4) / 5


def rows() -> Iterator[Row]:
    """Yield the tasks."""
    yield "stand", "Stand with little effort.", ProductReward((standing, gentle))
    line = f"at {HOP:g} metres a second or faster."
    yield "hop", f"Hop forward {line}", ProductReward((standing, at_least("speed", HOP)))
    backward = ProductReward((standing, at_least("speed", -HOP)))
    yield "hop_backward", f"Hop backward {line}", backward
    yield from turning_rows(lambda movement: ProductReward((standing, movement)))
    yield crawl_row(0.4, 0.2, CRAWL)
    jump = ProductReward((upright, Lifted(("foot",), FOOT_AT_REST, 0.4)))
    yield "jump", "Have the foot 0.4 metres above the floor, upright.", jump
    yield lie_row()
    headstand = ProductReward((upside_down, Lifted(("foot",), FOOT_AT_REST, 0.8)))
    yield "headstand", "Stand on the head with the foot 0.8 metres up.", headstand
    yield from height_rows((0.3, 0.6, 0.9))
    yield from speed_rows((-2, -1, 1, 2), upright)


class HopperEnv(PlanarEnv):
    """A planar hopper, any reward.

    Description:
        Torso with a nose, pelvis, thigh, calf and foot in the plane of x (forward) and z (up),
        simulated by MuJoCo with steps of 5 ms; four make one step of the world. Physics and reward
        are apart: `env.unwrapped.tasks` holds the named rewards, any other can be given. Episodes
        start with the joints anywhere within their limits and any pitch.

    Observation:
        float32 (14,): height of the torso (m), sine and cosine of its pitch, the angles of waist,
        hip, knee and ankle (radian); the velocities of the torso along x and z (m/s), of the pitch
        and the four joints (radian/s). All of the state but the place along x.
        `env.unwrapped.features(observations)` gives `height`, `upright`, `front_up`, `speed` and
        `climb` (of the centre of mass), `angular_momentum`, `pitch_rate` and the height of each
        part; `states(observations)` gives MuJoCo's `qpos` and `qvel`.

    Action:
        float32 (4,) in [-1, 1]: torques of the joints in the same order, in shares of 30, 40, 30
        and 10 newton metres; larger values are clipped.

    Episode end:
        Truncated after `horizon` steps (20 seconds), never terminated. `info["success"]` (goals):
        the pose has been reached.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Hopper-v0", task="hop")
        >>> obs, info = env.reset(seed=0)
        >>> obs, reward, terminated, truncated, info = env.step([0.0] * 4)
        >>> obs.shape, 0 <= reward <= 1, info["category"]
        ((14,), True, 'hop')

    Source:
        Body and first tasks after "dm_control: Software and Tasks for Continuous Control" (2020,
        arXiv 2006.12983), written anew: the same sizes, masses, joints and motors. Ours: the
        observation (sine and cosine of the pitch, and no sensors of touch, which are no function
        of the state), pictures, constants.
    """

    default_task = "hop"
    file = "hopper.xml"
    rows = staticmethod(rows)
    substeps = 4
