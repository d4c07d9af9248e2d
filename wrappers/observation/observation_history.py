"""Observations and actions of the last steps: `ObservationHistory`, for agents without a memory.

The input of the memory models of "Zero-Shot Reinforcement Learning Under Partial Observability"
(2025, arXiv 2506.15446): the last 32 observations, each with the action before it, at the start
filled up with copies of the first observation. Gymnasium's `FrameStackObservation` has no actions.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.wrappers.arguments import whole
from zerogym.wrappers.core import Start, Step
from zerogym.wrappers.seeded import SeededWrapper
from zerogym.wrappers.vectors import vector_space


class ObservationHistory(SeededWrapper):
    """Observations (n,) become those of the last steps with actions, float32 (length, n + m).

    The newest is the last row. A row is an observation and the action that led to it: as it was
    given, cut off at the bounds of its space, or one-hot where actions are numbered; zeros where
    there was none. `gymnasium.wrappers.FlattenObservation` makes one vector of it.

    Args:
        env: A world whose observations are vectors.
        length: Rows.

    Raises:
        TypeError: If observations are no vectors, or actions neither vectors nor numbered.
        ValueError: If there are no rows.

    Example:
        >>> import zerogym
        >>> env = ObservationHistory(gym.make("zerogym/Pendulum-v0"), length=3)
        >>> _ = env.reset(seed=0)
        >>> env.step([0.5])[0][:, 3].tolist()  # the actions: none, none, the first
        [0.0, 0.0, 0.5]
    """

    def __init__(self, env: gym.Env[Any, Any], length: int = 32) -> None:
        super().__init__(env, length=length)
        inside = vector_space(env, "ObservationHistory")
        self.length = length = whole(length, "ObservationHistory: length", 1)
        low, high = self._bounds(env.action_space)
        rows = (length, 1)
        self.observation_space = spaces.Box(
            np.tile(np.concatenate([inside.low, np.minimum(low, 0.0)]), rows).astype(np.float32),
            np.tile(np.concatenate([inside.high, np.maximum(high, 0.0)]), rows).astype(np.float32),
            dtype=np.float32,
        )
        self._low, self._high = low, high

    def _begin(self, obs: Any, info: dict[str, Any]) -> Start:
        row = np.concatenate([np.asarray(obs, np.float32), np.zeros_like(self._low)])
        self._memory = np.tile(row, (self.length, 1)).astype(np.float32)
        return self._memory.copy(), info

    def step(self, action: Any) -> Step:
        """Step the world, and add a row."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        space = self.env.action_space
        if isinstance(space, spaces.Discrete):
            done = np.eye(int(space.n), dtype=np.float32)[int(action) - int(space.start)]
        else:
            done = np.clip(np.asarray(action, dtype=np.float32), self._low, self._high)
        row = np.concatenate([np.asarray(obs, np.float32), done])
        self._memory = np.concatenate([self._memory[1:], row[None]]).astype(np.float32)
        return self._memory.copy(), reward, terminated, truncated, info

    def _bounds(self, space: spaces.Space[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the bounds of the columns that show an action; (m,) each."""
        if isinstance(space, spaces.Discrete):
            return np.zeros(int(space.n), np.float32), np.ones(int(space.n), np.float32)
        if isinstance(space, spaces.Box) and len(space.shape) == 1:
            return space.low.astype(np.float32), space.high.astype(np.float32)
        raise TypeError(f"ObservationHistory cannot show actions of {space}")
