"""A second player in the sensors: `ObservationAdversary`.

The state-adversarial MDP of "Robust Deep Reinforcement Learning against Adversarial Perturbations
on State Observations" (2020, arXiv 2003.08938): the world goes on from the true state, which also
determines the reward, and the agent sees another one nearby, within a bound on each number. The
bound on how fast it may change is that of "Game-Theoretic Robust Reinforcement Learning Handles
Temporally-Coupled Perturbations" (2023, arXiv 2307.12062). Left out: attacks that follow an agent's
gradients (give them as `adversary`), and the adversary as a player (`AdversaryGame`), which here
would move first.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from zerogym.wrappers.adversaries.base import Adversary, adversary_action, limited
from zerogym.wrappers.arguments import above_zero, check_function
from zerogym.wrappers.core import Start, Step
from zerogym.wrappers.observation.partial_observation import Sensed, columns_of, widened
from zerogym.wrappers.vectors import Vector, vector_space


class ObservationAdversary(Sensed):
    """Observations are the world's (n,) plus `epsilon` times the adversary's action (n,).

    The adversary sees the true observation first and acts in [-1, 1] on each number; it does so
    after `reset`, too. `info["adversary"]` is its action, with `change` what was left of it.

    Args:
        env: A world whose observations are vectors.
        adversary: A function from the observation at this place among the wrappers to an action: a
            worst case, or an agent. None acts evenly at random, as noise does.
        epsilon: Greatest difference from the true observation, in its units; of all columns or of
            each.
        change: By how much an action may differ from the last one on each number, at the start
            from 0; more is cut off. None: by any amount.

    Raises:
        TypeError: If the observations are no vectors.
        ValueError: If an argument is out of its range, or in a step or reset if the adversary's
            action is.

    Example:
        >>> import zerogym
        >>> world = gym.make("zerogym/CartPole-v0")
        >>> env = ObservationAdversary(world, lambda obs: [1.0, 0.0, 0.0, 0.0, 0.0], epsilon=0.5)
        >>> env.reset(options={"start": [0.0, 1.0, 0.0, 0.0, 0.0]})[0].tolist()
        [0.5, 1.0, 0.0, 0.0, 0.0]
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        adversary: Adversary | None = None,
        epsilon: float | Sequence[float] = 0.1,
        change: float | None = None,
    ) -> None:
        super().__init__(env, adversary=adversary, epsilon=epsilon, change=change)
        space = vector_space(env, "ObservationAdversary")
        self._epsilon = columns_of(epsilon, space.shape[0], "ObservationAdversary: epsilon")
        check_function(adversary, "ObservationAdversary: adversary")
        self.adversary = adversary
        self.change = above_zero(change, "ObservationAdversary: change")
        self.adversary_space = spaces.Box(-1.0, 1.0, space.shape, np.float32)
        self.observation_space = self._space = widened(space, self._epsilon)

    def _begin(self, obs: Any, info: dict[str, Any]) -> Start:
        self._memory = np.zeros(self._space.shape, dtype=np.float32)
        obs, info = super()._begin(obs, info)
        return obs, info | {"adversary": self._memory.copy()}

    def step(self, action: Any) -> Step:
        """Step the world, and let the adversary change the observation."""
        obs, reward, terminated, truncated, info = super().step(action)
        return obs, reward, terminated, truncated, info | {"adversary": self._memory.copy()}

    def sensed(self, observation: Vector) -> Vector:
        """Return an observation as the adversary changes it."""
        act = adversary_action(self, self.adversary, observation.copy(), self.adversary_space)
        self._memory = limited(act, self._memory, self.change).astype(np.float32)
        changed = (observation + self._epsilon * self._memory).astype(np.float32)
        return np.clip(changed, self._space.low, self._space.high)
