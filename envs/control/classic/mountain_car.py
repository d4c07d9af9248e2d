"""A car in a valley, too weak to drive out. Equations of Gymnasium's MountainCar-v0."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.classic.base import ClassicEnv, Columns, Numbers, within
from zerogym.envs.control.classic.value_iteration import Grid, value_grid
from zerogym.envs.control.core.arrays import Array, Floats, columns, namespace
from zerogym.envs.control.core.canvas import BODY, GROUND, MARK, Stroke
from zerogym.envs.control.core.contexts import Constant
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.interval_rewards import Column, IntervalReward, interval_tasks
from zerogym.envs.control.core.tasks import Task

FLAG = 0.5  # where the goal of MountainCar-v0 begins
BOTTOM = -np.pi / 6  # the lowest place
CELLS = (121, 121)


def _size_of_speed(observations: Array) -> Array:
    return abs(columns(observations)[1])


# The speed is that of a step.
MEASURES: Measures = {"position": Column(0), "speed": Column(1), "fast": _size_of_speed}
STILL = IntervalReward("speed", -0.005, 0.005, 0.02)
AT_BOTTOM, AT_LEFT, AT_RIGHT = (
    IntervalReward("position", place - 0.05, place + 0.05, 0.3) for place in (BOTTOM, -0.62, -0.42)
)
TASKS = interval_tasks(
    MEASURES,
    ("flag", "Drive to the flag on the right and stay.", IntervalReward("position", FLAG)),
    (
        "left_end",
        "Be at the left end as often as you can.",
        IntervalReward("position", high=-1.1),
    ),
    ("bottom", "Stay at the lowest place.", AT_BOTTOM, STILL),
    ("slope_left", "Stay still on the slope on the left.", AT_LEFT, STILL),
    ("slope_right", "Stay still on the slope on the right.", AT_RIGHT, STILL),
    ("fast", "Drive fast.", IntervalReward("fast", 0.04, margin=0.04)),
)


class MountainCarEnv(ClassicEnv):
    """A weak car in a valley, any reward.

    Description:
        The car must swing to and fro to leave the valley, whose lowest place is -0.52. Its left
        end is a wall. Physics and reward are apart: `env.unwrapped.tasks` holds the named rewards,
        any other can be given. All constants are arguments.

    Observation:
        Position and velocity (a step), float32 (2,).

    Action:
        float32 (1,) in [-1, 1]: push in units of `force`, to the right; larger values are clipped.

    Reward:
        That of the task, in [0, 1]. `flag`: 1 for each step that ends at 0.5 or beyond, 0 else;
        `left_end`: the same for -1.1 and below; `bottom`: still at the lowest place; `slope_left`,
        `slope_right`: still at -0.62 and -0.42; `fast`: 0.04 a step or more, either way.
        `task=None` is reward-free: 0.

    Episode end:
        Truncated after `horizon` steps, never terminated: the flag has a reward in every step.
        `info["success"]` (goals): the goal has been reached.

    Difficulty:
        The context: a weaker car or stronger gravity needs more swings.

    Arguments:
        task: None; the name of a task; a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` or `reward(features, action) -> (B,)`, with the
            features `position`, `speed` and `fast` (its size); or a goal, which is an observation.
        context: Values for some of the constants `gravity`, `force`, `max_speed`, `left`, `right`.
            `force=0.0015` is Gymnasium's MountainCarContinuous-v0.
        anywhere: Start evenly at any place and speed; else as Gymnasium does, still and near the
            lowest place.
        horizon: Steps in an episode.
        render_mode: None or `rgb_array`.

        `reset(options=...)` may pin `start` (an observation), `task` and `context` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/MountainCar-v0", task="flag", context={"force": 0.0015})
        >>> obs, info = env.reset(seed=0, options={"start": (0.49, 0.03)})
        >>> obs, reward, terminated, truncated, info = env.step([1.0])
        >>> print(obs.round(3), reward)
        [0.521 0.031] 1.0

    Source:
        Equations and default constants of Gymnasium's MountainCar-v0 (2024, arXiv 2407.17032),
        after Moore's "Efficient memory-based learning for robot control" (1990); constants as
        contexts after "Contextualize Me" (2023, arXiv 2202.04500). Tasks ours.
    """

    default_task = "flag"
    constants = MappingProxyType(
        {
            "gravity": Constant(0.0025, 0.0015, 0.004, "gravity a step", (0.002, 0.003)),
            "force": Constant(0.001, 0.0006, 0.002, "greatest push a step", (0.0008, 0.0014)),
            "max_speed": Constant(0.07, 0.05, 0.1, "greatest velocity a step", (0.06, 0.08)),
            "left": Constant(-1.2, -1.3, -1.1, "place of the wall", (-1.25, -1.15)),
            "right": Constant(0.6, 0.52, 0.8, "right end of the road", (0.55, 0.7)),
        }
    )
    velocities = (1,)
    scales = (0.5, 0.03)
    bounds = ((-1.3, 0.8), (-0.1, 0.1))

    tasks = TASKS
    measures = MEASURES

    @staticmethod
    def move(state: Columns, action: Array, context: Numbers) -> Columns:
        """Position and velocity; the wall on the left stops the car."""
        place, speed = state
        xp, wall = namespace(place), context["left"]
        slope = xp.cos(3 * place) * -context["gravity"]
        speed = within(speed + (action * context["force"] + slope), context["max_speed"])
        place = xp.clip(place + speed, wall, context["right"])
        return place, xp.where((place == wall) & (speed < 0), 0.0, speed)

    @staticmethod
    def observe(state: Columns) -> Columns:
        """The state itself."""
        return state

    @staticmethod
    def states(observations: NDArray[Any]) -> Floats:
        """The observation itself."""
        return np.array(observations, dtype=np.float64)

    @staticmethod
    def uniform_states(rng: np.random.Generator, count: int, context: Numbers) -> Floats:
        """Any place, any speed."""
        top = context["max_speed"]
        return rng.uniform((context["left"], -top), (context["right"], top), size=(count, 2))

    @staticmethod
    def classic_start(rng: np.random.Generator) -> Floats:
        """Still, near the lowest place."""
        return np.array([rng.uniform(-0.6, -0.4), 0.0])

    def _oracle_push(self, task: Task, state: Floats, context: Mapping[str, float]) -> float:
        """Use value iteration on a grid of place and speed, for any task in any context."""
        top = context["max_speed"]
        low, high = (context["left"], -top), (context["right"], top)
        grid = Grid(low, high, CELLS, False, hold=4, gamma=0.99, moves=5)
        constants = tuple(context.items())
        return value_grid(self.advance, self.observations, task, constants, grid).best(state)

    def _strokes(self, state: tuple[float, ...], context: Numbers) -> tuple[list[Stroke], float]:
        middle = (context["left"] + context["right"]) / 2

        def on_road(place: float, lift: float = 0.0) -> tuple[float, float]:
            return place - middle, 0.45 * float(np.sin(3 * place)) + lift

        road = tuple(map(on_road, np.linspace(context["left"], context["right"], 40).tolist()))
        flag = Stroke((on_road(FLAG), on_road(FLAG, 0.25)), 0.03, MARK)
        car = Stroke((on_road(float(state[0]), 0.06),), 0.12, BODY)
        return [Stroke(road, 0.02, GROUND), flag, car], 1.05
