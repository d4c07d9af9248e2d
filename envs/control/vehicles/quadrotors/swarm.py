"""Quadrotors that fly past each other and past columns, flown by one policy."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Floats, as_floats, check_integer
from zerogym.envs.control.core.canvas import GROUND, Stroke, picture
from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.interval_rewards import known_name
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.vehicles.base import VehicleEnv
from zerogym.envs.control.vehicles.quadrotors.controller import Aim, fly
from zerogym.envs.control.vehicles.quadrotors.physics import PLACE, SIZE
from zerogym.envs.control.vehicles.quadrotors.render import mark, projected, strokes
from zerogym.envs.control.vehicles.quadrotors.swarm_controller import fly_to
from zerogym.envs.control.vehicles.quadrotors.swarm_physics import COLUMN, SIDE, SwarmRules
from zerogym.envs.control.vehicles.quadrotors.swarm_tasks import (
    RADIUS,
    AtPlaces,
    places_task,
    swarm_measures,
    swarm_tasks,
)

MOST_VEHICLES, MOST_COLUMNS = 6, 9
CLEAR, HIGH, APART = 2.0, 2.0, 0.5  # m: goals are so far from the middle, so high, so far apart
ROW = 1.6  # m between vehicles that spread


class QuadrotorSwarmEnv(VehicleEnv):
    """Quadrotors among columns, flown by one policy, any reward.

    Description:
        The vehicles of `zerogym/Quadrotor-v0`, all with the same constants, 100 steps a second.
        They start in a row; their goals are in a row 6 m away, in any order, and columns stand
        between. For collisions each vehicle is a sphere of 0.15 m; those that touch pass through
        each other, at a cost. One policy flies all: reshape observation and action to a
        row for each vehicle for one policy of single rows.
        `env.unwrapped.batched(n)` steps n swarms at once, of NumPy or torch.

    Observation:
        float32 (vehicles * k,), of each vehicle in turn: place (3), rotation matrix (9), velocity
        (3), rates (3), last command (4); its goal (3), the two nearest vehicles (place and
        velocity, 6 each) and the two nearest columns (2 each), all relative to it. k is 41; fewer
        where there are fewer others. The goals are those that were drawn, also where `task` is a
        goal of its own. Features: `distance` and `farthest` (mean and greatest, from
        the goals), `speed` (mean), `gap` (smallest between vehicles), `column_gap` (smallest, from
        the axis of a column).

    Action:
        float32 (vehicles * 4,) in [-1, 1]: commands of each vehicle's rotors; larger values are
        clipped.

    Reward:
        That of the task, in [0, 1]. `reach`: the share of vehicles at their goals, half of the
        reward is for coming nearer. `reach_safely`: that, and 0 while anything touches. `still`:
        staying where they are. `spread`: 1.2 m apart and still. `task=None` is reward-free: 0.

    Episode end:
        Terminated when a vehicle is lost, as in `zerogym/Quadrotor-v0`; truncated after `horizon`
        steps. `info["cost"]` is how many vehicles touch something. `info["success"]` (goals): all
        have been within 0.1 m at once.

    Difficulty:
        `vehicles`, `columns`, and the context.

    Arguments:
        task: None; the name of a task; a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` or `reward(features, action) -> (B,)`; or a
            goal: a place (x, y, z) for each vehicle, (vehicles, 3), 2 to 4 m to the front or back
            of the middle, within 4 m to the sides and 2 m up and down, 0.5 m apart.
        context: Values for some of the constants of `zerogym/Quadrotor-v0`.
        vehicles: 1 to 6.
        columns: 0 to 9.
        horizon: Steps in an episode.
        render_mode: None or `rgb_array`.

        `reset(options=...)` may pin `task` and `context` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/QuadrotorSwarm-v0", task="reach_safely", vehicles=2)
        >>> obs, info = env.reset(seed=0)
        >>> cost = 0.0
        >>> for _ in range(1000):
        ...     obs, reward, terminated, truncated, info = env.step(env.unwrapped.oracle_action())
        ...     cost += info["cost"]
        >>> round(reward, 2), cost
        (1.0, 0.0)

    Source:
        "Collision Avoidance and Navigation for a Quadrotor Swarm Using End-to-end Deep
        Reinforcement Learning" (2023, arXiv 2309.13285), written anew and smaller; what is left
        out is said in `swarm_physics.py`.
    """

    default_task = "reach"

    def __init__(
        self,
        task: Any = DEFAULT,
        context: Mapping[str, float] | None = None,
        vehicles: int = 3,
        columns: int = 4,
        horizon: int = 1000,
        render_mode: str | None = None,
    ) -> None:
        check_integer("vehicles", vehicles, 1, MOST_VEHICLES)
        check_integer("columns", columns, 0, MOST_COLUMNS)
        self.vehicles, self.columns = vehicles, columns
        self._swarm = SwarmRules(vehicles, columns)
        super().__init__(self._swarm, task, context, horizon, render_mode)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks."""
        return swarm_tasks(self.vehicles, self.columns)

    @property
    def measures(self) -> Measures:
        """Features by name."""
        return swarm_measures(self.vehicles, self.columns)

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        places, high = as_floats(goal), np.array([4.0, 4.0, HIGH])
        good = places.shape == (self.vehicles, 3) and bool((np.abs(places) <= high).all())
        if good:
            apart = np.linalg.norm(places[:, None] - places[None], axis=-1)
            good = bool((apart[np.triu_indices(self.vehicles, 1)] >= APART).all())
            good = good and bool((np.abs(places[:, 0]) >= CLEAR).all())
        if not good:
            raise ValueError(
                f"{self.name}: goal must be {self.vehicles} places (x, y, z), {APART} m apart, "
                f"with |x| from {CLEAR:g} to 4, |y| up to 4, |z| up to {HIGH:g}, "
                f"got {str(goal)[:60]}"
            )
        return places_task(places, self._swarm.width)

    def _at_goal(self, episode: Any, goal: NDArray[Any]) -> bool:
        places = self._swarm.bodies(episode.state[None])[:, PLACE]
        return bool((np.linalg.norm(places - goal, axis=1) <= RADIUS).all())

    def _best(self, episode: Any) -> Floats | None:
        task, state, context = episode.task, episode.state, episode.context
        if isinstance(task.reward, AtPlaces):
            return fly_to(self._swarm, state, context, np.array(task.reward.places))
        name = known_name(task, self.tasks)
        if name is None:
            return None
        bodies = self._swarm.bodies(state[None])
        if name == "still":
            return fly(bodies, context, Aim(None)).reshape(-1)
        if name == "spread":
            row = ROW * (np.arange(self.vehicles) - (self.vehicles - 1) / 2)
            places = np.stack([np.full_like(row, -SIDE), row, 0.0 * row], axis=1)
            return fly(bodies, context, Aim(places)).reshape(-1)
        goals = state[self._swarm.goals].reshape(-1, 3)
        return fly_to(self._swarm, state, context, goals)

    def _picture(self, episode: Any) -> NDArray[np.uint8]:
        state, drawn = episode.state, []
        for x, y in state[self._swarm.goals.stop :].reshape(-1, 2):
            ends = projected(np.array([[x, y, -2.5], [x, y, 2.5]]))
            drawn.append(Stroke(tuple(ends), 2 * COLUMN, GROUND))
        pinned = None if episode.task is None else episode.task.goal
        goals = state[self._swarm.goals].reshape(-1, 3) if pinned is None else pinned
        drawn += [mark(goal) for goal in goals]
        for body in state[: SIZE * self.vehicles].reshape(-1, SIZE):
            drawn += strokes(body, episode.context)
        return picture(drawn, 4.5)
