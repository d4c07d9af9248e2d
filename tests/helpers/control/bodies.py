"""The MuJoCo environments, and how tests play them."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)

PLANAR = ("zerogym/Walker-v0", "zerogym/Cheetah-v0", "zerogym/Hopper-v0")
OTHERS = ("zerogym/PointMassMaze-v0", "zerogym/Reacher-v0", "zerogym/Ant-v0")
each = pytest.mark.parametrize("id", PLANAR)
each_body = pytest.mark.parametrize("id", (*PLANAR, *OTHERS))


def make(id: str, **kwargs: Any) -> Any:
    return gym.make(id, **{"task": None, **kwargs}).unwrapped


def seeded(env: Any, seed: int = 0) -> Any:
    env.reset(seed=seed)
    return env


def rollout(env: Any, steps: int) -> np.ndarray:
    """Observations under fixed actions, from where the environment is."""
    rng = np.random.default_rng(3)
    return np.array([env.step(rng.uniform(-1, 1, env.model.nu))[0] for _ in range(steps)])


def transitions(env: Any, count: int, task: Any = None) -> tuple[np.ndarray, ...]:
    """Random transitions, with the rewards of the environment; an action is held a while."""
    rng, rows = np.random.default_rng(0), []
    obs, _ = env.reset(seed=0, options={"task": task})
    for step in range(count):
        if step % 5 == 0:
            action = env.random_action(rng)
        after, reward, _, truncated, _ = env.step(action)
        rows.append((obs, action, after, reward))
        obs = env.reset(options={"task": task})[0] if truncated else after
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def random_states(env: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """States far from rest, with quaternions of length 1."""
    rng = np.random.default_rng(0)
    qpos, qvel = rng.normal(0, 1, (count, env.model.nq)), rng.normal(0, 5, (count, env.model.nv))
    if env.model.nq > env.model.nv:  # a free joint
        qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1)[:, None]
    return qpos, qvel
