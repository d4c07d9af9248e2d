"""Wrappers that change how much of a text episode an agent sees: `FullHistory`.

Left out: summarising or cutting long histories; texts beyond the space's length raise.
"""

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from zerogym.envs.spaces import DEFAULT_MAX_LENGTH, Utf8Text


class FullHistory(gym.Wrapper[str, str, str, str], RecordConstructorArgs):
    """Shows the whole episode so far instead of only the text that is new.

    Use it for policies without a memory of their own: zerogym's text environments return what is
    new since the last turn, and a language-model policy keeps the conversation.

    Args:
        env: A text environment.
        prefix: Written before each of the agent's replies.
        max_length: Most characters of an observation.

    Raises:
        TypeError: If observations or actions of `env` are not texts.
        ValueError: In `step`, if the history outgrows `max_length`.

    Example:
        >>> import zerogym
        >>> env = FullHistory(gym.make("zerogym/RandomCalculation-v0", difficulty=0))
        >>> prompt, _ = env.reset(seed=2)
        >>> print(env.step("8 - 3 = 5")[0])
        Calculate 8 - 3.
        Give the final answer as <answer>...</answer>.
        > 8 - 3 = 5
        Correct.
    """

    def __init__(
        self, env: gym.Env[str, str], prefix: str = "> ", max_length: int = DEFAULT_MAX_LENGTH
    ) -> None:
        RecordConstructorArgs.__init__(self, prefix=prefix, max_length=max_length)
        gym.Wrapper.__init__(self, env)
        for space in (env.observation_space, env.action_space):
            if not isinstance(space, gym.spaces.Text):
                raise TypeError(f"FullHistory needs a text environment, {env} has {space}")
        self.prefix = prefix
        self.observation_space = Utf8Text(max_length)
        self._history = ""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start an episode with an empty history."""
        self._history, info = self.env.reset(seed=seed, options=options)
        return self._history, info

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Append the reply and what the environment says to it."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        history = f"{self._history}\n{self.prefix}{action}\n{observation}"
        if history not in self.observation_space:
            raise ValueError(
                f"the history has {len(history)} characters, more than max_length of FullHistory"
            )
        self._history = history
        return self._history, float(reward), terminated, truncated, info
