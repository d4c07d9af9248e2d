"""A two-legged runner in a plane: running, walking, flipping, rearing up and more.

Rewards of features, in [0, 1]:

| tasks | from |
|---|---|
| `run` | the control suite [1] |
| `run_backward`, `flip`, `flip_backward` | URLB [2] |
| `walk`, `walk_backward` | the successor measures' tasks [3] |
| `rear`, `headstand`, `on_back`, `spin`, `crawl`, `jump`, `height_*`, `speed_*` | ours |

[1] "dm_control: Software and Tasks for Continuous Control" (2020, arXiv 2006.12983); [2] "URLB:
Unsupervised Reinforcement Learning Benchmark" (2021, arXiv 2110.15191); [3] "Does Zero-Shot
Reinforcement Learning Exist?" (2022, arXiv 2209.14935).

Left out: rolling, which in a plane is `flip`.
"""

from collections.abc import Iterator

from zerogym.envs.control.core.interval_rewards import IntervalReward, ProductReward, at_least
from zerogym.envs.control.mujoco.locomotion.planar_base import PlanarEnv
from zerogym.envs.control.mujoco.locomotion.planar_tasks import (
    Lifted,
    Row,
    crawl_row,
    height_rows,
    speed_rows,
    turning_rows,
    upside_down,
)

WALK, RUN = 2.0, 10.0  # m/s
FEET = ("hind_foot", "front_foot")
FOOT_AT_REST = 0.07  # m, centre of a foot on the floor
SETTLING = 200  # steps of the simulator before an episode, as in the suite


def rows() -> Iterator[Row]:
    """Yield the tasks."""
    for name, speed in (("walk", WALK), ("run", RUN)):
        line = f"at {speed:g} metres a second or faster."
        yield name, f"{name.title()} forward {line}", at_least("speed", speed)
        yield f"{name}_backward", f"{name.title()} backward {line}", at_least("speed", -speed)
    yield from turning_rows(lambda movement: movement)
    yield "rear", "Rear up on the hind leg.", IntervalReward("front_up", 0.9, 1.0, 0.9)
    yield "headstand", "Stand on the head.", IntervalReward("front_up", -1.0, -0.9, 0.9)
    on_back = ProductReward((upside_down, IntervalReward("height", 0.0, 0.2, 0.5)))
    yield "on_back", "Lie on the back.", on_back
    yield crawl_row(0.35, 0.2, WALK)
    jump = Lifted(FEET, FOOT_AT_REST, 0.4)
    yield "jump", "Have both feet 0.4 metres above the floor.", jump
    yield from height_rows((0.3, 0.5, 0.7))
    yield from speed_rows((-6, -3, 3, 6), None)


class CheetahEnv(PlanarEnv):
    """A planar runner, any reward.

    Description:
        A long torso with a head, a hind and a front leg of three parts each, whose joints are held
        by springs, in the plane of x (forward) and z (up), simulated by MuJoCo with steps of 10
        ms, which are the steps of the world. Physics and reward are apart: `env.unwrapped.tasks`
        holds the named rewards, any other can be given. Episodes start with the joints anywhere
        within their limits; the body falls and comes to rest before.

    Observation:
        float32 (18,): height of the torso (m), sine and cosine of its pitch, the angles of hind
        hip, knee, ankle and front hip, knee, ankle (radian); the velocities of the torso along x
        and z (m/s), of the pitch and the six joints (radian/s). All of the state but the place
        along x. `env.unwrapped.features(observations)` gives `height`, `upright`, `front_up`,
        `speed` and `climb` (of the centre of mass), `angular_momentum`, `pitch_rate` and the
        height of each part; `states(observations)` gives MuJoCo's `qpos` and `qvel`.

    Action:
        float32 (6,) in [-1, 1]: torques of the joints in the same order, in shares of 120, 90, 60,
        90, 60 and 30 newton metres; larger values are clipped.

    Episode end:
        Truncated after `horizon` steps (10 seconds), never terminated. `info["success"]` (goals):
        the pose has been reached.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Cheetah-v0", task="run")
        >>> obs, info = env.reset(seed=0)
        >>> obs, reward, terminated, truncated, info = env.step([0.0] * 6)
        >>> obs.shape, 0 <= reward <= 1, info["category"]
        ((18,), True, 'run')

    Source:
        Body and first task after "dm_control: Software and Tasks for Continuous Control" (2020,
        arXiv 2006.12983), written anew: the same sizes, masses, joints and motors. Ours: the
        observation (sine and cosine of the pitch), pictures, constants.
    """

    default_task = "run"
    file = "cheetah.xml"
    rows = staticmethod(rows)
    substeps = 1
    has_random_pitch = False

    def _draw_start(self) -> None:
        super()._draw_start()
        self._mujoco.mj_step(self.model, self.data, SETTLING)
