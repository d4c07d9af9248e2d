"""Playing MiniGrid worlds in tests."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.control.minigrid.levels import LEVELS, package_id
from zerogym.envs.control.minigrid.state import KINDS

IDS = ("MiniGrid", "KeyCorridor", "BabyAI", "MiniGridMaze")
each_id = pytest.mark.parametrize("id", IDS)
# One level in three; the others are proofs.
each_level = pytest.mark.parametrize(
    "level",
    [
        pytest.param(level, marks=pytest.mark.proof if number % 3 else [])
        for number, level in enumerate(LEVELS)
    ],
)


def make(id: str = "MiniGrid", **kwargs: Any) -> Any:
    return gym.make(f"zerogym/{id}-v0", **{"task": None, **kwargs}).unwrapped


def play(env: Any, seed: int | None = None, lead: int = 0) -> tuple[float, int, dict[str, Any]]:
    """An episode of the oracle, after some random steps: return, steps, last info."""
    if seed is not None:
        env.reset(seed=seed)
    rng, total, steps, over = np.random.default_rng(0), 0.0, 0, False
    info: dict[str, Any] = {}
    while not over:
        action = careful(env, rng) if steps < lead else env.oracle_action()
        _, reward, terminated, truncated, info = env.step(action)
        total, steps, over = total + reward, steps + 1, terminated or truncated
    return total, steps, info


def careful(env: Any, rng: np.random.Generator) -> Any:
    """A random action, but no box is opened: what is meant may be gone with it."""
    at_box = env.features(env._episode.state[None])["front"][0] == KINDS.index("box")
    return np.int64(rng.choice([0, 1, 2, 3, 4, 6] if at_box else 7))


def package(level: str, max_steps: int) -> Any:
    return gym.make(package_id(level), disable_env_checker=True, max_steps=max_steps).unwrapped
