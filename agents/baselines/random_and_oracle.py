"""The two ends of every scale: the random policy and the oracle, both bound to environments.

They call methods of the environments they play: an observation alone determines neither which
random actions are well-formed, nor the oracle's action.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.errors import NoRewardPossible


class EnvPolicy:
    """Base of policies that take their actions from methods of the environments they play.

    Args:
        envs: The environments of the batch, in the order of the observations.
        seed: Seed of the policy's own generator.
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
        """One action for each environment; the observations are ignored."""
        return [self._act(env) for env in self.envs], None

    def _act(self, env: gym.Env[Any, Any]) -> Any:
        raise NotImplementedError


class RandomPolicy(EnvPolicy):
    """Well-formed, uninformed actions: score 0 of the benchmarks.

    Environments without `random_action` (third-party ones) are sampled from their action space,
    under `info["action_mask"]`'s twin `action_masks()` if they have it.
    """

    def _act(self, env: gym.Env[Any, Any]) -> Any:
        if env.has_wrapper_attr("random_action"):
            return env.get_wrapper_attr("random_action")(self._rng)
        env.action_space.seed(int(self._rng.integers(2**31)))
        discrete = isinstance(env.action_space, gym.spaces.Discrete)
        if discrete and env.has_wrapper_attr("action_masks"):
            mask = np.asarray(env.get_wrapper_attr("action_masks")(), np.int8)
            return env.action_space.sample(mask)
        return env.action_space.sample()


class OraclePolicy(EnvPolicy):
    """The oracle of each environment: its solver, expert, equilibrium or value iteration.

    Where no reward is possible in an episode, one action is as good as another, and random ones
    are made.

    Raises:
        TypeError: If an environment has no `oracle_action`.
    """

    def __init__(self, envs: Sequence[gym.Env[Any, Any]]) -> None:
        super().__init__(envs)
        for env in self.envs:
            if not env.has_wrapper_attr("oracle_action"):
                raise TypeError(f"{env} has no oracle: it must define oracle_action()")

    def _act(self, env: gym.Env[Any, Any]) -> Any:
        try:
            return env.get_wrapper_attr("oracle_action")()
        except NoRewardPossible:
            return env.get_wrapper_attr("random_action")(self._rng)
