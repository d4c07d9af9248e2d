"""A reward of one's own, as a function of prompt, reply and info: `RewardFunction`.

It may be an object, the name that an installed package declares as an entry point of the group
`zerogym.rewards`, or `module:Name`. What a file of a run names so is refused
(`envs/recorded.py`). Left out: rewards of several replies at once (comparisons), and of transitions
of control environments, which take functions as `task`.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium as gym

from zerogym.envs.extensions import REWARDS, find_extension
from zerogym.envs.references import load_reference
from zerogym.wrappers.core import Options, Start, Step, TextWrapper

Reward = Callable[[str, str, Mapping[str, Any]], float]  # of what was observed, reply and info


class RewardFunction(TextWrapper):
    """Adds the value of a function to the reward of each reply.

    `info["score"]` stays as it was; `info["own_reward"]` is the value.

    Args:
        env: A text environment.
        reward: A function of (observation, reply, info) that returns a number, a class of such
            objects, or the name of one: `module:Name`, or that of an entry point.
        weight: The value is multiplied by it.
        keep: Whether the environment's own reward is kept; otherwise the value replaces it.
        arguments: Of the class.

    Raises:
        UnknownName, CannotImport: If there is no reward of this name.
        TypeError: If it is nothing that can be called, or a function has arguments.

    Example:
        >>> import zerogym
        >>> task = gym.make("zerogym/RandomCalculation-v0", difficulty=0)
        >>> env = RewardFunction(task, lambda observed, reply, info: -0.01 * len(reply))
        >>> _ = env.reset(seed=2)
        >>> round(env.step("<answer>5</answer>")[1], 2)
        0.82
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        reward: str | Reward | type[Any],
        weight: float = 1.0,
        keep: bool = True,
        arguments: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(env, reward=reward, weight=weight, keep=keep, arguments=arguments)
        self.weight, self.keep = weight, keep
        self._name = reward if isinstance(reward, str) else getattr(reward, "__name__", str(reward))
        self._reward = find_reward(reward, arguments or {})

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode."""
        self._memory, info = self.env.reset(seed=seed, options=options)  # what was observed last
        return self._memory, info

    def step(self, action: str) -> Step:
        """Take a step, and compute the value of the reply.

        Raises:
            ValueError: If the value is no finite number.
        """
        observation, reward, terminated, truncated, info = self.env.step(action)
        value = float(self._reward(self._memory, action, info))
        if not math.isfinite(value):
            raise ValueError(f"the reward {self._name} of a reply is {value}")
        self._memory = observation
        total = (float(reward) if self.keep else 0.0) + self.weight * value
        return observation, total, terminated, truncated, info | {"own_reward": value}


def find_reward(reward: str | Reward | type[Any], arguments: Mapping[str, Any]) -> Reward:
    """Return the function of a name, a class or a function.

    Raises:
        UnknownName, CannotImport: If there is no reward of this name.
        TypeError: If it is nothing that can be called, or a function has arguments.
    """
    found: Any = reward
    if isinstance(reward, str):
        by_module = ":" in reward
        found = (
            load_reference(reward, "reward")
            if by_module
            else find_extension(REWARDS, reward, "reward")
        )
    if isinstance(found, type):
        found = found(**arguments)
    elif arguments:
        raise TypeError(f"the reward {reward!r:.80} is no class: it has no arguments")
    if not callable(found):
        raise TypeError(f"the reward {reward!r:.80} cannot be called")
    function: Reward = found
    return function
