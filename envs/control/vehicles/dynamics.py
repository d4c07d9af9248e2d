"""The equations of a vehicle environment, as functions of batches of states, NumPy's or torch's.

A state holds all that an episode is: what moves, and what was drawn for it (a track, columns,
goals), so that a batch of states is a batch of environments.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array
from zerogym.envs.control.core.contexts import Constant
from zerogym.envs.control.vehicles.integration import Numbers


class VehicleRules(ABC):
    """A physics; B is the number of environments, S the size of a state, n that of an observation.

    Attributes:
        constants: The constants that can be varied.
        dt: Seconds in a step.
        actions: Numbers in an action, each in [-1, 1].
    """

    constants: ClassVar[Mapping[str, Constant]]
    dt: ClassVar[float]
    actions: int

    @abstractmethod
    def draw(self, rng: np.random.Generator, count: int, context: Numbers) -> NDArray[np.float64]:
        """Draw states (count, S) in which episodes begin."""

    @abstractmethod
    def advance(self, states: Array, actions: Array, context: Numbers) -> Array:
        """Return states (B, S) one step later, for actions (B, k) in [-1, 1]."""

    @abstractmethod
    def observe(self, states: Array, context: Numbers) -> Array:
        """Return observations (B, n), in the precision of the states."""

    @abstractmethod
    def harm(self, states: Array, context: Numbers) -> tuple[Array, Array]:
        """Return costs (B,) >= 0 and whether the episodes end, (B,) bool."""
