"""Goal-conditioned behavioural cloning: the actor imitates the walks that reached the goal later.

"Learning to Reach Goals via Iterated Supervised Learning" (2019, arXiv 1912.06088), offline and
once. Left out: its rounds of collecting data with what was learnt.
"""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from zerogym.agents.zero_shot.methods.goal_conditioned.base import GoalConditioned, Steps


class GCBC(GoalConditioned):
    """All steps count alike."""

    def networks(self, size: int) -> Mapping[str, nn.Module]:
        """Return none: there is no value."""
        return {}

    def value_loss(self, steps: Steps) -> Tensor:
        """Return 0."""
        return torch.zeros(())

    def advantage(self, steps: Steps) -> Tensor:
        """Return 0 for each step: weight 1."""
        return torch.zeros(len(steps.states))
