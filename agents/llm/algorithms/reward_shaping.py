"""What training pays beside the environment: punishment of length, and distance to a reference."""

import numpy as np

from zerogym.agents.llm.algorithms.advantages.group_relative import EpisodeReturn, Floats
from zerogym.agents.trajectory import Trajectory


def soft_overlong_punishment(length: int, limit: int, share: float) -> float:
    """0 up to the buffer before the limit, then down in a line to -1 at the limit.

    "DAPO: An Open-Source LLM Reinforcement Learning System at Scale" (2025, arXiv 2503.14476),
    equation 13.

    Args:
        length: Tokens of a reply.
        limit: Most tokens that a reply may have.
        share: Of the limit that is the buffer, in [0, 1); 0 punishes nothing.

    Example:
        >>> [soft_overlong_punishment(length, 100, 0.2) for length in (80, 90, 100)]
        [0.0, -0.5, -1.0]
    """
    buffer = share * limit
    return max(-1.0, min(0.0, (limit - buffer - length) / buffer)) if buffer else 0.0


def is_truncated(trajectory: Trajectory) -> bool:
    """Whether a reply of the episode was cut before the policy ended it."""
    return any(turn.finish != "stop" for turn in trajectory.replies)


def shaped_returns(
    trajectory: Trajectory, limit: int, overlong: float, penalty: Floats
) -> EpisodeReturn:
    """The reward of an episode with what training takes off.

    Of an episode with several replies the longest is punished (our choice). The reward counts as
    paid at the end, a token's penalty at that token.

    Args:
        trajectory: The episode.
        limit: Most tokens of a reply.
        overlong: The buffer of `soft_overlong_punishment`.
        penalty: What each of the policy's own tokens costs (T,).
    """
    reward = trajectory.reward + _punishment(trajectory, limit, overlong)
    to_go = reward - np.cumsum(penalty[::-1])[::-1]  # (T,)
    return EpisodeReturn(reward - float(penalty.sum()), to_go)


def token_rewards(trajectory: Trajectory, limit: int, overlong: float, penalty: Floats) -> Floats:
    """What each of the policy's own tokens was paid (T,): same arguments as `pay`.

    A turn's reward is paid at the turn's last token (at the last one before it if the turn has
    none), the punishment of length at the last of the episode. What was paid before the policy
    said anything is no merit of a token and is left out.
    """
    rewards: Floats = -penalty
    end = 0
    for turn in trajectory.turns[trajectory.shared :]:
        end += len(turn.action_ids)
        if end:
            rewards[end - 1] += turn.reward
    if end:
        rewards[-1] += _punishment(trajectory, limit, overlong)
    return rewards


def _punishment(trajectory: Trajectory, limit: int, overlong: float) -> float:
    longest = max((len(turn.action_ids) for turn in trajectory.replies), default=0)
    return soft_overlong_punishment(longest, limit, overlong)
