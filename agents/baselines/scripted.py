"""Simple rules that a learner should beat: environments offer them as methods."""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np


class StraightLinePolicy:
    """Goes straight for the goal and ignores walls.

    A maze proves nothing about planning unless this policy fails in it.

    Args:
        envs: The environments of the batch, in the order of the observations; each has
            `straight_line_action(rng)`.
        seed: Of the generator that breaks ties.
    """

    def __init__(self, envs: Sequence[gym.Env[Any, Any]], seed: int = 0) -> None:
        self.envs = list(envs)
        self._rng = np.random.default_rng(seed)

    def predict(
        self,
        observations: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[list[Any], None]:
        """One action for each environment; the observations are not looked at."""
        actions = [env.get_wrapper_attr("straight_line_action")(self._rng) for env in self.envs]
        return actions, None
