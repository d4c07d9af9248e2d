"""Snapshots of a whole stack of wrappers, Gymnasium's own among them: `get_state`, `set_state`.

Worlds and wrappers of this package have `get_state` and `set_state`. Gymnasium's wrappers do not,
yet some of them remember something: a queue, a last action, a clock. Here what a wrapper without
these methods remembers is copied: all its attributes but its spaces and functions.

Left out: what a wrapper keeps outside itself, such as files of videos.
"""

import copy
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

FIXED = ("env", "_cached_spec", "_saved_kwargs")  # of every wrapper, made once


def layers(env: gym.Env[Any, Any]) -> Iterator[gym.Wrapper[Any, Any, Any, Any]]:
    """Yield the wrappers of a stack, from the outermost on."""
    while isinstance(env, gym.Wrapper):
        yield env
        env = env.env


def get_state(env: gym.Env[Any, Any]) -> dict[str, Any]:
    """Take a snapshot of an environment with all its wrappers, independent of what happens next.

    Args:
        env: Wrappers around a world of this package.

    Raises:
        TypeError: If the world has no snapshots, or what a wrapper remembers cannot be copied.

    Example:
        >>> import zerogym
        >>> from gymnasium.wrappers import DelayObservation
        >>> env = DelayObservation(gym.make("zerogym/PointMaze-v0"), 1)
        >>> _ = env.reset(seed=0)
        >>> state = get_state(env)
        >>> once = env.step([1.0, 0.0])[0]
        >>> set_state(env, state)
        >>> bool((env.step([1.0, 0.0])[0] == once).all())
        True
    """
    if hasattr(type(env), "get_state"):
        state: dict[str, Any] = env.get_state()  # type: ignore[attr-defined]
        return state
    if not isinstance(env, gym.Wrapper):
        raise TypeError(f"{env} has no get_state()")
    kept = {
        name: value
        for name, value in vars(env).items()
        if name not in FIXED and not isinstance(value, spaces.Space) and not callable(value)
    }
    try:
        return {"env": get_state(env.env), "own": copy.deepcopy(kept)}
    except Exception as error:  # whatever an attribute raises that cannot be copied
        raise TypeError(f"{type(env).__name__} cannot be part of a snapshot: {error}") from error


def set_state(env: gym.Env[Any, Any], state: dict[str, Any]) -> None:
    """Go back to a snapshot of an equal stack; it can be used any number of times."""
    if hasattr(type(env), "set_state"):
        env.set_state(state)  # type: ignore[attr-defined]
        return
    if not isinstance(env, gym.Wrapper) or "own" not in state:
        raise TypeError(f"the snapshot is of another stack of wrappers than {env}")
    set_state(env.env, state["env"])
    vars(env).update(copy.deepcopy(state["own"]))


def generators(env: gym.Env[Any, Any]) -> list[np.random.Generator]:
    """Return the generators of wrappers that have one, outermost first, and of the environment."""
    own = [layer.get_wrapper_attr("rng") for layer in layers(env) if hasattr(type(layer), "rng")]
    return [*own, env.unwrapped.np_random]
