"""A second player in the motors: `ActionAdversary`.

The noisy action robust MDP of "Action Robust Reinforcement Learning and Applications in Continuous
Control" (2019, arXiv 1901.09184). Left out: its probabilistic kind, and adversaries with channels
of their own, which are the `push` of the MuJoCo worlds.
"""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray


class ActionAdversary(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """What is done is `(1 - share)` of the agent's action and `share` of the adversary's.

    `info["adversary"]` is the adversary's action.

    Args:
        env: A world with continuous actions.
        adversary: A function from an observation to an action: a worst case, or an agent.
        share: Of the action that is the adversary's, in [0, 1].

    Raises:
        TypeError: If the actions are not continuous.
        ValueError: If it is no share, or in a step if the adversary's action is none.

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
        self, env: gym.Env[Any, Any], adversary: Callable[[Any], Any], share: float = 0.1
    ) -> None:
        RecordConstructorArgs.__init__(self, adversary=adversary, share=share)
        gym.Wrapper.__init__(self, env)
        if not isinstance(env.action_space, spaces.Box):
            raise TypeError(f"ActionAdversary needs continuous actions, not {env.action_space}")
        if not 0 <= share <= 1:
            raise ValueError(f"ActionAdversary: share must lie in [0, 1], got {share}")
        self._space, self._adversary, self.share = env.action_space, adversary, share
        self._obs: Any = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        self._obs, info = self.env.reset(seed=seed, options=options)
        return self._obs, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Both act."""
        against = self._checked(self._adversary(np.copy(self._obs)))
        own = np.asarray(action, dtype=np.float32)
        if own.shape == self._space.shape:  # else the world says what is wrong with it
            own = np.clip(own, self._space.low, self._space.high)
            own = ((1.0 - self.share) * own + self.share * against).astype(np.float32)
        self._obs, reward, terminated, truncated, info = self.env.step(own)
        return self._obs, reward, terminated, truncated, info | {"adversary": against}

    def get_state(self) -> dict[str, Any]:
        """A snapshot of the world; the adversary is a function of what it sees."""
        inside = self.env.get_wrapper_attr("get_state")()
        return {"env": inside, "obs": np.copy(self._obs)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot; it can be used any number of times."""
        self.env.get_wrapper_attr("set_state")(state["env"])
        self._obs = np.copy(state["obs"])

    def _checked(self, action: Any) -> NDArray[np.float32]:
        given = np.asarray(action, dtype=np.float32)
        if not self._space.contains(given):
            raise ValueError(
                f"ActionAdversary: the adversary's action must be in {self._space}, "
                f"got {str(action)[:60]}"
            )
        return given
