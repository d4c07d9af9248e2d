"""A reward for each call of a tool: `CallReward`."""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from zerogym.wrappers.arguments import number
from zerogym.wrappers.core import Step
from zerogym.wrappers.tools.calls_in_reply import ToolCallWrapper


class CallReward(ToolCallWrapper):
    """Adds a reward to every turn for the calls of its reply, whether they are of use or not.

    The immediate rewards that are often given to agents with tools, for viewing a file or for a
    well-formed action. A policy can collect them without doing the task: put the wrapper inside
    `GatedReward` where that matters. Calls that cannot be run have none. `info["score"]` stays as
    it was; `info["call_reward"]` is what was added in this turn.

    Args:
        env: A `ToolWorld`, or an environment inside `WithTools`.
        rewards: By tool, for each of its calls; other tools have none.

    Raises:
        ValueError: If a reward is no finite number.
        TypeError: If the environment has no tools.

    Source:
        The immediate rewards of "Stabilizing Long-term Multi-turn Reinforcement Learning with Gated
        Rewards" (2025, arXiv 2508.10548).

    Example:
        >>> import zerogym
        >>> from zerogym.wrappers import CallReward, GatedReward
        >>> world = zerogym.make("zerogym/RepoFix-v0", difficulty=0)
        >>> env = GatedReward(CallReward(world, {"read_file": 0.1}))
    """

    def __init__(self, env: gym.Env[Any, Any], rewards: Mapping[str, float]) -> None:
        super().__init__(env, rewards=rewards)
        self.rewards = {
            tool: number(reward, f"CallReward: reward of {tool}")
            for tool, reward in rewards.items()
        }

    def step(self, action: str) -> Step:
        """Step the environment; add the rewards of the calls."""
        added = sum(self.rewards.get(call.tool, 0.0) for call in self.calls(action))
        observation, reward, terminated, truncated, info = self.env.step(action)
        info = info | {"call_reward": added}
        return observation, float(reward) + added, terminated, truncated, info
