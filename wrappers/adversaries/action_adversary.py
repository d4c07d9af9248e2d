"""A second player in the motors: `ActionAdversary`.

Both kinds of "Action Robust Reinforcement Learning and Applications in Continuous Control" (2019,
arXiv 1901.09184): the noisy action robust MDP mixes two actions, the probabilistic one does the
adversary's now and then. The bound on how fast its action may change is that of "Game-Theoretic
Robust Reinforcement Learning Handles Temporally-Coupled Perturbations" (2023, arXiv 2307.12062).
Forces are another file, `push_adversary.py`.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.wrappers.adversaries.base import Adversary, AdversaryWrapper, limited
from zerogym.wrappers.arguments import number


class ActionAdversary(AdversaryWrapper):
    """Actions are mixed: `(1 - share)` of the agent's action and `share` of the adversary's.

    `info["adversary"]` is the adversary's action, with `change` before it is cut off.

    Args:
        env: A world with continuous actions.
        adversary: A function from an observation to an action: a worst case, or an agent. None
            acts evenly at random.
        share: Of the action that is the adversary's, in [0, 1].
        takes_over: Instead of mixing, do the adversary's action with probability `share`, and
            else the agent's.
        change: By how much its action may differ from the last one in each number, at the start
            from 0; more is cut off. None: by any amount.

    Raises:
        TypeError: If the actions are not continuous.
        ValueError: If it is no share, or no change, or in a step if the adversary's action is none.

    Example:
        >>> import zerogym
        >>> world = gym.make("zerogym/Pendulum-v0")
        >>> env = ActionAdversary(world, lambda obs: [-1.0], share=0.5)
        >>> start = {"start": (1.0, 0.0, 0.0)}
        >>> _ = env.reset(options=start)
        >>> float(env.step([1.0])[0][2])  # both cancel out
        0.0
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        adversary: Adversary | None = None,
        share: float = 0.1,
        takes_over: bool = False,
        change: float | None = None,
    ) -> None:
        share = number(share, "ActionAdversary: share", 0, 1)
        super().__init__(env, adversary, change, share=share, takes_over=takes_over)
        if not isinstance(env.action_space, spaces.Box):
            raise TypeError(f"ActionAdversary needs continuous actions, not {env.action_space}")
        self.adversary_space, self.share, self.takes_over = env.action_space, share, takes_over

    def _initial_memory(self) -> dict[str, Any]:
        space = self.adversary_space
        return {"last": np.clip(np.zeros(space.shape), space.low, space.high)}

    def _combined(self, action: Any, against: NDArray[np.float32]) -> Any:
        against = limited(against, self._memory["last"], self.change).astype(np.float32)
        self._memory["last"] = against
        try:
            own = np.asarray(action, dtype=np.float32)
        except (TypeError, ValueError, OverflowError):
            return action  # the environment refuses it
        if own.shape != against.shape or not np.isfinite(own).all():
            return own
        if self.takes_over:
            return against if self.rng.random() < self.share else own
        own = np.clip(own, self.adversary_space.low, self.adversary_space.high)
        return ((1.0 - self.share) * own + self.share * against).astype(np.float32)
