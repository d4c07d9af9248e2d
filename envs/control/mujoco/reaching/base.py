"""MuJoCo worlds in which a tip is to be brought to places on a table: a ball in a maze, an arm.

Goals are places (x, y) in metres; the oracle is a controller that knows the way. Left out: gravity
among the constants, as nothing can fall on a table; goals with a velocity.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, Single, columns, namespace
from zerogym.envs.control.core.contexts import Constant
from zerogym.envs.control.core.features import ByFeatures, Features, Measures
from zerogym.envs.control.core.tasks import Task, tolerance
from zerogym.envs.control.mujoco.base import CONSTANTS, MujocoEnv
from zerogym.errors import NoOracle

Place = NDArray[np.float64]  # (2,)
Rule = Callable[[Features, Array], Array]

DAMPING = Constant(1.0, 0.3, 3.0, "damping of every joint, times its own", (0.6, 1.8))
WITHOUT_CONTACT: Mapping[str, Constant] = MappingProxyType(
    {"mass": CONSTANTS["mass"], "gain": CONSTANTS["gain"], "damping": DAMPING}
)


@dataclass(frozen=True)
class Reach:
    """1 where the tip is within `radius` of a place; beyond, what `tolerance` leaves of it."""

    x: float
    y: float
    radius: float
    margin: float  # m from the radius to where a tenth is left; 0: nothing

    def __call__(self, features: Features, action: Array) -> Array:
        return tolerance(self.distance(features), (0.0, self.radius), self.margin)

    def distance(self, features: Features) -> Array:
        """Of the tip from the place; (B,)."""
        x, y = features["x"], features["y"]
        away, across = x - self.x, y - self.y
        return namespace(x).sqrt(away * away + across * across)


class ReachingEnv(MujocoEnv):
    """A table seen from above; its features have the tip's `x` and `y`.

    Attributes:
        radius: How near to a place the tip must come, m.
        constants: What can be varied; `friction` only where something touches.
    """

    has_oracle: ClassVar[bool] = True
    radius: ClassVar[float]
    constants: Mapping[str, Constant] = WITHOUT_CONTACT

    @property
    @abstractmethod
    def measures(self) -> Measures:
        """The features."""

    @abstractmethod
    def _tip(self, columns: Sequence[Array]) -> tuple[Array, Array]:
        """Where the tip is, of the n columns (B,) of observations or of one's n numbers."""

    @abstractmethod
    def _reward(self, place: Place) -> Rule:
        """What is paid for being at a place."""

    @abstractmethod
    def _at_rest(self, place: Place) -> Place | None:
        """The observation (n,) of standing still there; None if the tip cannot be there."""

    @abstractmethod
    def _towards(self, place: Place) -> Place:
        """The oracle's action on the way to a place."""

    def oracle_action(self) -> NDArray[np.float32]:
        """The next action on the way to the goal, to stay there.

        Raises:
            NoOracle: If the task has no goal.
        """
        return np.clip(self._towards(self._target("an oracle")), -1.0, 1.0).astype(np.float32)

    def reach_task(self, name: str, text: str, place: tuple[float, float]) -> Task:
        """The task of bringing the tip to a place."""
        spot = np.array(place, dtype=np.float64)
        goal = self._at_rest(spot)
        assert goal is not None, f"{name}: the tip cannot be at {place}"
        reward = ByFeatures(self.measures, self._reward(spot), of_single=True)
        return Task(name, text, reward, goal.astype(np.float32))

    def tip(self, observation: NDArray[Any]) -> Place:
        """Where the tip of one observation is; (2,)."""
        return np.array(self._tip(observation.tolist()), dtype=np.float64)

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        place = np.asarray(goal, dtype=np.float64)
        if place.shape == self.observation_space.shape and np.isfinite(place).all():
            self.states(place[None])
            place = self.tip(place)
        good = place.shape == (2,) and bool(np.isfinite(place).all())
        if not good or self._at_rest(place) is None:
            raise ValueError(
                f"{self.name}: goal must be a place (x, y) in metres where the tip can be, or an "
                f"observation, got {str(goal)[:60]}"
            )
        spot = float(place[0]), float(place[1])
        return self.reach_task("goal", f"Go to ({spot[0]:.3g}, {spot[1]:.3g}) and stay.", spot)

    def _rows(self, observations: NDArray[Any]) -> NDArray[np.float64]:
        """Observations (B, n), checked.

        Raises:
            ValueError: If they have another shape, or one is not finite.
        """
        rows = np.asarray(observations, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1:] != self.observation_space.shape:
            raise ValueError(f"{self.name}: observations must be (B, n), got {rows.shape}")
        good = np.isfinite(rows).all(axis=1)
        if not good.all():
            raise ValueError(f"{self.name}: {rows[~good][0].tolist()} is no observation")
        return rows

    def _at_goal(self, observations: Array, goal: NDArray[Any]) -> Array:
        (x, y), (there_x, there_y) = self._tip(columns(observations)), self._tip(goal.tolist())
        away, across = x - there_x, y - there_y
        return namespace(x).sqrt(away * away + across * across) <= self.radius

    def _target(self, who: str) -> Place:
        """The place of the episode's goal."""
        task = self._running().task
        if task is None or task.goal is None:
            raise NoOracle(f"{self.name}: {who} needs a task with a goal")
        return self.tip(task.goal)

    def _vary(self, model: Any, context: Mapping[str, float]) -> None:
        model.body_mass *= context["mass"]
        model.body_inertia *= context["mass"]
        model.actuator_gear *= context["gain"]
        model.dof_damping *= context["damping"]
        model.geom_friction[:, 0] *= context.get("friction", 1.0)


def column(index: int, observations: Array) -> Array:
    """A column of observations (B, n) as a feature (B,); float64 for NumPy."""
    if type(observations) is Single:
        return observations[index]
    if namespace(observations) is not np:
        return observations[:, index]
    return np.asarray(observations)[:, index].astype(np.float64)
