"""Checks that data and environments have the sizes of an agent."""

from typing import Any, Protocol

import gymnasium as gym

from zerogym.agents.offline.transitions import Transitions


class Sizes(Protocol):
    """Sizes of observations and actions, which every agent has.

    Attributes:
        observation: Numbers of an observation, k.
        actions: Discrete actions A, or numbers of a continuous one, m.
        discrete: Whether actions are numbered.
    """

    @property
    def observation(self) -> int: ...

    @property
    def actions(self) -> int: ...

    @property
    def discrete(self) -> bool: ...


def check_data(shape: Sizes, data: Transitions) -> None:
    """Refuse data of other observations or actions, or with actions outside of their range.

    Raises:
        ValueError: Naming both.
    """
    found = data.actions
    if data.observations.shape[1] != shape.observation or data.discrete != shape.discrete:
        raise ValueError(
            f"the agent observes {shape.observation} numbers and has "
            f"{'discrete' if shape.discrete else 'continuous'} actions; the data have "
            f"{data.observations.shape[1]} and {'discrete' if data.discrete else 'continuous'}"
        )
    if not shape.discrete and found.shape[1] != shape.actions:
        raise ValueError(f"actions have {found.shape[1]} numbers, not {shape.actions}")
    low, high = (0, shape.actions - 1) if shape.discrete else (-1, 1)
    if not low <= float(found.min()) <= float(found.max()) <= high:
        raise ValueError(
            f"actions must be from {low} to {high}, the data have some from "
            f"{float(found.min()):g} to {float(found.max()):g}"
        )


def check_env(shape: Sizes, env: gym.Env[Any, Any]) -> None:
    """Refuse an environment of other observations or actions.

    Raises:
        ValueError: Naming both.
    """
    space = env.action_space
    discrete = isinstance(space, gym.spaces.Discrete)
    count = int(space.n) if isinstance(space, gym.spaces.Discrete) else int(space.shape[0])  # type: ignore[index]
    found = (env.observation_space.shape, discrete, count)
    expected = ((shape.observation,), shape.discrete, shape.actions)
    if found != expected:
        raise ValueError(
            "observation shape, discreteness and number of actions: the agent has "
            f"{expected}, {env} has {found}"
        )
