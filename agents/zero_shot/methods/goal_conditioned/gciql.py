"""Goal-conditioned implicit Q-learning.

"Offline Reinforcement Learning with Implicit Q-Learning" (2021, arXiv 2110.06169) with a goal
beside the state, as in "OGBench" (2024, arXiv 2410.20092): V learns the expectile of the smaller of
two slow Q over the actions of the data, Q learns r + gamma V(s').
"""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from zerogym.agents.zero_shot.methods.goal_conditioned.base import GoalConditioned, Steps, mlp
from zerogym.agents.zero_shot.methods.goal_conditioned.goals import reached
from zerogym.agents.zero_shot.methods.learner import expectile_loss


class GCIQL(GoalConditioned):
    """Q(s, a, g) twice, and V(s, g)."""

    targets = ("first", "second")

    def networks(self, size: int) -> Mapping[str, nn.Module]:
        """Return both Q and V."""
        hidden = self.settings.hidden
        both = {name: mlp(2 * size + self.actions, hidden, 1) for name in self.targets}
        return {**both, "value": mlp(2 * size, hidden, 1)}

    def q(self, nets: nn.ModuleDict, states: Tensor, actions: Tensor, goals: Tensor) -> Tensor:
        """Return both Q, (2, n)."""
        joint = torch.cat([states, actions, goals], -1)
        return torch.stack([nets[name](joint)[:, 0] for name in self.targets])

    def value(self, states: Tensor, goals: Tensor) -> Tensor:
        """Return V, (n,)."""
        found: Tensor = self.nets["value"](torch.cat([states, goals], -1))[:, 0]
        return found

    def value_loss(self, steps: Steps) -> Tensor:
        """Return the expectile loss of V and the squared errors of both Q."""
        states, actions, goals = steps.states, steps.actions, steps.value_goals
        there = reached(states, goals)  # (n,)
        with torch.no_grad():
            least = self.q(self.slow, states, actions, goals).min(0).values  # (n,)
            after = self.value(steps.following, goals)  # (n,)
            on = self.settings.gamma * (1 - there) * steps.goes_on
            aim = there - 1 + on * after
        error = least - self.value(states, goals)  # (n,)
        loss = expectile_loss(error.detach(), error, self.settings.expectile)
        errors = self.q(self.nets, states, actions, goals) - aim  # (2, n)
        return loss + errors.square().mean(1).sum()

    def advantage(self, steps: Steps) -> Tensor:
        """Return min Q(s, a, g) - V(s, g)."""
        least = self.q(self.nets, steps.states, steps.actions, steps.actor_goals).min(0).values
        return least - self.value(steps.states, steps.actor_goals)
