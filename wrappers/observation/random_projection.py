"""One world in many disguises: `RandomProjection` of its observations and actions.

The meta-learning task of "Structured State Space Models for In-Context Reinforcement Learning"
(2023, arXiv 2303.03982): observations and actions are linear images of those of the world,
new ones for each episode, so that an agent must find out which. All worlds get the same spaces.
That the rows of the matrices are evenly drawn directions is our choice.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.wrappers.arguments import shown, whole
from zerogym.wrappers.core import Options, Start, Step
from zerogym.wrappers.seeded import SeededWrapper
from zerogym.wrappers.vectors import Vector, vector_space

Matrix = NDArray[np.float64]


class RandomProjection(SeededWrapper):
    """Observations (n,) become `W obs` (N,), actions (M,) in [-1, 1] become `V action` (m,).

    Each number of an observation is the world's along a direction, each motor gets the agent's
    action along a direction, cut off at the motor's bounds.

    Args:
        env: A world whose observations and actions are vectors.
        observations: N, numbers of an observation.
        actions: M, numbers of an action; None leaves the actions as they are.
        every_episode: New directions at each reset; else only at those with a seed.

    Raises:
        TypeError: If observations or actions are no vectors.
        ValueError: If a size is less than 1.

    Example:
        >>> import zerogym
        >>> env = RandomProjection(gym.make("zerogym/CartPole-v0"), observations=8, actions=3)
        >>> env.reset(seed=0)[0].shape, env.action_space.shape
        ((8,), (3,))
    """

    changes_observations = True

    def __init__(
        self,
        env: gym.Env[Any, Any],
        observations: int,
        actions: int | None = None,
        every_episode: bool = True,
    ) -> None:
        super().__init__(
            env, observations=observations, actions=actions, every_episode=every_episode
        )
        observations = whole(observations, "RandomProjection: observations", 1)
        if actions is not None:
            actions = whole(actions, "RandomProjection: actions", 1)
        inside = vector_space(env, "RandomProjection")
        self._inner, self._shape = env.action_space, (observations, inside.shape[0])
        largest = float(np.linalg.norm(np.maximum(np.abs(inside.low), np.abs(inside.high))))
        self.observation_space = spaces.Box(-largest, largest, (observations,), np.float32)
        self.every_episode = every_episode
        if actions is not None:
            if not isinstance(self._inner, spaces.Box) or len(self._inner.shape) != 1:
                raise TypeError(f"RandomProjection needs vectors as actions, not {self._inner}")
            self.action_space = spaces.Box(-1.0, 1.0, (actions,), np.float32)

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Draw directions and start an episode."""
        if self.every_episode or seed is not None:
            self._memory = None
        return super().reset(seed=seed, options=options)

    def _begin(self, obs: Any, info: dict[str, Any]) -> Start:
        if self._memory is None:
            self._memory = {"seen": self._directions(self._shape)}
            if self._acts:
                inner, outer = self._inner.shape, self.action_space.shape
                self._memory["done"] = self._directions((*inner, *outer))  # type: ignore[misc]
        return self._projected(obs), info

    def step(self, action: Any) -> Step:
        """Step the world with the image of the action.

        Raises:
            ValueError: If the action is not the right number of finite numbers.
        """
        if self._acts and self._memory is not None:
            action = self._motors(action)
        obs, reward, terminated, truncated, info = self.env.step(action)
        return self._projected(obs), reward, terminated, truncated, info

    @property
    def _acts(self) -> bool:
        return self.action_space is not self._inner

    def _motors(self, action: Any) -> Vector:
        assert isinstance(self._inner, spaces.Box)
        try:
            given = np.asarray(action, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            given = np.empty(0)
        if given.shape != self.action_space.shape or not np.isfinite(given).all():
            raise ValueError(
                f"RandomProjection: action must be in {self.action_space}, got {shown(action)}"
            )
        motors = self._memory["done"] @ np.clip(given, -1.0, 1.0)
        return np.clip(motors, self._inner.low, self._inner.high).astype(np.float32)

    def _projected(self, obs: Any) -> Vector:
        image = self._memory["seen"] @ np.asarray(obs, dtype=np.float64)
        return np.asarray(image, dtype=np.float32)

    def _directions(self, shape: tuple[int, ...]) -> Matrix:
        """Draw rows of length 1."""
        rows = self.rng.normal(size=shape)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float64)
