"""Goal-conditioned implicit V-learning: a value of states by expectile regression.

The action-free part of "HIQL: Offline Goal-Conditioned RL with Latent States as Actions" (2023,
arXiv 2307.11949), as "OGBench" (2024, arXiv 2410.20092) has it alone. Of two values, each learns
from its own target; the advantage that weighs an error is that of the smaller targets. HIQL's
subgoals are in `hiql.py`.
"""

from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from zerogym.agents.zero_shot.methods.goal_conditioned.base import GoalConditioned, Steps, mlp
from zerogym.agents.zero_shot.methods.goal_conditioned.goals import reached

PAIR = ("first", "second")


class GCIVL(GoalConditioned):
    """V(s, g) twice."""

    targets: ClassVar[tuple[str, ...]] = PAIR

    def networks(self, size: int) -> Mapping[str, nn.Module]:
        """Return both values."""
        return {name: mlp(2 * size, self.settings.hidden, 1) for name in PAIR}

    def values(self, nets: nn.ModuleDict, states: Tensor, goals: Tensor) -> Tensor:
        """Return both values, (2, n)."""
        both = torch.cat([states, goals], -1)
        return torch.stack([nets[name](both)[:, 0] for name in PAIR])

    def value_loss(self, steps: Steps) -> Tensor:
        """Return the expectile loss of both values."""
        goals, gamma, expectile = steps.value_goals, self.settings.gamma, self.settings.expectile
        there = reached(steps.states, goals)  # (n,)
        reward, on = there - 1, gamma * (1 - there) * steps.goes_on  # (n,) each
        with torch.no_grad():
            after = self.values(self.slow, steps.following, goals)  # (2, n)
            before = self.values(self.slow, steps.states, goals).mean(0)  # (n,)
            advantage = reward + on * after.min(0).values - before
            aims = reward + on * after  # (2, n)
        found = self.values(self.nets, steps.states, goals)  # (2, n)
        weight = torch.where(advantage < 0, 1 - expectile, expectile)
        return (weight * (aims - found).square()).mean(1).sum()

    def advantage(self, steps: Steps) -> Tensor:
        """Return V(s', g) - V(s, g)."""
        before = self.values(self.nets, steps.states, steps.actor_goals).mean(0)
        return self.values(self.nets, steps.following, steps.actor_goals).mean(0) - before
