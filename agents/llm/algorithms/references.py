"""The model that a divergence is measured from: the start of the run, or one that follows.

A part says what becomes of a weight of the reference model after an update.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerogym.agents.llm.algorithms.loss_tables import Reference, reference

if TYPE_CHECKING:
    import torch


@reference("start")
@dataclass(frozen=True)
class Start(Reference):
    """Keep the model that the run began with."""

    source = (
        "Training language models to follow instructions with human feedback (2022, arXiv "
        "2203.02155)"
    )

    def __call__(self, old: torch.Tensor, new: torch.Tensor, updates: int) -> torch.Tensor:
        """Return the old weight."""
        return old


@reference("ema")
@dataclass(frozen=True)
class Ema(Reference):
    """Follow the policy by a moving average: `decay old + (1 - decay) new` after each update.

    The distance is then to where the policy has been of late, which lets it go further. Left out:
    the paper's normalisation of the divergence.
    """

    source = (
        "T1: Advancing Language Model Reasoning through Reinforcement Learning and Inference "
        "Scaling (2025, arXiv 2501.11651)"
    )
    follows = True

    decay: float = 0.99  # share of the old weights that stays, in [0, 1) (our choice)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.decay < 1:
            raise ValueError(f"decay must be in [0, 1), got {self.decay!r}")

    def __call__(self, old: torch.Tensor, new: torch.Tensor, updates: int) -> torch.Tensor:
        """Return the average of the old weight and that of the policy."""
        return self.decay * old + (1 - self.decay) * new


@reference("reset")
@dataclass(frozen=True)
class Reset(Reference):
    """Replace it by a copy of the policy every so many updates.

    Left out: the reset of the optimiser, and the choice of the moment by the validation score.
    """

    source = (
        "ProRL: Prolonged Reinforcement Learning Expands Reasoning Boundaries in Large Language "
        "Models (2025, arXiv 2505.24864)"
    )
    follows = True

    every: int = 100  # updates between two copies, at least 1 (our choice)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.every < 1:
            raise ValueError(f"every must be at least 1, got {self.every!r}")

    def __call__(self, old: torch.Tensor, new: torch.Tensor, updates: int) -> torch.Tensor:
        """Return the policy's weight at multiples of `every`, else the old one."""
        return old if updates % self.every else new
