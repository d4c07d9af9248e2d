"""Sensors that fail: the partial observability of zero-shot agents with memory, as published.

After "Zero-Shot Reinforcement Learning Under Partial Observability" (2025, arXiv 2506.15446), with
its defaults: `FlickeringObservation` (all is lost with probability 0.2), `NoisyObservation`
(Gaussian, 0.2), `MissingSensors` (each number is lost with probability 0.2), `HiddenColumns`
(velocities). Its change of dynamics is `ChangedDynamics`, its memory `ObservationHistory`. What is
lost reads 0. Rewards, features and tasks stay those of the world's full observation.

Left out: images.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from zerogym.wrappers.arguments import in_list, number, shown
from zerogym.wrappers.core import Start, Step
from zerogym.wrappers.seeded import SeededWrapper
from zerogym.wrappers.vectors import Vector, vector_space, world_columns

LARGEST = 1e30  # of noise: observations stay finite in float32
BEYOND = 6.0  # deviations of noise that observations keep; more is cut off


class Sensed(SeededWrapper):
    """The base of sensors: each observation passes through `sensed`."""

    changes_observations = True

    def _begin(self, obs: Any, info: dict[str, Any]) -> Start:
        return self.sensed(np.asarray(obs, dtype=np.float32)), info

    def step(self, action: Any) -> Step:
        """Step the world, and sense the observation."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        sensed = self.sensed(np.asarray(obs, dtype=np.float32))
        return sensed, reward, terminated, truncated, info

    @abstractmethod
    def sensed(self, observation: Vector) -> Vector:
        """Return what an agent gets of an observation (n,)."""


class _Lossy(Sensed):
    """The base of sensors that lose something, which reads 0."""

    def __init__(self, env: gym.Env[Any, Any], probability: float = 0.2) -> None:
        super().__init__(env, probability=probability)
        space = vector_space(env, type(self).__name__)
        low, high = np.minimum(space.low, 0.0), np.maximum(space.high, 0.0)
        self.observation_space = spaces.Box(low, high, dtype=np.float32)
        self._probability = number(probability, f"{type(self).__name__}: probability", 0, 1)


class FlickeringObservation(_Lossy):
    """Now and then all of an observation is lost, and reads 0.

    Args:
        env: A world whose observations are vectors.
        probability: Of losing an observation.

    Raises:
        TypeError: If the observations are no vectors.
        ValueError: If it is no probability.

    Example:
        >>> import zerogym
        >>> env = FlickeringObservation(gym.make("zerogym/Pendulum-v0"), probability=0.5)
        >>> _ = env.reset(seed=0)
        >>> [bool(env.step([0.0])[0].any()) for _ in range(6)]
        [True, False, True, False, False, False]
    """

    def sensed(self, observation: Vector) -> Vector:
        """Return all or nothing."""
        lost = self.rng.random() < self._probability
        return np.zeros_like(observation) if lost else observation


class MissingSensors(_Lossy):
    """Each number of each observation may be lost, and reads 0.

    Args:
        env: A world whose observations are vectors.
        probability: Of losing a number.

    Raises:
        TypeError: If the observations are no vectors.
        ValueError: If it is no probability.
    """

    def sensed(self, observation: Vector) -> Vector:
        """Return the numbers that are not lost."""
        kept = self.rng.random(observation.shape) >= self._probability
        return np.where(kept, observation, 0.0).astype(np.float32)


class NoisyObservation(Sensed):
    """Gaussian noise is added to each number.

    Args:
        env: A world whose observations are vectors.
        deviation: Standard deviation, of all columns or of each. The published 0.2 is meant for
            observations of size 1: the mountain car's speed is at most 0.07.

    Raises:
        TypeError: If the observations are no vectors.
        ValueError: If it is no such deviation.
    """

    def __init__(self, env: gym.Env[Any, Any], deviation: float | Sequence[float] = 0.2) -> None:
        super().__init__(env, deviation=deviation)
        space = vector_space(env, "NoisyObservation")
        self._deviation = columns_of(deviation, space.shape[0], "NoisyObservation: deviation")
        self.observation_space = self._space = widened(space, BEYOND * self._deviation)

    def sensed(self, observation: Vector) -> Vector:
        """Return the observation with noise."""
        noisy = observation + self.rng.normal(0.0, self._deviation)
        return np.clip(noisy.astype(np.float32), self._space.low, self._space.high)


class HiddenColumns(gym.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """Some numbers of the observations are left out, such as velocities.

    Args:
        env: A world whose observations are vectors.
        columns: Which to leave out; None are those that the world names as its `velocities`.

    Raises:
        TypeError: If the observations are no vectors, or the world's `velocities` are used and a
            wrapper inside changes the observations.
        ValueError: If there are no such columns, none would be left, or the world names none.

    Example:
        >>> import zerogym
        >>> env = HiddenColumns(gym.make("zerogym/CartPole-v0"))
        >>> env.reset(seed=0)[0].shape  # place, cosine and sine: no velocities
        (3,)
    """

    def __init__(self, env: gym.Env[Any, Any], columns: Sequence[int] | None = None) -> None:
        RecordConstructorArgs.__init__(self, columns=columns)
        gym.ObservationWrapper.__init__(self, env)
        space = vector_space(env, "HiddenColumns")
        size = space.shape[0]
        named = getattr(env.unwrapped, "velocities", None)
        if columns is None and named is None:
            raise ValueError("HiddenColumns: the world names no `velocities`; give `columns`")
        if columns is None:
            world_columns(env, "HiddenColumns")  # else the names are of other columns
        hidden = in_list(named if columns is None else columns, "HiddenColumns: columns")
        self._kept = np.setdiff1d(np.arange(size), hidden)
        if len(self._kept) != size - len(set(hidden)) or not 0 < len(self._kept) < size:
            raise ValueError(
                f"HiddenColumns: columns must be some, not all, of 0..{size - 1}, "
                f"got {shown(hidden)}"
            )
        low, high = space.low[self._kept], space.high[self._kept]
        self.observation_space = spaces.Box(low, high, dtype=np.float32)

    def observation(self, observation: Any) -> Vector:
        """Return the other columns."""
        left: Vector = np.asarray(observation, dtype=np.float32)[self._kept]
        return left


def widened(space: spaces.Box, sizes: NDArray[np.float64]) -> spaces.Box:
    """Return the space with bounds that are further out, by a size for each column."""
    low, high = (space.low - sizes).astype(np.float32), (space.high + sizes).astype(np.float32)
    return spaces.Box(low, high, dtype=np.float32)


def columns_of(sizes: Any, count: int, what: str) -> NDArray[np.float64]:
    """Return a size for each column, >= 0; (n,).

    Raises:
        ValueError: If it is neither a size nor one for each; names `what`.
    """
    try:
        if isinstance(sizes, str | bytes | bool):
            raise TypeError
        given = np.broadcast_to(np.asarray(sizes, dtype=np.float64) + 0.0, (count,))  # no -0.0
    except (TypeError, ValueError, OverflowError):
        given = np.full(count, np.nan)
    if not ((given >= 0) & (given <= LARGEST)).all():  # nan compares as false
        raise ValueError(f"{what} must be a number >= 0 or {count} of them, got {shown(sizes)}")
    return given
