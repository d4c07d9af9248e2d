"""A quadrotor with any constants and any reward."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Floats, as_floats
from zerogym.envs.control.core.canvas import picture
from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.core.interval_rewards import known_name
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.vehicles.base import VehicleEnv
from zerogym.envs.control.vehicles.quadrotors.controller import Aim, fly
from zerogym.envs.control.vehicles.quadrotors.physics import (
    CLOCK,
    COMMANDS,
    MOTORS,
    PLACE,
    QUATERNION,
    RATES,
    SIZE,
    SPEED,
    QuadrotorRules,
    rotation,
)
from zerogym.envs.control.vehicles.quadrotors.render import mark, strokes
from zerogym.envs.control.vehicles.quadrotors.tasks import (
    MEASURES,
    RADIUS,
    TASKS,
    aim_of,
    place_task,
)

REACH = 2.0  # m: goals lie within, along each axis
OBSERVED = 24
SLACK = 1e-3  # by which the rotation of a pinned start may miss being one


class QuadrotorEnv(VehicleEnv):
    """A quadrotor, any reward, any vehicle.

    Description:
        A rigid body with four rotors, 100 steps a second: quaternions and Euler's equations by
        Runge-Kutta, thrust curves, and rotors that lag behind the command, faster upwards than
        downwards. There is no ground. Physics and reward are apart: `env.unwrapped.tasks` holds
        the named rewards, any other can be given. Constants are ratios, so that any that lie in
        their ranges make a vehicle that can fly (the oracle hovers with all of them):
        `draw_vehicles` in `physics.py` draws many, small and large ones alike.
        `env.unwrapped.batched(n, contexts=...)` steps n vehicles at once, of NumPy or torch.

    Observation:
        float32 (24,): place in m (3), rotation matrix from body to world by rows (9), velocity in
        m/s (3), rates about the body's axes in rad/s (3), the last command (4), cosine and sine
        of a clock that turns every 6 seconds. x is forward, y left, z up. Rotor speeds and
        constants are hidden. Features: `x`, `y`, `z`, `speed_x`, `speed_y`, `speed_z`, `upright`,
        `turning`, `off_course` (distance from where the figure eight is).

    Action:
        float32 (4,) in [-1, 1]: commands of the rotors front right, back right, back left, front
        left, from standing still to full speed; larger values are clipped.

    Reward:
        That of the task, in [0, 1]. `hover`, `point_front`, `point_left`: 1 within 0.1 m of the
        place, 0.1 at 0.6 m. `forward`, `left`, `climb`: the same of the velocity, in m/s.
        `eight`: of where the figure eight is now. `spin`: at the origin and turning at 2 rad/s.
        `task=None` is reward-free: 0.

    Episode end:
        Terminated by a crash: farther than 8 m from the origin along an axis, faster than 15 m/s
        or 30 rad/s; that step costs `info["cost"] = 1`, others 0. Truncated after `horizon` steps.
        `info["success"]` (goals): the vehicle has been within 0.1 m.

    Difficulty:
        The context: less thrust, slower rotors and a torque that is very large or very small are
        harder; an agent for all of them must find out which vehicle it flies.

    Arguments:
        task: None; the name of a task; a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` or `reward(features, action) -> (B,)`; or a
            goal, a place (x, y, z) within 2 m of the origin along each axis.
        context: Values for some of the constants `gravity`, `mass`, `arm_ratio`,
            `thrust_to_weight`, `torque_to_inertia`, `inertia_ratio`, `torque_constant`,
            `rise_time`, `fall_time`, `linear_thrust`.
        horizon: Steps in an episode.
        render_mode: None or `rgb_array`.

        `reset(options=...)` may pin `start` (an observation; rotors turn as its command says),
        `task` and `context` for one episode. Else it starts within 0.5 m of the origin along each
        axis, tilted by up to 0.5 rad, with any heading, at up to 0.5 m/s and 0.5 rad/s.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Quadrotor-v0", task="hover", context={"mass": 0.03})
        >>> obs, info = env.reset(seed=0)
        >>> for _ in range(300):
        ...     obs, reward, terminated, truncated, info = env.step(env.unwrapped.oracle_action())
        >>> round(reward, 2), info["cost"]
        (1.0, 0.0)

    Source:
        "RAPTOR: A Foundation Policy for Quadrotor Control" (2025, arXiv 2509.11481): observation
        (but for the clock), action, constants and most of their ranges, written anew; the
        dynamics of "Learning to Fly in Seconds" (2023, arXiv 2311.13081). Tasks, starts and limits
        ours. Left out: the paper's random forces.
    """

    default_task = "hover"
    reset_options = ("start", "task", "context")
    tasks = TASKS
    measures = MEASURES

    def __init__(
        self,
        task: Any = DEFAULT,
        context: Mapping[str, float] | None = None,
        horizon: int = 500,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(QuadrotorRules(), task, context, horizon, render_mode)

    def states(self, observations: NDArray[Any]) -> Floats:
        """Return states (B, S) with these observations; rotors turn as the last command sets.

        Raises:
            ValueError: If one is no observation of this environment.
        """
        rows = as_floats(observations)
        if rows.ndim != 2 or rows.shape[1] != OBSERVED or not np.isfinite(rows).all():
            raise ValueError(f"{self.name}: observations must be (B, {OBSERVED}) finite numbers")
        found = np.zeros((len(rows), SIZE))
        found[:, PLACE], found[:, SPEED], found[:, RATES] = (
            rows[:, :3],
            rows[:, 12:15],
            rows[:, 15:18],
        )
        found[:, QUATERNION] = _quaternions(rows[:, 3:12].reshape(-1, 3, 3))
        back = np.stack(rotation(list(found[:, QUATERNION].T)), axis=1)
        commands, clock = rows[:, 18:22], np.hypot(rows[:, 22], rows[:, 23])
        fits = np.abs(back - rows[:, 3:12]).max() < SLACK and np.abs(commands).max() <= 1
        if not fits or np.abs(clock - 1).max() > SLACK:
            raise ValueError(
                f"{self.name}: an observation holds a rotation matrix (columns 3 to 11), commands "
                "in [-1, 1] (18 to 21), and cosine and sine of the clock (22, 23)"
            )
        found[:, COMMANDS], found[:, MOTORS] = commands, (commands + 1) / 2
        found[:, CLOCK] = np.arctan2(rows[:, 23], rows[:, 22]) / (2 * np.pi) % 1.0
        return found

    def _start(
        self, options: Mapping[str, Any], drawn: Floats, context: Mapping[str, float]
    ) -> Floats:
        if "start" not in options:
            return drawn
        given = options["start"]
        start = self.states(as_floats(given)[None])
        if self.rules.harm(start, context)[1][0]:
            raise ValueError(f"{self.name}: start is a crash: {str(given)[:60]}")
        return start

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        place = as_floats(goal)
        if place.shape != (3,) or not (np.abs(place) <= REACH).all():
            raise ValueError(
                f"{self.name}: goal must be a place (x, y, z) within {REACH:g} m of the origin "
                f"along each axis, got {str(goal)[:60]}"
            )
        return place_task(place)

    def _at_goal(self, episode: Any, goal: NDArray[Any]) -> bool:
        return bool(np.linalg.norm(episode.state[PLACE] - goal) <= RADIUS)

    def _best(self, episode: Any) -> Floats | None:
        aim = self._aim(episode)
        return None if aim is None else fly(episode.state[None], episode.context, aim)[0]

    def _aim(self, episode: Any) -> Aim | None:
        task = episode.task
        if task is None:
            return None
        if task.goal is not None:
            return Aim(np.asarray(task.goal, dtype=np.float64))
        name = known_name(task, self.tasks)
        return None if name is None else aim_of(name, episode.state[None])

    def _picture(self, episode: Any) -> NDArray[np.uint8]:
        aim, drawn = self._aim(episode), strokes(episode.state, episode.context)
        marked = [] if aim is None or aim.place is None else [mark(aim.place.reshape(3))]
        return picture([*marked, *drawn], 2.5)


def _quaternions(turn: Floats) -> Floats:
    """Return quaternions (B, 4), w >= 0, of rotation matrices (B, 3, 3); no checks.

    The largest of the four is found from the diagonal, the others from it: no small divisors.
    """
    diagonal = np.diagonal(turn, axis1=1, axis2=2)
    squares = np.concatenate(
        [diagonal.sum(1, keepdims=True), 2 * diagonal - diagonal.sum(1, keepdims=True)], axis=1
    )  # 4 w^2 - 1, 4 x^2 - 1, ...
    largest = squares.argmax(axis=1)
    m = turn
    products = np.zeros((len(turn), 4, 4))  # four times the products of the components
    pairs = {
        (0, 1): m[:, 2, 1] - m[:, 1, 2], (0, 2): m[:, 0, 2] - m[:, 2, 0],
        (0, 3): m[:, 1, 0] - m[:, 0, 1], (1, 2): m[:, 0, 1] + m[:, 1, 0],
        (1, 3): m[:, 0, 2] + m[:, 2, 0], (2, 3): m[:, 1, 2] + m[:, 2, 1],
    }  # fmt: skip
    for (one, other), value in pairs.items():
        products[:, one, other] = products[:, other, one] = value
    products[:, range(4), range(4)] = squares + 1
    found = products[np.arange(len(turn)), largest]
    found /= np.linalg.norm(found, axis=1, keepdims=True).clip(1e-9)
    signed: Floats = found * np.where(found[:, :1] < 0, -1.0, 1.0)
    return signed
