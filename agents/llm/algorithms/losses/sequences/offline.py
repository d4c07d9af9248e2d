"""A-LoL: learning from the better part of given episodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerogym.agents.llm.algorithms.loss_tables import SequenceLoss, sequence_loss

if TYPE_CHECKING:
    import torch


@sequence_loss("a_lol")
@dataclass(frozen=True)
class ALol(SequenceLoss):
    """Train on episodes better than expected alone: `-A sg(clip(R, 1 - clip, 1 + clip)) log R`.

    `A = max(r - mean r, 0)`, R is the ratio of an episode's probability to that under the policy
    that sampled it, and sg stops the gradient: an episode that is no better than the mean has none.
    The paper expects the reward by a value layer on the frozen reference model; here it is the mean
    of the group (our choice). Left out: that layer, sampling in proportion to the advantage,
    ratios of single tokens.
    """

    source = (
        "Leftover Lunch: Advantage-based Offline Reinforcement Learning for Language Models (2023, "
        "arXiv 2305.14718)"
    )

    clip: float = 0.9  # distance of the ratio's bounds from 1, at least 0; as the authors' code

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.clip < 0:
            raise ValueError(f"clip must be at least 0, got {self.clip!r}")

    def __call__(self, scores: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
        """Return the mean over the group."""
        advantages = (returns - returns.mean()).clamp(min=0)  # (G,)
        weight = scores.detach().exp().clamp(1 - self.clip, 1 + self.clip)  # (G,)
        return -(advantages * weight * scores).mean()
