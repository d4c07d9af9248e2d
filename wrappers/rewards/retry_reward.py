"""A bonus for searching again: `RetryReward`."""

from typing import Any

import gymnasium as gym

from zerogym.wrappers.arguments import number
from zerogym.wrappers.core import Options, Start, Step
from zerogym.wrappers.tools.calls_in_reply import ToolCallWrapper

MOST = 5  # searches after which the bonus rises no more


def retry_bonus(searches: int, several_at_once: bool) -> float:
    """Return the bonus of an episode that ended with an answer, from 0 to 0.95.

    With n searches it is `0.2 + 0.15 min(n, 5)`, 0 without any, and half of it if a reply had more
    than one.

    Example:
        >>> [round(retry_bonus(n, False), 2) for n in (0, 1, 2, 5, 9)], retry_bonus(2, True)
        ([0.0, 0.35, 0.5, 0.95, 0.95], 0.25)
    """
    if searches == 0:
        return 0.0
    bonus = 0.2 + 0.15 * min(searches, MOST)
    return bonus / 2 if several_at_once else bonus


class RetryReward(ToolCallWrapper):
    """Adds `retry_bonus` at the end of an episode, if it ends with an answer, right or wrong.

    A search is a call of `tool` that can be run, whatever it finds. An episode that is cut off or
    ends without an answer has no bonus. `info["score"]` stays as it was; `info["retry_bonus"]` is
    what was added.

    Args:
        env: A `ToolWorld`, or an environment inside `WithTools`.
        tool: The tool whose calls count.
        weight: Of the bonus, at least 0.

    Raises:
        ValueError: If the weight is no number >= 0.
        TypeError: If the environment has no tools.

    Source:
        "ReZero: Enhancing LLM search ability by trying one-more-time" (2025, arXiv 2504.11001); the
        numbers are those of its public code. Its rewards of form and of strategy are left out.
    """

    def __init__(self, env: gym.Env[Any, Any], tool: str = "search", weight: float = 1.0) -> None:
        super().__init__(env, tool=tool, weight=weight)
        self.tool, self.weight = tool, number(weight, "RetryReward: weight", 0.0)

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode."""
        self._memory = {"searches": 0, "several": False}
        return self.env.reset(seed=seed, options=options)

    def step(self, action: str) -> Step:
        """Step the environment; add the bonus at the end."""
        searches = sum(call.tool == self.tool for call in self.calls(action))
        memory: dict[str, Any] = self._memory
        memory["searches"] += searches
        memory["several"] |= searches > 1
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            answered = terminated and info.get("answer_format", "none") != "none"
            bonus = retry_bonus(memory["searches"], memory["several"]) if answered else 0.0
            info = info | {"retry_bonus": self.weight * bonus}
            reward = float(reward) + self.weight * bonus
        return observation, float(reward), terminated, truncated, info
