"""Losses that take right and wrong episodes as labels: PACS and NFT.

An episode is right if its return is above 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerogym.agents.llm.algorithms.loss_tables import SequenceLoss, sequence_loss

if TYPE_CHECKING:
    import torch


@sequence_loss("pacs")
@dataclass(frozen=True)
class Pacs(SequenceLoss):
    """Classify episodes by scores relative to the others': `BCE(sigmoid(z), right)`.

    `z = beta (s - mean of the others' s)`, s the log-ratio of an episode to the policy that sampled
    it. On-policy the gradient is beta times that of RLOO. Left out: the balance of classes.
    """

    source = (
        "Implicit Actor Critic Coupling via a Supervised Learning Framework for RLVR (2025, arXiv "
        "2509.02522)"
    )

    beta: float = 1.0  # scale of the scores, above 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beta <= 0:
            raise ValueError(f"beta must be above 0, got {self.beta!r}")

    def __call__(self, scores: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
        """Return the mean cross-entropy of the group."""
        from torch.nn.functional import binary_cross_entropy_with_logits

        others = (scores.sum() - scores) / (len(scores) - 1)  # (G,)
        logits = self.beta * (scores - others)  # (G,)
        return binary_cross_entropy_with_logits(logits, (returns > 0).to(logits))


@sequence_loss("nft")
@dataclass(frozen=True)
class Nft(SequenceLoss):
    """Train on right episodes by `-log R` and on wrong ones by `-log((1 - q R) / (1 - q))`.

    R is the ratio of an episode's probability to that under the policy that sampled it, q the share
    of right ones in its group. On-policy the gradient is that of Dr. GRPO divided by 1 - q. Groups
    that are all right or all wrong have none. Left out: ratios of single tokens, a gradient below
    the floor.
    """

    source = (
        "Bridging Supervised Learning and Reinforcement Learning in Math Reasoning (2025, arXiv "
        "2505.18116)"
    )

    floor: float = 1e-3  # least (1 - q R) / (1 - q), below which there is no gradient (our choice)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.floor <= 0:
            raise ValueError(f"floor must be above 0, got {self.floor!r}")

    def __call__(self, scores: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
        """Return the mean over the group."""
        right = (returns > 0).to(scores)  # (G,)
        share = float(right.mean())
        if share in (0.0, 1.0):
            return 0 * scores.sum()
        rest = (1 - share * scores.exp()) / (1 - share)  # (G,)
        gain = scores.where(right == 1, rest.clamp(min=self.floor).log())  # (G,)
        return -gain.mean()
