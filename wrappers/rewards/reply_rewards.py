"""Wrappers that change the reward of a reply: form, length, and ablations of the reward itself.

Each leaves `info["score"]` as it was, so that evaluations measure the task and not the shaping.
"""

import re
from collections.abc import Callable
from typing import Any, Literal, get_args

import gymnasium as gym

from zerogym.wrappers.core import Step, TextWrapper

Reward = Literal["true", "noisy", "random", "inverted"]

_MAX_LENGTH = 1_000_000  # characters of a reply whose form is looked at
_TAGS = re.compile(r"</?(?:think|answer)>")
_FORM = ["<think>", "</think>", "<answer>", "</answer>"]


def is_well_formed(reply: str) -> bool:
    """Return whether a reply is `<think>...</think><answer>...</answer>`, with nothing around it.

    Example:
        >>> is_well_formed("<think>2 + 2</think> <answer>4</answer>")
        True
        >>> is_well_formed("<answer>4</answer>")
        False
    """
    reply = reply.strip()
    if len(reply) > _MAX_LENGTH or not reply.startswith(_FORM[0]) or not reply.endswith(_FORM[3]):
        return False
    between = reply.partition(_FORM[1])[2].partition(_FORM[2])[0]
    return _TAGS.findall(reply) == _FORM and not between.strip()


class FormatReward(TextWrapper):
    """Adds a bonus for replies that think and answer in tags, right or wrong.

    Args:
        env: A text environment.
        bonus: Added for each reply that `is_well_formed`; `info["well_formed"]` reports it.

    Source:
        "DeepSeek-R1: Incentivizing Reasoning Capability in LLMs via Reinforcement Learning" (2025,
        arXiv 2501.12948): accuracy and format rewards. The size of the bonus is our choice.
    """

    def __init__(self, env: gym.Env[Any, Any], bonus: float = 0.1) -> None:
        super().__init__(env, bonus=bonus)
        self.bonus = bonus

    def step(self, action: str) -> Step:
        """Score the reply and look at its form."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        fine = is_well_formed(action)
        reward = float(reward) + (self.bonus if fine else 0.0)
        return observation, reward, terminated, truncated, info | {"well_formed": fine}


class LengthPenalty(TextWrapper):
    """Takes up to 1 from overlong replies, softly.

    Nothing up to `limit - margin`, then linear down to -1 at `limit`, -1 above.

    Args:
        env: A text environment.
        limit: Length from which the penalty is 1.
        margin: Length before the limit over which it rises, in (0, limit].
        measure: Length of a reply; characters by default, `lambda text: len(tokenizer(text).ids)`
            for tokens.

    Raises:
        ValueError: If the margin is not in (0, limit].

    Source:
        "DAPO: An Open-Source LLM Reinforcement Learning System at Scale" (2025, arXiv 2503.14476),
        soft overlong punishment, equation 13.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        limit: int = 2048,
        margin: int = 512,
        measure: Callable[[str], int] = len,
    ) -> None:
        if not 0 < margin <= limit:
            raise ValueError(f"margin must be in (0, limit], got {margin} and {limit}")
        super().__init__(env, limit=limit, margin=margin, measure=measure)
        self.limit, self.margin, self.measure = limit, margin, measure

    def step(self, action: str) -> Step:
        """Score the reply and measure it."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        over = self.measure(action) - (self.limit - self.margin)
        penalty = min(1.0, max(0.0, over / self.margin))
        info = info | {"length_penalty": penalty}
        return observation, float(reward) - penalty, terminated, truncated, info


class RewardAblation(TextWrapper):
    """Returns the true reward or one that is wrong on purpose: does the reward matter at all?

    With r in {0, 1}: `true` returns r, `inverted` 1 - r, `random` a coin with chance `share` of 1
    whatever the reply, `noisy` r flipped with chance `share`. Rewards between 0 and 1 are inverted
    and flipped as 1 - r. For single-turn environments: every step has a reward.

    Args:
        env: A text environment with rewards in [0, 1].
        reward: Which of the four.
        share: Of 1s or of flips, in [0, 1].

    Raises:
        ValueError: If an argument is not one of those.

    Source:
        "Spurious Rewards: Rethinking Training Signals in RLVR" (2025, arXiv 2506.10947) and
        "Reasoning or Memorization? Unreliable Results of Reinforcement Learning Due to Data
        Contamination" (RandomCalculation, 2025, arXiv 2507.10532).
    """

    def __init__(self, env: gym.Env[Any, Any], reward: Reward = "true", share: float = 0.5) -> None:
        if reward not in get_args(Reward) or not 0 <= share <= 1:
            raise ValueError(f"reward is one of {get_args(Reward)} and share in [0, 1]")
        super().__init__(env, reward=reward, share=share)
        self.reward, self.share = reward, share

    def step(self, action: str) -> Step:
        """Score the reply and replace the reward."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        true = float(reward)
        drawn = bool(self.np_random.random() < self.share)  # whatever the kind, one draw a step
        kinds = {"true": true, "inverted": 1.0 - true, "random": float(drawn)}
        kinds["noisy"] = kinds["inverted" if drawn else "true"]
        info = info | {"true_reward": true}
        return observation, kinds[self.reward], terminated, truncated, info
