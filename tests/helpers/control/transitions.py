"""Random transitions and whole episodes of an environment, and a reward that tells them apart."""

from dataclasses import dataclass
from typing import Any

import numpy as np


def by_action(obs: np.ndarray, action: np.ndarray, next_obs: np.ndarray) -> np.ndarray:
    """Reward the change of the observation, and the action."""
    change = np.abs(next_obs - obs).sum(axis=1)
    return change + np.asarray(action, dtype=np.float64).reshape(len(obs), -1).sum(axis=1)


def transitions(env: Any, episodes: int = 3) -> tuple[np.ndarray, ...]:
    """Return random transitions and the rewards of the environment."""
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


@dataclass
class Episode:
    """One episode; `reward` and `info` are those of the last step.

    Attributes:
        total: The return.
        reached: The step of the first success, or None.
    """

    total: float
    reward: float
    rewards: list[float]
    reached: int | None
    costs: list[float]
    observations: np.ndarray
    terminated: bool
    info: dict[str, Any]


def play(env: Any, policy: str, seed: int = 0, stops: bool = False, **options: Any) -> Episode:
    """Play an episode by `env.<policy>_action`, with `stops` until its first success.

    Random numbers of policies come from the same seed.
    """
    obs, info = env.reset(seed=seed, options=options)
    rng, rows, rewards, costs, over = np.random.default_rng(seed), [obs], [], [], False
    given, act = (rng,) if policy in ("random", "straight_line") else (), f"{policy}_action"
    reached = None
    while not over:
        obs, reward, terminated, truncated, info = env.step(getattr(env, act)(*given))
        if reached is None and info.get("success"):
            reached = len(rows)
        over = terminated or truncated or (stops and reached is not None)
        rows.append(obs)
        rewards.append(reward)
        costs.append(info.get("cost", 0.0))
    rows = np.array(rows)
    return Episode(sum(rewards), reward, rewards, reached, costs, rows, terminated, info)
