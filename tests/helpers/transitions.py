"""Random transitions of a world, and a reward that tells them apart."""

from typing import Any

import numpy as np


def by_action(obs: np.ndarray, action: np.ndarray, next_obs: np.ndarray) -> np.ndarray:
    """Pay for the change of the observation, and for the action."""
    change = np.abs(next_obs - obs).sum(axis=1)
    return change + np.asarray(action, dtype=np.float64).reshape(len(obs), -1).sum(axis=1)


def transitions(env: Any, episodes: int = 3) -> tuple[np.ndarray, ...]:
    """Random transitions and the rewards that the environment paid for them."""
    rng, rows = np.random.default_rng(0), []
    for seed in range(episodes):
        obs, _ = env.reset(seed=seed)
        over = False
        while not over:
            action = env.random_action(rng)
            after, reward, terminated, truncated, _ = env.step(action)
            rows.append((obs, action, after, reward))
            obs, over = after, terminated or truncated
    return tuple(np.array(column) for column in zip(*rows, strict=True))
