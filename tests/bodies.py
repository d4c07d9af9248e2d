"""The planar bodies, and how tests play them."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)

PLANAR = ("zerogym/Walker-v0", "zerogym/Cheetah-v0", "zerogym/Hopper-v0")
each = pytest.mark.parametrize("id", PLANAR)


def make(id: str, **kwargs: Any) -> Any:
    return gym.make(id, **kwargs).unwrapped


def seeded(env: Any, seed: int = 0) -> Any:
    env.reset(seed=seed)
    return env


def rollout(env: Any, steps: int) -> np.ndarray:
    """Observations under fixed actions, from where the environment is."""
    rng = np.random.default_rng(3)
    return np.array([env.step(rng.uniform(-1, 1, env.model.nu))[0] for _ in range(steps)])
