"""Losses that regress scores on rewards: REBEL and the mirror descent of Kimi k1.5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerogym.agents.llm.algorithms.loss_tables import SequenceLoss, sequence_loss

if TYPE_CHECKING:
    import torch


@sequence_loss("rebel")
@dataclass(frozen=True)
class Rebel(SequenceLoss):
    """Regress differences of scores on those of returns: `((s_i - s_j) / eta - (r_i - r_j))^2`.

    s is the log-ratio of an episode to the policy that sampled it; the mean is over all pairs of a
    group. Left out: pairs of the best and the worst alone.
    """

    source = (
        "REBEL: Reinforcement Learning via Regressing Relative Rewards (2024, arXiv 2404.16767)"
    )

    eta: float = 1.0  # step size, above 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.eta <= 0:
            raise ValueError(f"eta must be above 0, got {self.eta!r}")

    def __call__(self, scores: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
        """Return the mean squared error over all pairs."""
        residual = scores / self.eta - returns  # (G,)
        differences = residual[:, None] - residual[None, :]  # (G, G)
        pairs = len(scores) * (len(scores) - 1)
        return differences.square().sum() / pairs


@sequence_loss("kimi")
@dataclass(frozen=True)
class Kimi(SequenceLoss):
    """Weigh scores by centred returns and hold them near 0: `-(r - mean r) s + (tau / 2) s^2`.

    s is the log-ratio of an episode to the policy that sampled it. Left out: the length reward,
    sampling by success, partial rollouts.
    """

    source = "Kimi k1.5: Scaling Reinforcement Learning with LLMs (2025, arXiv 2501.12599)"

    tau: float = 0.1  # weight of the regularisation, at least 0 (our choice)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tau < 0:
            raise ValueError(f"tau must be at least 0, got {self.tau!r}")

    def __call__(self, scores: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
        """Return the mean over the group."""
        gain = (returns - returns.mean()) * scores  # (G,)
        return (self.tau / 2 * scores.square() - gain).mean()
