"""Spaces and columns of worlds with vectors as observations."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import MaxAndSkipObservation
from numpy.typing import NDArray

from zerogym.wrappers.snapshots import layers

Vector = NDArray[np.float32]


def vector_space(env: gym.Env[Any, Any], who: str) -> spaces.Box:
    """Return the observation space of a world whose observations are vectors.

    Raises:
        TypeError: If they are something else.
    """
    space = env.observation_space
    if not isinstance(space, spaces.Box) or len(space.shape) != 1:
        raise TypeError(f"{who} needs vectors as observations, not {space}")
    return space


def world_columns(env: gym.Env[Any, Any], who: str) -> int:
    """Count the columns of the observations that are the world's own: the first, as it made them.

    A wrapper of ours that keeps the space of observations, but not what is in them, declares
    `changes_observations = True`; one that only adds columns may declare False.

    Raises:
        TypeError: If the world's observations are no vectors, or a wrapper changes them: what is
            measured of them would be wrong.
    """
    own = vector_space(env.unwrapped, who)
    size = own.shape[0]
    for layer in layers(env):
        bounds = vector_space(layer, who)
        other = layer.observation_space is not layer.env.observation_space and not (
            np.array_equal(bounds.low[:size], own.low)
            and np.array_equal(bounds.high[:size], own.high)
        )
        changing = isinstance(layer, gym.ObservationWrapper | MaxAndSkipObservation)
        if other or getattr(type(layer), "changes_observations", changing):
            raise TypeError(
                f"{who} measures what the world shows, and {type(layer).__name__} changes that: "
                f"put {who} inside of it"
            )
    return size


def longer(space: spaces.Box, low: list[float], high: list[float]) -> spaces.Box:
    """Return the space with more columns at its end."""
    return spaces.Box(
        np.concatenate([space.low, low]).astype(np.float32),
        np.concatenate([space.high, high]).astype(np.float32),
        dtype=np.float32,
    )
