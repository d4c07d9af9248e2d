"""Rewards of length: the penalty of DAPO, the reward of Kimi."""

from dataclasses import dataclass

from zerogym.agents.llm.algorithms.batch import Batch
from zerogym.agents.llm.algorithms.episode_tables import Shaping, shaping


@shaping("overlong")
@dataclass(frozen=True)
class Overlong(Shaping):
    """Take off up to 1 as the longest reply of an episode comes near its limit.

    Soft overlong punishment, equation 13. That the longest of several replies counts is our
    choice. The setting `overlong` adds it to another shaping.
    """

    source = (
        "DAPO: An Open-Source LLM Reinforcement Learning System at Scale (2025, arXiv 2503.14476)"
    )
    share: float = 0.2  # share of a reply's limit that is the buffer, in [0, 1); 0: no penalty

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.share < 1:
            raise ValueError(f"overlong: share must be in [0, 1), got {self.share!r}")

    def __call__(self, batch: Batch, limit: int) -> list[list[float]]:
        """Return the penalty of each episode, in [-1, 0]."""
        return [
            [
                soft_overlong_punishment(
                    max((len(turn.action_ids) for turn in sample.trajectory.replies), default=0),
                    limit,
                    self.share,
                )
                for sample in group
            ]
            for group in batch.groups
        ]


@shaping("kimi_length")
@dataclass(frozen=True)
class KimiLength(Shaping):
    """Reward short right episodes and take off from long ones, relative to their group.

    With the length's place p in [0, 1] between the shortest and the longest of the group it is
    `weight (1/2 - p)`, and at most 0 for wrong ones; 0 where all lengths are equal. Lengths are
    those of all own tokens. Left out: the warm-up, in which there is no such reward.
    """

    source = "Kimi k1.5: Scaling Reinforcement Learning with LLMs (2025, arXiv 2501.12599)"
    weight: float = 1.0  # of the length reward; the paper does not print it

    def __call__(self, batch: Batch, limit: int) -> list[list[float]]:
        """Return the length reward of each episode, in `weight [-1/2, 1/2]`."""
        added = []
        for group in batch.groups:
            low = min(sample.tokens for sample in group)
            spread = max(sample.tokens for sample in group) - low
            places = [0.5 - (s.tokens - low) / spread if spread else 0.0 for s in group]
            signed = zip(group, places, strict=True)
            added.append([self.weight * (p if s.correct else min(0.0, p)) for s, p in signed])
        return added


def soft_overlong_punishment(length: int, limit: int, share: float) -> float:
    """Return 0 up to the buffer before the limit, then linearly down to -1 at the limit.

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
