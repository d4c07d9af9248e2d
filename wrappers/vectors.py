"""What wrappers of worlds with vectors as observations share."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
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


def longer(space: spaces.Box, low: list[float], high: list[float]) -> spaces.Box:
    """The space with more columns at its end."""
    return spaces.Box(
        np.concatenate([space.low, low]).astype(np.float32),
        np.concatenate([space.high, high]).astype(np.float32),
        dtype=np.float32,
    )
