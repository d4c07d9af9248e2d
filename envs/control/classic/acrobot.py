"""Two links and a motor between them. Equations of Gymnasium's Acrobot-v1."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.classic.base import ClassicEnv, Columns, Numbers, within
from zerogym.envs.control.classic.exhaustive_planning import best_push
from zerogym.envs.control.core.arrays import Array, Floats, columns, namespace
from zerogym.envs.control.core.canvas import BODY, GROUND, ROD, Stroke
from zerogym.envs.control.core.contexts import Constant
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.interval_rewards import Column, IntervalReward, interval_tasks
from zerogym.envs.control.core.tasks import Task

HIGH = 1.0  # height of the tip, in links, that ends Acrobot-v1
SPIN = 2.0  # rad/s of the upper link, at least, in the tasks of spinning
HALF_TURN = np.pi
DECISIONS, HOLD = 4, 3  # of the oracle's sequences: 12 steps
GUIDE = 10.0  # reward that the energy of standing up is worth


def _elbow_height(observations: Array) -> Array:
    """Return the height of the elbow in links: 1 up, -1 down."""
    return -columns(observations)[0]


def _tip_height(observations: Array) -> Array:
    """Return the height of the tip in links, from -2 to 2: -cos a - cos(a + b)."""
    upper_cosine, upper_sine, cosine, sine = columns(observations)[:4]
    return -upper_cosine - (upper_cosine * cosine - upper_sine * sine)


MEASURES: Measures = {
    "elbow_height": _elbow_height,
    "tip_height": _tip_height,
    "rate": Column(4),  # rad/s of the upper link, anticlockwise
    "bend_rate": Column(5),  # of the elbow
}
DOWN = IntervalReward("tip_height", high=-1.95, margin=2.0)
STILL = IntervalReward("rate", -0.2, 0.2, 2.0)
STRAIGHT = IntervalReward("bend_rate", -0.4, 0.4, 4.0)
TASKS = interval_tasks(
    MEASURES,
    ("swing_up", "Swing the tip up and keep it high.", IntervalReward("tip_height", HIGH)),
    ("hang", "Hang still.", DOWN, STILL, STRAIGHT),
    ("spin_left", "Spin anticlockwise.", IntervalReward("rate", SPIN, margin=SPIN)),
    ("spin_right", "Spin clockwise.", IntervalReward("rate", high=-SPIN, margin=SPIN)),
)
LEVELS = {"swing_up": 1.1, "hang": -1.0, "spin_left": 1.3, "spin_right": 1.3}  # oracle's energies


class AcrobotEnv(ClassicEnv):
    """Two links that hang, a motor at the elbow, any reward.

    Description:
        The upper link turns freely about its upper end; a weak motor turns the lower link against
        it. Physics and reward are apart: `env.unwrapped.tasks` holds the named rewards, any other
        can be given. All constants that move the links are arguments; the length of the lower one
        does not: only where its mass is.

    Observation:
        Cosine and sine of the upper link's angle from hanging (anticlockwise), of the lower link's
        angle from the upper one, and the two angular velocities in rad/s; float32 (6,).

    Action:
        float32 (1,) in [-1, 1]: torque at the elbow in units of `torque`; larger values are
        clipped.

    Reward:
        That of the task, in [0, 1]. `swing_up`: 1 for each step that ends with the tip at least
        one link's length above the axle (both links count as 1), 0 else; `hang`: still, straight
        down; `spin_left`, `spin_right`: the upper link turns at 2 rad/s or more. `task=None` is
        reward-free: 0.

    Episode end:
        Truncated after `horizon` steps, never terminated: the height has a reward in every step.
        `info["success"]` (goals): the goal has been reached.

    Difficulty:
        The context: a weaker motor needs more swings.

    Arguments:
        task: None; the name of a task; a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` or `reward(features, action) -> (B,)`, with the
            features `elbow_height`, `tip_height`, `rate`, `bend_rate`; or a goal, an observation.
        context: Values for some of the constants `gravity`, `length`, `mass_1`, `mass_2`,
            `centre_1`, `centre_2`, `inertia`, `torque`, `max_rate_1`, `max_rate_2`, `dt`.
        anywhere: Start evenly at any angles, at moderate speeds; else as Gymnasium does, hanging
            and nearly still.
        horizon: Steps in an episode.
        render_mode: None or `rgb_array`.

        `reset(options=...)` may pin `start` (an observation), `task` and `context` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Acrobot-v0", task="swing_up", context={"torque": 2.0})
        >>> obs, info = env.reset(seed=0, options={"start": (-1, 0, 1, 0, 0, 0)})
        >>> obs, reward, terminated, truncated, info = env.step([0.0])
        >>> print(obs.round(3).tolist(), reward)
        [-1.0, 0.0, 1.0, 0.0, -0.0, 0.0] 1.0

    Source:
        Equations ("book" variant) and default constants of Gymnasium's Acrobot-v1 (2024, arXiv
        2407.17032), after "Generalization in Reinforcement Learning: Successful Examples Using
        Sparse Coarse Coding" (1995, NeurIPS); constants as contexts after "Contextualize Me"
        (2023, arXiv 2202.04500). Tasks ours. Swinging up by energy as in "The swing up control
        problem for the acrobot" (1995, IEEE Control Systems 15).
    """

    default_task = "swing_up"
    constants = MappingProxyType(
        {
            "gravity": Constant(9.8, 1.0, 20.0, "gravity in m/s2", (5.0, 15.0)),
            "length": Constant(1.0, 0.5, 1.6, "length of the upper link in m", (0.8, 1.3)),
            "mass_1": Constant(1.0, 0.5, 2.0, "mass of the upper link in kg", (0.7, 1.4)),
            "mass_2": Constant(1.0, 0.5, 2.0, "mass of the lower link in kg", (0.7, 1.4)),
            "centre_1": Constant(0.5, 0.2, 0.8, "axle to upper centre of mass in m", (0.4, 0.6)),
            "centre_2": Constant(0.5, 0.2, 0.8, "elbow to lower centre of mass in m", (0.4, 0.6)),
            "inertia": Constant(1.0, 0.5, 2.0, "moment of inertia of each link", (0.7, 1.4)),
            "torque": Constant(1.0, 0.6, 3.0, "greatest torque in Nm", (0.9, 1.8)),
            "max_rate_1": Constant(
                4 * HALF_TURN, 8.0, 15.0, "greatest rate of the upper link in rad/s", (10.0, 14.0)
            ),
            "max_rate_2": Constant(
                9 * HALF_TURN, 15.0, 30.0, "greatest rate of the elbow in rad/s", (20.0, 29.0)
            ),
            "dt": Constant(0.2, 0.05, 0.25, "seconds in a step", (0.1, 0.22)),
        }
    )
    velocities = (4, 5)
    scales = (1.0, 1.0, 1.0, 1.0, 4.0, 9.0)
    bounds = (*((-1.0, 1.0),) * 4, (-15.0, 15.0), (-30.0, 30.0))

    tasks = TASKS
    measures = MEASURES

    @staticmethod
    def move(state: Columns, action: Array, context: Numbers) -> Columns:
        """One Runge-Kutta step: both angles, in [-pi, pi], and both rates, within their limits."""
        torque, dt = context["torque"] * action, context["dt"]
        first = _slope(state, torque, context)
        second = _slope(_along(state, dt / 2.0, first), torque, context)
        third = _slope(_along(state, dt / 2.0, second), torque, context)
        last = _slope(_along(state, dt, third), torque, context)
        both = _along(_along(first, 2, second), 2, third)
        upper, bend, rate, bend_rate = _along(state, dt / 6.0, _along(both, 1, last))
        rate = within(rate, context["max_rate_1"])
        return _angle(upper), _angle(bend), rate, within(bend_rate, context["max_rate_2"])

    @staticmethod
    def observe(state: Columns) -> Columns:
        """Cosines, sines, rates."""
        upper, bend, rate, bend_rate = state
        xp = namespace(upper)
        return xp.cos(upper), xp.sin(upper), xp.cos(bend), xp.sin(bend), rate, bend_rate

    @staticmethod
    def states(observations: NDArray[Any]) -> Floats:
        """Angles in [-pi, pi] and rates."""
        rows = np.asarray(observations, dtype=np.float64)
        upper, bend = (np.arctan2(rows[:, i + 1], rows[:, i]) for i in (0, 2))
        return np.stack([upper, bend, rows[:, 4], rows[:, 5]], axis=1)

    @staticmethod
    def uniform_states(rng: np.random.Generator, count: int, context: Numbers) -> Floats:
        """Any angles, at most 3 and 6 rad/s."""
        top = np.array([HALF_TURN, HALF_TURN, 3.0, 6.0])
        return rng.uniform(-top, top, size=(count, 4))

    @staticmethod
    def classic_start(rng: np.random.Generator) -> Floats:
        """Hanging, nearly still."""
        return rng.uniform(-0.1, 0.1, size=4)

    def _oracle_push(self, task: Task, state: Floats, context: Mapping[str, float]) -> float:
        """Try every short sequence of pushes; at its end the task's energy is worth most."""
        level = LEVELS[self._name_of(task)]

        def guide(states: Floats) -> Floats:
            return -GUIDE * np.abs(level - energy(states, context))

        return best_push(
            self.advance, self.observations, state, context, task, guide, DECISIONS, HOLD
        )

    def _strokes(self, state: tuple[float, ...], context: Numbers) -> tuple[list[Stroke], float]:
        length, below = context["length"], 2 * context["centre_2"]
        upper, both = float(state[0]), float(state[0] + state[1])
        elbow = (length * float(np.sin(upper)), -length * float(np.cos(upper)))
        tip = (elbow[0] + below * float(np.sin(both)), elbow[1] - below * float(np.cos(both)))
        half = length + below + 0.2
        line = Stroke(((-half, length), (half, length)), 0.02, GROUND)
        links = [Stroke(((0.0, 0.0), elbow), 0.16, BODY), Stroke((elbow, tip), 0.16, ROD)]
        return [line, *links], half


def energy(states: Floats, context: Numbers) -> Floats:
    """Return the energy of states (B, 4): 1 standing straight up at rest, -1 hanging."""
    upper, bend, rate, bend_rate = states.T
    gravity, mass = context["gravity"], context["mass_2"]
    hung = (context["mass_1"] * context["centre_1"] + mass * context["length"]) * gravity
    low = mass * context["centre_2"] * gravity
    whole, shared, lower = _inertias(bend, context)
    motion = whole * rate**2 / 2 + shared * rate * bend_rate + lower * bend_rate**2 / 2
    found: Floats = (motion - hung * np.cos(upper) - low * np.cos(upper + bend)) / (hung + low)
    return found


def _inertias(bend: Any, context: Numbers) -> tuple[Any, Any, Any]:
    """Return entries of the mass matrix at angles of the elbow (B,): upper, shared, lower."""
    length, mass, centre = context["length"], context["mass_2"], context["centre_2"]
    cosine, inertia = namespace(bend).cos(bend), context["inertia"]
    square = centre * centre
    lower = mass * square + inertia
    shared = mass * (square + length * centre * cosine) + inertia
    reach = length * length + square + 2 * length * centre * cosine
    upper = context["mass_1"] * (context["centre_1"] * context["centre_1"])
    return upper + mass * reach + 2 * inertia, shared, lower


def _along(state: Columns, time: Any, slope: Columns) -> Columns:
    """Return a state after moving along slopes for a time; arrays as one (4, B)."""
    if isinstance(state, np.ndarray):
        return state + time * np.asarray(slope)
    return [now + time * change for now, change in zip(state, slope, strict=True)]


def _angle(turned: Array) -> Array:
    """Wrap an angle to [-pi, pi]."""
    xp = namespace(turned)
    back = (turned + HALF_TURN) % (2 * HALF_TURN) - HALF_TURN
    return xp.where(abs(turned) > HALF_TURN, back, turned)


def _slope(state: Columns, torque: Array, context: Numbers) -> Columns:
    """Return time derivatives."""
    upper, bend, rate, bend_rate = state
    xp = namespace(upper)
    whole, shared, lower = _inertias(bend, context)
    lever = context["mass_2"] * context["length"] * context["centre_2"] * xp.sin(bend)
    pull = context["mass_2"] * context["centre_2"] * context["gravity"] * xp.sin(upper + bend)
    hung = context["mass_1"] * context["centre_1"] + context["mass_2"] * context["length"]
    load = (
        -lever * (bend_rate * bend_rate)
        - 2 * lever * bend_rate * rate
        + hung * context["gravity"] * xp.sin(upper)
        + pull
    )
    turn = torque + shared / whole * load - lever * (rate * rate) - pull
    bend_turn = turn / (lower - shared * shared / whole)
    slope = rate, bend_rate, -(shared * bend_turn + load) / whole, bend_turn
    return np.array(slope) if isinstance(state, np.ndarray) else slope
