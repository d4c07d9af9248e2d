"""Checks that data and environments fit a model."""

import math
from typing import Any

import gymnasium as gym

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.models.architecture import Shape


def check_data(shape: Shape, data: Dataset, what: str = "data") -> None:
    """Refuse transitions of another environment.

    Args:
        shape: Of the model that is to read them.
        data: The transitions.
        what: Their name in the message.

    Raises:
        ValueError: If observations have another shape, or actions are of another kind or number.
    """
    found, actions = data.observations.shape[1:], data.actions
    if found != shape.observation_shape:
        raise ValueError(
            f"{what} have observations of shape {found}, not {shape.observation_shape}"
        )
    fault = ""
    row = () if shape.discrete else (shape.actions,)
    if actions.shape[1:] != row or (actions.dtype.kind in "iu") != shape.discrete:
        fault = f"of shape {actions.shape[1:]} and type {actions.dtype}"
    elif shape.discrete and not 0 <= actions.min() <= actions.max() < shape.actions:
        fault = f"from {actions.min()} to {actions.max()}"
    if fault:
        raise ValueError(
            f"{what} have actions {fault}, but the model is for "
            f"{_actions(shape.discrete, shape.actions)}"
        )


def check_env(shape: Shape, env: gym.Env[Any, Any]) -> None:
    """Refuse an environment with other observations or actions than those of the model.

    Raises:
        ValueError: It names both.
    """
    space = env.action_space
    discrete = isinstance(space, gym.spaces.Discrete)
    count = int(space.n) if isinstance(space, gym.spaces.Discrete) else math.prod(space.shape or ())
    found = (env.observation_space.shape, discrete, count)
    expected = (shape.observation_shape, shape.discrete, shape.actions)
    if found != expected:
        name = env if env.spec is None else env.spec.id
        own, other = (
            f"observations of shape {observations} and {_actions(kind, number)}"
            for observations, kind, number in (expected, found)
        )
        raise ValueError(f"the model is for {own}; {name} has {other}")


def _actions(discrete: bool, count: int) -> str:
    return f"{count} discrete actions" if discrete else f"continuous actions of shape ({count},)"
