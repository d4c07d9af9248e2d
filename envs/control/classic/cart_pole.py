"""A pole on a cart. Equations of Gymnasium's CartPole-v1, with a track that ends."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.classic.base import ClassicEnv, Columns, Numbers, within
from zerogym.envs.control.classic.cart_pole_controller import Plan, push
from zerogym.envs.control.core.arrays import Array, Floats, namespace
from zerogym.envs.control.core.canvas import BODY, GROUND, ROD, Stroke
from zerogym.envs.control.core.contexts import Constant
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.interval_rewards import Column, IntervalReward, interval_tasks
from zerogym.envs.control.core.tasks import Task

FALLEN = float(np.cos(12 * np.pi / 180))  # CartPole-v1 calls the pole fallen beyond 12 degrees
SIDE = 1.0  # m, where the cart should be in the tasks of the sides
MAX_SPEED, MAX_RATE = 40.0, 60.0  # m/s and rad/s, which nothing but rounding errors exceeds
SPIN = 5.0  # rad/s, at least, in the tasks of spinning

MEASURES: Measures = {
    "position": Column(0),  # m, to the right
    "upright": Column(1),  # 1 up, -1 down
    "side": Column(2),  # 1 where the pole lies to the right
    "speed": Column(3),  # m/s
    "rate": Column(4),  # rad/s, clockwise
}
UP, MIDDLE = IntervalReward("upright", 0.98, margin=1.0), IntervalReward("position", -0.2, 0.2, 2.0)
ON_LEFT, ON_RIGHT = (IntervalReward("position", x - 0.2, x + 0.2, 1.0) for x in (-SIDE, SIDE))
DOWN = IntervalReward("upright", high=-0.98, margin=1.0)
STILL = IntervalReward("rate", -0.5, 0.5, 5.0)
UPRIGHT, NEAR = IntervalReward("upright", FALLEN), IntervalReward("position", -2.4, 2.4)
TASKS = interval_tasks(
    MEASURES,
    ("balance", "Keep the pole up.", UPRIGHT, NEAR),
    ("balance_left", "Keep the pole up, on the left.", UP, ON_LEFT),
    ("balance_right", "Keep the pole up, on the right.", UP, ON_RIGHT),
    ("hang", "Let the pole hang in the middle.", DOWN, MIDDLE, STILL),
    ("spin_left", "Spin the pole anticlockwise.", IntervalReward("rate", high=-SPIN, margin=SPIN)),
    ("spin_right", "Spin the pole clockwise.", IntervalReward("rate", SPIN, margin=SPIN)),
)
PLANS = {  # of the oracle
    "balance": Plan(),
    "balance_left": Plan(-SIDE),
    "balance_right": Plan(SIDE),
    "hang": Plan(hangs=True),
    "spin_left": Plan(rate=-SPIN),
    "spin_right": Plan(rate=SPIN),
}


class CartPoleEnv(ClassicEnv):
    """A pole on a cart, any reward.

    Description:
        A force pushes the cart along a track; the pole turns freely on it, all the way round. At
        the ends of the track the cart stops dead, and the pole feels nothing of it. Physics and
        reward are apart: `env.unwrapped.tasks` holds the named rewards, any other can be given.
        All constants are arguments.

    Observation:
        Position of the cart in m, cosine and sine of the pole's angle from upright, velocity of
        the cart in m/s, angular velocity of the pole in rad/s (clockwise); float32 (5,).

    Action:
        float32 (1,) in [-1, 1]: push to the right in units of `force`; larger values are clipped.

    Reward:
        That of the task, in [0, 1]. `balance`: 1 for each step that ends with the pole within 12
        degrees of upright and the cart within 2.4 m of the middle, 0 else, so that the return is
        CartPole-v1's; `balance_left`, `balance_right`: upright, and 1 m to that side; `hang`:
        still, down, and in the middle; `spin_left`, `spin_right`: turning at 5 rad/s or more.
        `task=None` is reward-free: 0.

    Episode end:
        Truncated after `horizon` steps, never terminated: a fallen pole has no reward until it is
        up again. `info["success"]` (goals): the goal has been reached.

    Difficulty:
        The context, and `anywhere`, which makes balancing begin with a swing up.

    Arguments:
        task: None; the name of a task; a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` or `reward(features, action) -> (B,)`, with the
            features `position`, `upright`, `side`, `speed`, `rate`; or a goal, an observation.
        context: Values for some of the constants `gravity`, `cart_mass`, `pole_mass`,
            `pole_length`, `force`, `track`, `dt`.
        anywhere: Start evenly at any angle, place and speed; else as Gymnasium does, nearly
            upright and still.
        horizon: Steps in an episode.
        render_mode: None or `rgb_array`.

        `reset(options=...)` may pin `start` (an observation), `task` and `context` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/CartPole-v0", task="balance", context={"pole_length": 1.0})
        >>> obs, info = env.reset(seed=0, options={"start": (0, 1, 0, 0, 0)})
        >>> obs, reward, terminated, truncated, info = env.step([1.0])
        >>> print(obs[3:].round(3), reward)
        [ 0.195 -0.146] 1.0

    Source:
        Equations and default constants of Gymnasium's CartPole-v1 (2024, arXiv 2407.17032), after
        "Neuronlike adaptive elements that can solve difficult learning control problems" (1983);
        constants as contexts after "Contextualize Me" (2023, arXiv 2202.04500). Tasks ours.
    """

    default_task = "balance"
    constants = MappingProxyType(
        {
            "gravity": Constant(9.8, 1.0, 20.0, "gravity in m/s2", (5.0, 15.0)),
            "cart_mass": Constant(1.0, 0.3, 3.0, "mass of the cart in kg", (0.6, 1.6)),
            "pole_mass": Constant(0.1, 0.02, 0.6, "mass of the pole in kg", (0.05, 0.3)),
            "pole_length": Constant(0.5, 0.2, 1.5, "half the pole's length in m", (0.35, 0.9)),
            "force": Constant(10.0, 5.0, 20.0, "greatest force in N", (8.0, 14.0)),
            "track": Constant(2.4, 1.5, 4.0, "half the length of the track in m", (2.0, 3.0)),
            "dt": Constant(0.02, 0.01, 0.03, "seconds in a step", (0.015, 0.025)),
        }
    )
    velocities = (3, 4)
    scales = (1.0, 1.0, 1.0, 2.0, 4.0)
    bounds = ((-4.0, 4.0), (-1.0, 1.0), (-1.0, 1.0), (-MAX_SPEED, MAX_SPEED), (-MAX_RATE, MAX_RATE))

    tasks = TASKS
    measures = MEASURES

    @staticmethod
    def move(state: Columns, action: Array, context: Numbers) -> Columns:
        """One step of Euler's method: place, speed, angle (0 is up), angular velocity."""
        place, speed, angle, rate = state
        xp = namespace(angle)
        pole, length, dt = context["pole_mass"], context["pole_length"], context["dt"]
        both, track = pole + context["cart_mass"], context["track"]
        cosine, sine = xp.cos(angle), xp.sin(angle)
        pushed = (context["force"] * action + pole * length * (rate * rate) * sine) / both
        turn = (context["gravity"] * sine - cosine * pushed) / (
            length * (4.0 / 3.0 - pole * (cosine * cosine) / both)
        )
        forward = pushed - pole * length * turn * cosine / both
        place = within(place + dt * speed, track)
        speed = within(speed + dt * forward, MAX_SPEED)
        stopped = (abs(place) >= track) & (place * speed > 0)
        turned = within(rate + dt * turn, MAX_RATE)
        return place, xp.where(stopped, 0.0, speed), angle + dt * rate, turned

    @staticmethod
    def observe(state: Columns) -> Columns:
        """Place, cosine, sine, speed, angular velocity."""
        place, speed, angle, rate = state
        xp = namespace(angle)
        return place, xp.cos(angle), xp.sin(angle), speed, rate

    @staticmethod
    def states(observations: NDArray[Any]) -> Floats:
        """Place, speed, angle in [-pi, pi], angular velocity."""
        place, cosine, sine, speed, rate = np.asarray(observations, dtype=np.float64).T
        return np.stack([place, speed, np.arctan2(sine, cosine), rate], axis=1)

    @staticmethod
    def uniform_states(rng: np.random.Generator, count: int, context: Numbers) -> Floats:
        """Any place and angle, at most 2 m/s and 5 rad/s."""
        top = np.array([context["track"], 2.0, np.pi, 5.0])
        return rng.uniform(-top, top, size=(count, 4))

    @staticmethod
    def classic_start(rng: np.random.Generator) -> Floats:
        """Nearly upright and still, in the middle."""
        return rng.uniform(-0.05, 0.05, size=4)

    def _oracle_push(self, task: Task, state: Floats, context: Mapping[str, float]) -> float:
        """Swing by energy, hold by linear regulation: a plan for each named task."""
        return push(self.advance, state, context, PLANS[self._name_of(task)])

    def _strokes(self, state: tuple[float, ...], context: Numbers) -> tuple[list[Stroke], float]:
        place, track, length = float(state[0]), context["track"], 2 * context["pole_length"]
        tip = (place + length * float(np.sin(state[2])), length * float(np.cos(state[2])))
        rail = Stroke(((-track, 0.0), (track, 0.0)), 0.05, GROUND)
        cart = Stroke(((place - 0.2, 0.0), (place + 0.2, 0.0)), 0.3, BODY)
        return [rail, cart, Stroke(((place, 0.0), tip), 0.12, ROD)], track + 0.6
