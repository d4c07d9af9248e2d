"""Control worlds by their short names, without a reward unless a task is given."""

from typing import Any

import gymnasium as gym

import zerogym  # noqa: F401 (registers the ids)


def make(name: str = "CartPole", **kwargs: Any) -> Any:
    return gym.make(f"zerogym/{name}-v0", **{"task": None, **kwargs})


def bare(name: str, **kwargs: Any) -> Any:
    """The environment without wrappers."""
    return make(name, **kwargs).unwrapped
