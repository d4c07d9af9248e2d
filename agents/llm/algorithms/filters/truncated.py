"""The overlong filter: episodes with a cut reply have no gradient."""

from dataclasses import dataclass

import numpy as np

from zerogym.agents.llm.algorithms.episode_tables import Filter, Groups, episode_filter
from zerogym.agents.trajectory import Trajectory


@episode_filter("truncated")
@dataclass(frozen=True)
class Truncated(Filter):
    """Mask episodes of which a reply was cut: their rewards say nothing of what they would be.

    Overlong filtering of the paper. They count in the advantages of their group; their tokens
    are not in the divisors of the loss. `mask_truncated` adds it to another filter.
    """

    source = (
        "DAPO: An Open-Source LLM Reinforcement Learning System at Scale (2025, arXiv 2503.14476)"
    )
    masks = True

    def __call__(self, groups: Groups, rng: np.random.Generator) -> list[list[bool]]:
        """Return whether the policy ended every reply of an episode."""
        return [[not is_truncated(item) for item in group] for group in groups]


def is_truncated(trajectory: Trajectory) -> bool:
    """Return whether a reply of the episode was cut before the policy ended it."""
    return any(turn.finish != "stop" for turn in trajectory.replies)
