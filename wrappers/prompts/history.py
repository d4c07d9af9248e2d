"""The whole text of an episode as its observation: `FullHistory`.

Left out: summarising or cutting long histories; texts beyond the space's length raise.
"""

import gymnasium as gym

from zerogym.envs.spaces import DEFAULT_MAX_LENGTH, Utf8Text
from zerogym.wrappers.core import Options, Start, Step, TextWrapper


class FullHistory(TextWrapper):
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
        super().__init__(env, prefix=prefix, max_length=max_length)
        self.prefix = prefix
        self.observation_space = Utf8Text(max_length)

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode with an empty history."""
        self._memory, info = self.env.reset(seed=seed, options=options)  # the history
        return self._memory, info

    def step(self, action: str) -> Step:
        """Append the reply and the environment's answer to it."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        history = f"{self._memory}\n{self.prefix}{action}\n{observation}"
        if history not in self.observation_space:
            raise ValueError(
                f"the history has {len(history)} characters, more than max_length of FullHistory"
            )
        self._memory = history
        return history, float(reward), terminated, truncated, info
