"""Legal actions inside of the observation, for libraries that read them there.

`MaskablePPO` of sb3-contrib takes `action_masks()` and needs no wrapper. The action masking of
RLlib reads the keys `observations` and `action_mask`, TorchRL's `ActionMask` reads `action_mask`.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from zerogym.wrappers.core import Options, Start, StatefulWrapper, Step


class MaskInObservation(StatefulWrapper):
    """Shows a dictionary of the observation and an int8 mask (n,): 1 for each legal action.

    Args:
        env: An environment with discrete actions and `action_masks()`, such as a numeric game.
        key: Of the mask.
        observation_key: Of the observation.

    Raises:
        TypeError: If the environment has no discrete actions, or no masks of them.
        ValueError: If both keys are the same.

    Example:
        >>> import zerogym
        >>> env = MaskInObservation(gym.make("zerogym/TicTacToe-v0", view="numeric", seat=0))
        >>> obs, info = env.reset(seed=0)
        >>> obs["action_mask"].tolist()
        [1, 1, 1, 1, 1, 1, 1, 1, 1]
    """

    changes_observations = True

    def __init__(
        self,
        env: gym.Env[Any, Any],
        key: str = "action_mask",
        observation_key: str = "observation",
    ) -> None:
        super().__init__(env, key=key, observation_key=observation_key)
        if key == observation_key:
            raise ValueError(f"MaskInObservation: both keys are {key!r}")
        actions = env.action_space
        if not isinstance(actions, spaces.Discrete) or not env.has_wrapper_attr("action_masks"):
            raise TypeError(f"MaskInObservation needs discrete actions with masks, {env} has none")
        self.key, self.observation_key = key, observation_key
        mask = spaces.Box(0, 1, (int(actions.n),), np.int8)
        self.observation_space = spaces.Dict({observation_key: env.observation_space, key: mask})

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode."""
        obs, info = self.env.reset(seed=seed, options=options)
        return self._shown(obs), info

    def step(self, action: Any) -> Step:
        """Step the environment."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        return self._shown(obs), reward, terminated, truncated, info

    def _shown(self, obs: Any) -> dict[str, Any]:
        masks = self.env.get_wrapper_attr("action_masks")()
        return {self.observation_key: obs, self.key: np.asarray(masks, np.int8)}
