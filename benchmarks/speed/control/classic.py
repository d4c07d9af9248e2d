"""Steps a second of many cart poles at once, beside Gymnasium's own and separate ones.

    python -m zerogym.benchmarks.speed.control.classic [--seconds 1] [--batch 1024]

Unit: thousand steps a CPU second on one core, with actions that were drawn before, resets
included. `ours` is `gym.make_vec("zerogym/CartPole-v0", n)`; `separate` is as many single ones in
Gymnasium's `SyncVectorEnv`; `gymnasium` is its `CartPole-v1` in NumPy, whose physics is float32,
whose reward is a constant, and whose actions are two. The last column is the multiple of
`separate`. For one core, set `OMP_NUM_THREADS=1` in the environment. Left out: EnvPool, which is
compiled.
"""

from typing import Any

import gymnasium as gym
import numpy as np

import zerogym  # noqa: F401 (registers the ids)
from zerogym.benchmarks.speed.loops import Loop, batches, compare

BATCHES = 8  # of actions, used in turn
BESIDE = "separate"


def cart_poles(id: str, n: int, mode: str | None = None) -> Loop:
    """Steps of n cart poles under random actions."""
    envs: Any = gym.make_vec(id, num_envs=n, vectorization_mode=mode)
    envs.action_space.seed(0)
    actions = [np.asarray(envs.action_space.sample()) for _ in range(BATCHES)]
    envs.reset(seed=0)
    return batches(envs.step, actions, n)


def loops(batch: int) -> dict[str, Loop | None]:
    """Everything that is measured."""
    return {
        "ours": cart_poles("zerogym/CartPole-v0", batch),
        BESIDE: cart_poles("zerogym/CartPole-v0", batch, "sync"),
        "gymnasium": cart_poles("CartPole-v1", batch, "vector_entry_point"),
    }


if __name__ == "__main__":
    compare(__doc__, loops, BESIDE)
