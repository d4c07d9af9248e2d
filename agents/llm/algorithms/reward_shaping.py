"""Rewards of training beside the task's: the length penalty, and the distance to a reference."""

from zerogym.agents.llm.algorithms.batch import Floats, Sample
from zerogym.agents.trajectory import Trajectory


def soft_overlong_punishment(length: int, limit: int, share: float) -> float:
    """Return 0 up to the buffer before the limit, then linearly down to -1 at the limit.

    "DAPO: An Open-Source LLM Reinforcement Learning System at Scale" (2025, arXiv 2503.14476),
    equation 13.

    Args:
        length: Tokens of a reply.
        limit: Most tokens that a reply may have.
        share: Share of the limit that is the buffer, in [0, 1); 0: no penalty.

    Example:
        >>> [soft_overlong_punishment(length, 100, 0.2) for length in (80, 90, 100)]
        [0.0, -0.5, -1.0]
    """
    buffer = share * limit
    return max(-1.0, min(0.0, (limit - buffer - length) / buffer)) if buffer else 0.0


def is_truncated(trajectory: Trajectory) -> bool:
    """Return whether a reply of the episode was cut before the policy ended it."""
    return any(turn.finish != "stop" for turn in trajectory.replies)


def shaped(trajectory: Trajectory, limit: int, overlong: float, penalty: Floats) -> Sample:
    """Return an episode with length penalty and the penalties of its tokens.

    The length penalty is that of the longest reply (our choice).

    Args:
        trajectory: The episode.
        limit: Most tokens of a reply.
        overlong: The buffer of `soft_overlong_punishment`.
        penalty: Penalty of each of the policy's own tokens (T,).
    """
    longest = max((len(turn.action_ids) for turn in trajectory.replies), default=0)
    return Sample(trajectory, penalty, soft_overlong_punishment(longest, limit, overlong))
