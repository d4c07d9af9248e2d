"""MuJoCo environments in which a tip is brought to places on a table: a ball in a maze, an arm.

Goals are places (x, y) in metres; the oracle is a controller with the shortest way. Left out:
gravity among the constants, as nothing can fall on a table; goals with a velocity.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, Floats, Single, columns, namespace
from zerogym.envs.control.core.contexts import Constant
from zerogym.envs.control.core.features import ByFeatures, Measures
from zerogym.envs.control.core.interval_rewards import Rule
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.mujoco.base import CONSTANTS, MujocoEnv
from zerogym.errors import NoOracle

DAMPING = Constant(1.0, 0.3, 3.0, "damping of every joint, times its own", (0.6, 1.8))
WITHOUT_CONTACT: Mapping[str, Constant] = MappingProxyType(
    {"mass": CONSTANTS["mass"], "gain": CONSTANTS["gain"], "damping": DAMPING}
)
CORNERS = {
    "top_left": (-1, 1),
    "top_right": (1, 1),
    "bottom_left": (-1, -1),
    "bottom_right": (1, -1),
}


class ReachingEnv(MujocoEnv):
    """A table from above; its features have the tip's `x` and `y`.

    Attributes:
        radius: Distance between the tip and a goal that is reached, m.
        constants: The constants that can be varied; `friction` only where something touches.
    """

    has_oracle: ClassVar[bool] = True
    substeps = 1
    radius: ClassVar[float]
    corner: ClassVar[float]  # m, of the named places along x and y
    sentence: ClassVar[str]  # of the task of a named place, with `{}` for it
    constants = WITHOUT_CONTACT
    measures: Measures

    @abstractmethod
    def _tip(self, columns: Sequence[Array]) -> tuple[Array, Array]:
        """Return x and y of the tip from the n columns (B,) of observations or n numbers."""

    @abstractmethod
    def _reward(self, place: Floats) -> Rule:
        """Return the reward of being at a place."""

    @abstractmethod
    def _at_rest(self, place: Floats) -> Floats | None:
        """Return the observation (n,) at rest there; None if the tip cannot be there."""

    @abstractmethod
    def _towards(self, place: Floats) -> Floats:
        """Return the oracle's action on the way to a place."""

    def oracle_action(self) -> NDArray[np.float32]:
        """Return the next action on the way to the goal, to stay there.

        Raises:
            NoOracle: If the task has no goal.
        """
        return np.clip(self._towards(self._target("an oracle")), -1.0, 1.0).astype(np.float32)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The four named places."""
        return {
            f"reach_{name}": self.reach_task(
                f"reach_{name}",
                self.sentence.format(name.replace("_", " ")),
                (x * self.corner, y * self.corner),
            )
            for name, (x, y) in CORNERS.items()
        }

    def reach_task(self, name: str, text: str, place: tuple[float, float]) -> Task:
        """Make the task of bringing the tip to a place."""
        spot = np.array(place, dtype=np.float64)
        goal = self._at_rest(spot)
        assert goal is not None, f"{name}: the tip cannot be at {place}"
        reward = ByFeatures(self.measures, self._reward(spot), of_single=True)
        return Task(name, text, reward, goal.astype(np.float32))

    def tip(self, observation: NDArray[Any]) -> Floats:
        """Return where the tip of one observation is; (2,)."""
        return np.array(self._tip(observation.tolist()), dtype=np.float64)

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        place = np.asarray(goal, dtype=np.float64)
        if place.shape == self.observation_space.shape and np.isfinite(place).all():
            self.states(place[None])
            place = self.tip(place)
        good = place.shape == (2,) and np.isfinite(place).all()
        if not good or self._at_rest(place) is None:
            raise ValueError(
                f"{self.name}: goal must be a place (x, y) in metres where the tip can be, or an "
                f"observation, got {str(goal)[:60]}"
            )
        spot = float(place[0]), float(place[1])
        return self.reach_task("goal", f"Go to ({spot[0]:.3g}, {spot[1]:.3g}) and stay.", spot)

    def _at_goal(self, observations: Array, goal: NDArray[Any]) -> Array:
        (x, y), (there_x, there_y) = self._tip(columns(observations)), self._tip(goal.tolist())
        away, across = x - there_x, y - there_y
        return namespace(x).sqrt(away * away + across * across) <= self.radius

    def _target(self, who: str) -> Floats:
        """Return the place of the episode's goal."""
        task = self._running().task
        if task is None or task.goal is None:
            raise NoOracle(f"{self.name}: {who} needs a task with a goal")
        return self.tip(task.goal)


def of_columns(measure: Any, observations: Array) -> Array:
    """Apply a function of the n columns, (B,) each in float64 for NumPy, or of n numbers."""
    if type(observations) is Single:
        return measure(observations)
    if namespace(observations) is np:
        observations = np.asarray(observations, dtype=np.float64, order="F")
    return measure(tuple(observations[:, index] for index in range(observations.shape[1])))


def table_of(functions: Mapping[str, Any]) -> Measures:
    """Make features of functions of columns."""
    return {name: partial(of_columns, function) for name, function in functions.items()}
