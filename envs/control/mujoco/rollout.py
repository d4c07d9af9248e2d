"""Many MuJoCo bodies at once: open-loop actions from many states, on all cores.

For planning, for data and for checking models: MuJoCo's own threads step the bodies, without Python
in between. Left out: rewards, which `Task.relabel` computes from the observations; the pushes of an
adversary; closed-loop policies.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Floats, as_floats
from zerogym.envs.control.mujoco.base import MAX_STATE, MujocoEnv
from zerogym.envs.processors import processors
from zerogym.errors import require

BLOCK = 1 << 22  # numbers that MuJoCo writes at once; it writes every substep


def rollout(
    env: gym.Env[Any, Any], actions: Any, states: Any, threads: int | None = None
) -> tuple[Floats, NDArray[np.float32]]:
    """Step B bodies T times each.

    The result is bit for bit that of `env.step` after a start at the same state, with the constants
    of its present episode. The environment itself does not move.

    Args:
        env: A MuJoCo environment of zerogym.
        actions: (B, T, A); larger values than 1 are clipped.
        states: (B, nq + nv), MuJoCo's `qpos` and `qvel` side by side, as
            `np.hstack(env.unwrapped.states(observations))`.
        threads: Number of threads; None is one for each processor that it may use.

    Returns:
        The states (B, T, nq + nv) and the observations (B, T, n) after each step.

    Raises:
        TypeError: If it is no such environment.
        ValueError: If shapes do not fit or something is not finite.
        FloatingPointError: If a simulation becomes unstable.

    Example:
        >>> import gymnasium as gym, numpy as np, zerogym
        >>> from zerogym.envs.control.mujoco.rollout import rollout
        >>> env = gym.make("zerogym/Walker-v0")
        >>> start = np.hstack(env.unwrapped.states(env.reset(seed=0)[0][None]))
        >>> actions = np.random.default_rng(0).uniform(-1, 1, (16, 25, 6))
        >>> states, observations = rollout(env, actions, np.tile(start, (16, 1)))
        >>> observations.shape
        (16, 25, 18)
    """
    world = env.unwrapped
    if not isinstance(world, MujocoEnv):
        raise TypeError(f"rollout is for the MuJoCo worlds of zerogym, got {type(world).__name__}")
    count = processors() if threads is None else threads
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError(f"threads must be an integer >= 1, got {threads!r}")
    model = world.model
    starts = _finite(states, "states", ("B", model.nq + model.nv))
    given = _finite(actions, "actions", (len(starts), "T", model.nu))
    given = np.clip(given, -1.0, 1.0).astype(np.float32).astype(np.float64)  # as `step` does
    ends = np.empty((*given.shape[:2], starts.shape[1]))
    size = max(1, BLOCK // max(1, given.shape[1] * world.substeps * (starts.shape[1] + 1)))
    for first in range(0, len(starts), size):
        rows = slice(first, first + size)
        ends[rows] = _stepped(world, starts[rows], given[rows], count)
    flat = ends.reshape(-1, ends.shape[2])
    far = ~((flat**2).sum(axis=1) < MAX_STATE**2)  # nan is far, too
    if far.any():
        row = int(far.argmax()) // ends.shape[1]
        raise FloatingPointError(f"{world.name}: simulation {row} has become unstable")
    observations = world.observations(flat[:, : model.nq], flat[:, model.nq :])
    return ends, observations.reshape(*ends.shape[:2], observations.shape[1])


def _stepped(world: MujocoEnv, starts: Floats, actions: Floats, threads: int) -> Floats:
    """Return the states after each step; (B, T, nq + nv)."""
    mujoco = require("mujoco", "control", world.name)
    batched = require("mujoco.rollout", "control", world.name)
    if actions.size == 0:
        return np.empty((*actions.shape[:2], starts.shape[1]))
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    size = mujoco.mj_stateSize(world.model, kind)
    assert size == 1 + starts.shape[1], "time, qpos and qvel are all of the state"
    timed = np.concatenate([np.zeros((len(starts), 1)), starts], axis=1)
    controls = np.repeat(actions, world.substeps, axis=1)
    threads = min(threads, len(starts))
    places = [mujoco.MjData(world.model) for _ in range(threads)]
    with batched.Rollout(nthread=threads if threads > 1 else 0) as pool:
        every, _ = pool.rollout(world.model, places, timed, controls)
    ends: Floats = every[:, world.substeps - 1 :: world.substeps, 1:]
    return ends


def _finite(given: Any, what: str, shape: tuple[int | str, ...]) -> Floats:
    """Convert to an array of this shape, in which letters stand for any number."""
    array = as_floats(given)
    pairs = zip(shape, array.shape, strict=False)
    fits = array.ndim == len(shape) and all(isinstance(n, str) or n == size for n, size in pairs)
    if not fits:
        text = ", ".join(map(str, shape))
        raise ValueError(f"{what} must be an array ({text}), got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite, got {array[~np.isfinite(array)][0]}")
    return array
