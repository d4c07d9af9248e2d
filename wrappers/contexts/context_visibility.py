"""Constants of the physics in the observation: `ContextVisibility`.

Hidden, visible and partly visible contexts as in "Contextualize Me - The Case for Context in
Reinforcement Learning" (2023, arXiv 2202.04500). Without this wrapper a context is hidden.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from zerogym.envs.control.core.contexts import scaled_context
from zerogym.wrappers.arguments import check_names, in_list
from zerogym.wrappers.contexts.context_sampler import constants_of
from zerogym.wrappers.vectors import Vector, longer, vector_space


class ContextVisibility(gym.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """Constants join the observation, each scaled so that its whole range is [-1, 1].

    Observations are the world's (n,) and the visible constants (k,), float32 (n + k,). Features
    and tasks of the world are of its own n columns, the first ones.

    Args:
        env: A world with `constants` whose observations are vectors.
        visible: Names of the constants to show, in this order; None are all, an empty list none.

    Raises:
        TypeError: If the world has no constants, or observations of another kind.
        UnknownName: If there is no such constant.

    Example:
        >>> import zerogym
        >>> world = gym.make("zerogym/CartPole-v0", context={"gravity": 20.0})
        >>> env = ContextVisibility(world, visible=["gravity", "force"])
        >>> print(env.reset(seed=0)[0][5:].round(2))
        [ 1.   -0.33]
    """

    changes_observations = False  # only adds

    def __init__(self, env: gym.Env[Any, Any], visible: Sequence[str] | None = None) -> None:
        RecordConstructorArgs.__init__(self, visible=visible)
        gym.ObservationWrapper.__init__(self, env)
        constants = constants_of(env, "ContextVisibility")
        names = list(constants)
        if visible is not None:
            names = in_list(visible, "ContextVisibility: visible")
        check_names("constant", names, constants)
        self._shown = {name: constants[name] for name in names}
        if len(self._shown) < len(names):
            raise ValueError(f"ContextVisibility: {names} shows a constant twice")
        space = vector_space(env, "ContextVisibility")
        self.observation_space = longer(space, [-1.0] * len(names), [1.0] * len(names))

    def observation(self, observation: Any) -> Vector:
        """Return the world's observation, and the context."""
        context = self.env.unwrapped.context  # type: ignore[attr-defined]
        parts = [np.asarray(observation, np.float32), scaled_context(self._shown, context)]
        return np.concatenate(parts)
