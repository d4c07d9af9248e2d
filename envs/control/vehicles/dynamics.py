"""What a vehicle world is made of: functions over batches of states, of NumPy or torch.

A state holds all that an episode is: what moves, and what was drawn for it (a track, columns,
goals), so that a batch of states is a batch of worlds.
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
    """A physics; B is the number of worlds, S the size of a state, n that of an observation.

    Attributes:
        constants: What can be varied.
        dt: Seconds in a step.
        actions: Numbers in an action, each in [-1, 1].
    """

    constants: ClassVar[Mapping[str, Constant]]
    dt: ClassVar[float]
    actions: int

    @abstractmethod
    def draw(self, rng: np.random.Generator, count: int, context: Numbers) -> NDArray[np.float64]:
        """States (count, S) in which episodes begin."""

    @abstractmethod
    def advance(self, states: Array, actions: Array, context: Numbers) -> Array:
        """States (B, S) one step later, for actions (B, k) in [-1, 1]."""

    @abstractmethod
    def observe(self, states: Array, context: Numbers) -> Array:
        """Observations (B, n), in the precision of the states."""

    @abstractmethod
    def harm(self, states: Array, context: Numbers) -> tuple[Array, Array]:
        """What the states cost, (B,) numbers >= 0; and whether they end the episode, (B,) bool."""
