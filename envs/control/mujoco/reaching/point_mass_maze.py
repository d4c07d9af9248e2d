"""The ball of URLB in four rooms: goals behind walls, with inertia.

Left out: starts outside the top left room, which the published data do not have (pin `start`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, Floats, columns
from zerogym.envs.control.core.box_paths import Boxes
from zerogym.envs.control.core.features import Features
from zerogym.envs.control.core.interval_rewards import NearPoint
from zerogym.envs.control.core.tasks import tolerance
from zerogym.envs.control.mujoco.base import CONSTANTS
from zerogym.envs.control.mujoco.reaching.base import WITHOUT_CONTACT, ReachingEnv, table_of

RADIUS = 0.015  # m, of a goal
SIDE = 0.29  # m, limit of both joints
START = (0.15, 0.29)  # m from the middle, leftwards and upwards
CLOSE = 0.007  # m from the walls, where the ball's centre cannot be: it is so near at corners
WIDE, LONG = 0.02 + CLOSE, 0.18 + CLOSE  # m, half the walls, and that
CROSS = Boxes(((-LONG, LONG, -WIDE, WIDE), (-WIDE, WIDE, -LONG, LONG)), SIDE, clearance=0.023)
SPRING, BRAKE = 100.0, 25.0  # of the oracle: 1/m, s/m
MEASURES = table_of(
    {name: itemgetter(i) for i, name in enumerate(("x", "y", "speed_x", "speed_y"))}
)


@dataclass(frozen=True)
class GentlyAt:
    """The reward of being at a place, of which a fifth is for small forces."""

    place: NearPoint

    def __call__(self, features: Features, action: Array) -> Array:
        along, across = (
            tolerance(x, margin=1.0, decay="quadratic", at_margin=0.0) for x in columns(action)
        )
        mean = (along + across) / 2
        return self.place(features, action) * (mean + 4) / 5


class PointMassMazeEnv(ReachingEnv):
    """A heavy ball in four rooms, any reward.

    Description:
        A ball on a square table of 0.6 m with a cross of walls in its middle, which leave a
        passage at each of their four ends; simulated by MuJoCo with steps of 20 ms. The ball is
        pushed along x and y and has inertia. Physics and reward are apart: `env.unwrapped.tasks`
        holds the named rewards, any other can be given. `oracle_action` goes round the corners to
        any goal; `straight_line_action` ignores the walls.

    Observation:
        float32 (4,): the place (x, y) in metres, 0 in the middle, y upwards; the velocity along x
        and y in m/s. Features: `x`, `y`, `speed_x`, `speed_y`.

    Action:
        float32 (2,) in [-1, 1]: forces along x and y, in units of 0.1 newton; larger values are
        clipped. The ball comes to 0.1 m/s along each.

    Reward:
        That of the task, in [0, 1]: 1 within 0.015 m of the goal, 0.1 at 0.03 m, nearly 0 farther
        on; times a factor from 0.8 (full force) to 1 (no force). `task=None` is reward-free: 0.

    Episode end:
        Truncated after `horizon` steps (20 seconds), never terminated. `info["success"]` (goals):
        the ball has been within 0.015 m of the goal.

    Difficulty:
        The goal: `reach_top_left` is in the room where episodes start, `reach_bottom_right` lies
        behind two walls, and a straight line ends at the cross.

    Arguments:
        task: None; the name of a task (`reach_top_left`, `reach_top_right`, `reach_bottom_left`,
            `reach_bottom_right`); a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs)` or `reward(features, action)` of batches, returning
            (B,); or a goal, (x, y) or an observation.
        horizon: Steps in an episode.
        render_mode: None or `rgb_array`.
        context: Constants of the physics, factors that are each 1 unless given: `mass`, `friction`
            (of the walls), `gain` (of the motors) and `damping`.

        `reset(options=...)` may pin `start` (an observation), `task` and `context` for one
        episode; else the ball lies still, 0.15 to 0.29 m to the left and upwards of the middle.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/PointMassMaze-v0", task="reach_bottom_right")
        >>> obs, info = env.reset(seed=0)
        >>> for _ in range(600):
        ...     obs, reward, terminated, truncated, info = env.step(env.unwrapped.oracle_action())
        >>> round(reward, 2), info["success"]
        (1.0, True)

    Source:
        "Don't Change the Algorithm, Change the Data: Exploratory Data for Offline Reinforcement
        Learning" (2022, arXiv 2201.13425): goals, reward, walls and start, written anew. The
        published start does not follow the seed; this one does.
    """

    default_task = "reach_bottom_right"
    file = "point_mass_maze.xml"
    radius = RADIUS
    corner = 0.15
    sentence = "Bring the ball to the {} goal and keep it there."
    constants = MappingProxyType({**WITHOUT_CONTACT, "friction": CONSTANTS["friction"]})
    measures = MEASURES

    def observations(self, qpos: NDArray[Any], qvel: NDArray[Any]) -> NDArray[np.float32]:
        """Return place and velocity, side by side."""
        return np.concatenate([qpos, qvel], axis=1, dtype=np.float32)

    def _observe(self, place: list[float], moving: list[float]) -> NDArray[np.float32]:
        return np.array((*place, *moving), dtype=np.float32)

    def states(self, observations: NDArray[Any]) -> tuple[Floats, Floats]:
        """Invert `observations`.

        Raises:
            ValueError: If they are not (B, 4), or one is not finite.
        """
        rows = self._rows(observations)
        return rows[:, :2].copy(), rows[:, 2:].copy()

    def straight_line_action(self, rng: np.random.Generator) -> NDArray[np.float32]:
        """Return the action of the baseline that ignores walls; `rng` is not used."""
        action = self._steer(self._target("the straight line"))
        return np.clip(action, -1.0, 1.0).astype(np.float32)

    def _one_observation(self, given: Any, what: str) -> Floats:
        values = super()._one_observation(given, what)
        if not CROSS.is_free(values[:2]):
            raise ValueError(
                f"{self.name}: {what} must be an observation on the table ([-{SIDE}, {SIDE}] along "
                f"x and y) and in no wall, got {str(given)[:60]}"
            )
        return values

    def _draw_start(self) -> None:
        """Draw a place in the top left room, at rest."""
        left, up = self.np_random.uniform(*START, size=2)
        self.data.qpos[:] = -left, up

    def _tip(self, columns: Sequence[Array]) -> tuple[Array, Array]:
        return columns[0], columns[1]

    def _reward(self, place: Floats) -> GentlyAt:
        return GentlyAt(NearPoint(("x", "y"), tuple(place.tolist()), RADIUS, RADIUS))

    def _at_rest(self, place: Floats) -> Floats | None:
        return np.concatenate([place, np.zeros(2)]) if CROSS.is_free(place) else None

    def _towards(self, place: Floats) -> Floats:
        return self._steer(CROSS.next_point(self.data.qpos.copy(), place))

    def _steer(self, place: Floats) -> Floats:
        """Return the force of a damped spring between ball and place."""
        force: Floats = SPRING * (place - self.data.qpos) - BRAKE * self.data.qvel
        return force
