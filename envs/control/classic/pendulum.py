"""A pendulum whose motor is too weak to lift it at once. Equations of Gymnasium's Pendulum-v1."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.classic.base import ClassicEnv, Columns, Numbers, within
from zerogym.envs.control.classic.value_iteration import Grid, value_grid
from zerogym.envs.control.core.arrays import Array, Floats, namespace
from zerogym.envs.control.core.canvas import BODY, ROD, Stroke
from zerogym.envs.control.core.contexts import Constant
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.interval_rewards import Column, IntervalReward, interval_tasks
from zerogym.envs.control.core.tasks import Task

SPIN = 4.0  # rad/s, at least, in the tasks of spinning
CELLS = (121, 101)

MEASURES: Measures = {
    "upright": Column(0),  # 1 up, -1 down
    "side": Column(1),  # 1 where it lies to the left, -1 to the right
    "rate": Column(2),  # rad/s, anticlockwise
}
LEAN = 0.342  # sine of 20 degrees
SLOW = IntervalReward("rate", -0.5, 0.5, 4.0)
UP = IntervalReward("upright", 0.85, margin=1.0)
STRAIGHT_UP = IntervalReward("upright", 0.98, margin=1.0)
STRAIGHT_DOWN = IntervalReward("upright", high=-0.98, margin=1.0)
LEFT, RIGHT = IntervalReward("side", LEAN, 0.5, 0.5), IntervalReward("side", -0.5, -LEAN, 0.5)
SPIN_LEFT = IntervalReward("rate", SPIN, margin=SPIN)
SPIN_RIGHT = IntervalReward("rate", high=-SPIN, margin=SPIN)
TASKS = interval_tasks(
    MEASURES,
    ("upright", "Stand still and straight up.", STRAIGHT_UP, SLOW),
    ("hang", "Hang still.", STRAIGHT_DOWN, SLOW),
    ("left", "Lean to the left, still.", UP, LEFT, SLOW),
    ("right", "Lean to the right, still.", UP, RIGHT, SLOW),
    ("spin_left", "Spin anticlockwise, fast.", SPIN_LEFT),
    ("spin_right", "Spin clockwise, fast.", SPIN_RIGHT),
)


class PendulumEnv(ClassicEnv):
    """A pendulum with a weak motor, any reward.

    Description:
        A rod turns about one of its ends. The motor there is too weak to lift it: it must swing.
        Physics and reward are apart: `env.unwrapped.tasks` holds the named rewards, any other can
        be given. All constants are arguments.

    Observation:
        Cosine and sine of the angle from upright, and the angular velocity in rad/s
        (anticlockwise); float32 (3,).

    Action:
        float32 (1,) in [-1, 1]: torque in units of `max_torque`; larger values are clipped.

    Reward:
        That of the task, in [0, 1]. `upright`: 1 while it stands still and straight up; `hang`:
        straight down; `left`, `right`: held at 20 degrees from upright; `spin_left`,
        `spin_right`: turning at 4 rad/s or more. `task=None` is reward-free: 0.

    Difficulty:
        The context: a weaker motor or a heavier rod needs more swings.

    Arguments:
        task: None; the name of a task; a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` or `reward(features, action) -> (B,)`, with the
            features `upright`, `side`, `rate`; or a goal, which is an observation.
        context: Values for some of the constants `gravity`, `mass`, `length`, `max_torque`,
            `max_speed`, `dt`.
        anywhere: Start evenly at any angle and speed; else as Gymnasium does, at any angle and
            at most 1 rad/s.
        horizon: Steps in an episode.
        render_mode: None or `rgb_array`.

        `reset(options=...)` may pin `start` (an observation), `task` and `context` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Pendulum-v0", task="upright", context={"gravity": 3.7})
        >>> obs, info = env.reset(seed=0, options={"start": (1, 0, 0)})
        >>> obs, reward, terminated, truncated, info = env.step([0.0])
        >>> print(obs, reward)
        [1. 0. 0.] 1.0

    Source:
        Equations and default constants of Pendulum-v1 in "Gymnasium: A Standard Interface for
        Reinforcement Learning Environments" (2024, arXiv 2407.17032); constants as contexts after
        "Contextualize Me" (2023, arXiv 2202.04500). Tasks ours.
    """

    default_task = "upright"
    constants = MappingProxyType(
        {
            "gravity": Constant(10.0, 1.0, 20.0, "gravity in m/s2", (5.0, 15.0)),
            "mass": Constant(1.0, 0.3, 2.0, "mass of the rod in kg", (0.6, 1.4)),
            "length": Constant(1.0, 0.5, 1.6, "length of the rod in m", (0.8, 1.2)),
            "max_torque": Constant(2.0, 0.8, 5.0, "greatest torque in Nm", (1.5, 3.0)),
            "max_speed": Constant(
                8.0, 5.0, 16.0, "greatest angular velocity in rad/s", (7.0, 12.0)
            ),
            "dt": Constant(0.05, 0.02, 0.08, "seconds in a step", (0.035, 0.065)),
        }
    )
    velocities = (2,)
    scales = (1.0, 1.0, 4.0)
    bounds = ((-1.0, 1.0), (-1.0, 1.0), (-16.0, 16.0))

    tasks = TASKS
    measures = MEASURES

    @staticmethod
    def move(state: Columns, action: Array, context: Numbers) -> Columns:
        """Angle (0 is up) and angular velocity, semi-implicit Euler."""
        angle, rate = state
        length, dt = context["length"], context["dt"]
        torque = context["max_torque"] * action
        pull = 3 * context["gravity"] / (2 * length) * namespace(angle).sin(angle)
        push = 3.0 / (context["mass"] * (length * length)) * torque
        rate = within(rate + (pull + push) * dt, context["max_speed"])
        return angle + rate * dt, rate

    @staticmethod
    def observe(state: Columns) -> Columns:
        """Cosine, sine, angular velocity."""
        angle, rate = state
        xp = namespace(angle)
        return xp.cos(angle), xp.sin(angle), rate

    @staticmethod
    def states(observations: NDArray[Any]) -> Floats:
        """Angle in [-pi, pi] and angular velocity."""
        rows = np.asarray(observations, dtype=np.float64)
        return np.stack([np.arctan2(rows[:, 1], rows[:, 0]), rows[:, 2]], axis=1)

    @staticmethod
    def uniform_states(rng: np.random.Generator, count: int, context: Numbers) -> Floats:
        """Any angle, any speed."""
        top = context["max_speed"]
        return rng.uniform((-np.pi, -top), (np.pi, top), size=(count, 2))

    @staticmethod
    def classic_start(rng: np.random.Generator) -> Floats:
        """Any angle, slow."""
        return rng.uniform((-np.pi, -1.0), (np.pi, 1.0))

    def _oracle_push(self, task: Task, state: Floats, context: Mapping[str, float]) -> float:
        """Use value iteration on a grid of angle and speed, for any task in any context."""
        top = context["max_speed"]
        grid = Grid((-np.pi, -top), (np.pi, top), CELLS, True, hold=2, gamma=0.98, moves=11)
        constants = tuple(context.items())
        return value_grid(self.advance, self.observations, task, constants, grid).best(state)

    def _strokes(self, state: tuple[float, ...], context: Numbers) -> tuple[list[Stroke], float]:
        length = context["length"]
        tip = (-length * float(np.sin(state[0])), length * float(np.cos(state[0])))
        rod = Stroke(((0.0, 0.0), tip), 0.2, ROD)
        return [rod, Stroke(((0.0, 0.0),), 0.12, BODY)], 1.9
