"""What wrappers of worlds with vectors as observations share."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import MaxAndSkipObservation
from numpy.typing import NDArray

Vector = NDArray[np.float32]


def vector_space(env: gym.Env[Any, Any], who: str) -> spaces.Box:
    """The observation space of a world whose observations are vectors.

    Raises:
        TypeError: If they are something else.
    """
    space = env.observation_space
    if not isinstance(space, spaces.Box) or len(space.shape) != 1:
        raise TypeError(f"{who} needs vectors as observations, not {space}")
    return space


def world_columns(env: gym.Env[Any, Any], who: str) -> int:
    """How many columns of the observations are the world's own: the first ones, as it made them.

    A wrapper of ours that keeps the space of observations, but not what is in them, says so by
    `changes_observations = True`; one that only adds columns may say False.

    Raises:
        TypeError: If the world's observations are no vectors, or a wrapper changes them: what is
            measured of them would be wrong.
    """
    own, layer = vector_space(env.unwrapped, who), env
    size = own.shape[0]
    while isinstance(layer, gym.Wrapper):
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
        layer = layer.env
    return size


def longer(space: spaces.Box, low: list[float], high: list[float]) -> spaces.Box:
    """The space with more columns at its end."""
    return spaces.Box(
        np.concatenate([space.low, low]).astype(np.float32),
        np.concatenate([space.high, high]).astype(np.float32),
        dtype=np.float32,
    )
