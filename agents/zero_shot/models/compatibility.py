"""Whether data and worlds are those that a model is for; what is not is refused in one line."""

import math
from typing import Any

import gymnasium as gym

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.models.architecture import Shape


def check_data(shape: Shape, data: Dataset, what: str = "data") -> None:
    """Refuse transitions of another world.

    Args:
        shape: Of the model that is to read them.
        data: The transitions.
        what: What they are called in the message.

    Raises:
        ValueError: If observations have another shape, or actions are of another kind or number.
    """
    seen, done = data.observations.shape[1:], data.actions
    if seen != shape.seen:
        raise ValueError(f"{what} have observations of shape {seen}, not {shape.seen}")
    wanted = () if shape.discrete else (shape.actions,)
    whole = done.dtype.kind in "iu"
    if done.shape[1:] != wanted or whole != shape.discrete:
        raise ValueError(
            f"{what} have actions of shape {done.shape[1:]} and type {done.dtype}, but the model "
            f"is for {_actions(shape.discrete, shape.actions)}"
        )
    if shape.discrete and not 0 <= done.min() <= done.max() < shape.actions:
        raise ValueError(
            f"{what} have actions from {done.min()} to {done.max()}, but the model is for "
            f"{_actions(True, shape.actions)}"
        )


def check_env(shape: Shape, env: gym.Env[Any, Any]) -> None:
    """Refuse an environment that shows or takes something else than the model was trained on.

    Raises:
        ValueError: It names both.
    """
    done = env.action_space
    discrete = isinstance(done, gym.spaces.Discrete)
    count = int(done.n) if isinstance(done, gym.spaces.Discrete) else math.prod(done.shape or ())
    found = (env.observation_space.shape, discrete, count)
    wanted = (shape.seen, shape.discrete, shape.actions)
    if found != wanted:
        name = env if env.spec is None else env.spec.id
        raise ValueError(f"the model is for {_told(*wanted)}; {name} has {_told(*found)}")


def _told(seen: tuple[int, ...] | None, discrete: bool, count: int) -> str:
    return f"observations of shape {seen} and {_actions(discrete, count)}"


def _actions(discrete: bool, count: int) -> str:
    return f"{count} discrete actions" if discrete else f"continuous actions of shape ({count},)"
