"""Rewards of single turns that count only if the episode ends well: `GatedReward`.

Left out: more than two levels of rewards, each the gate of the one below it.
"""

from typing import Any

import gymnasium as gym

from zerogym.wrappers.arguments import number
from zerogym.wrappers.core import Options, Start, StatefulWrapper, Step


class GatedReward(StatefulWrapper):
    """Adds up the rewards of turns, and grants their sum only if the long-term reward is enough.

    The long-term reward is `info["score"]` of the last turn, 0 if there is none; everything else
    that the environment and the wrappers inside have granted is immediate. Each turn but the last
    has reward 0; the last one has the long-term reward, and with it the sum of the immediate ones
    if the long-term reward is at least `threshold`.

    `info["immediate"]` is that sum at the end, `info["gate"]` whether it was granted.

    Args:
        env: An environment of several turns; what adds rewards to turns goes inside.
        threshold: The long-term reward from which immediate ones count.

    Raises:
        ValueError: If the threshold is no finite number.

    Source:
        "Stabilizing Long-term Multi-turn Reinforcement Learning with Gated Rewards" (2025, arXiv
        2508.10548): gated reward accumulation.
    """

    def __init__(self, env: gym.Env[Any, Any], threshold: float = 1.0) -> None:
        super().__init__(env, threshold=threshold)
        self.threshold = number(threshold, "GatedReward: threshold")

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode."""
        self._memory = 0.0
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> Step:
        """Step the environment and keep its reward back until the end."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._memory += float(reward)
        if not (terminated or truncated):
            return observation, 0.0, terminated, truncated, info
        long_term = float(info.get("score", 0.0))
        immediate, passed = self._memory - long_term, long_term >= self.threshold
        total = long_term + (immediate if passed else 0.0)
        info = info | {"immediate": immediate, "gate": passed}
        return observation, total, terminated, truncated, info
