"""Contrastive reinforcement learning: find the states that follow a step among others.

"Contrastive Learning as Goal-Conditioned Reinforcement Learning" (2022, arXiv 2206.07568): the
scores f(s, a, g) = phi(s, a) . psi(g) / sqrt(d) of a batch, with goals a geometric time ahead, are
trained so that each step finds its own goal (binary cross-entropy over all pairs). At the optimum f
is log p(g | s, a) / p(g) up to a constant. A second one without actions is the value in the
advantage, as in "OGBench" (2024, arXiv 2410.20092). Left out: its actor by the gradient of f.
"""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from zerogym.agents.zero_shot.methods.goal_conditioned.base import GoalConditioned, Steps, mlp
from zerogym.agents.zero_shot.methods.goal_conditioned.goals import FUTURE_GOALS

WIDTH = 64  # d, entries of phi and psi


def contrastive_loss(scores: Tensor) -> Tensor:
    """Return the mean binary cross-entropy of scores (n, n), whose diagonal are the true pairs."""
    pairs = torch.eye(len(scores))
    return nn.functional.binary_cross_entropy_with_logits(scores, pairs)


class CRL(GoalConditioned):
    """Scores of goals, with and without the action."""

    value_goals = FUTURE_GOALS

    def networks(self, size: int) -> Mapping[str, nn.Module]:
        """Return phi and psi of both scores."""
        hidden = self.settings.hidden
        return {
            "step": mlp(size + self.actions, hidden, WIDTH),
            "step_goal": mlp(size, hidden, WIDTH),
            "state": mlp(size, hidden, WIDTH),
            "state_goal": mlp(size, hidden, WIDTH),
        }

    def embedded(self, steps: Steps, goals: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return phi(s, a), psi(g), phi(s), psi(g) of the two scores; (n, d) each."""
        nets = self.nets
        return (
            nets["step"](torch.cat([steps.states, steps.actions], -1)),
            nets["step_goal"](goals),
            nets["state"](steps.states),
            nets["state_goal"](goals),
        )

    def value_loss(self, steps: Steps) -> Tensor:
        """Return the sum of both contrastive losses."""
        step, step_goal, state, state_goal = self.embedded(steps, steps.value_goals)
        scale = WIDTH**-0.5
        return contrastive_loss(scale * step @ step_goal.T) + contrastive_loss(
            scale * state @ state_goal.T
        )

    def advantage(self, steps: Steps) -> Tensor:
        """Return f(s, a, g) - f(s, g)."""
        step, step_goal, state, state_goal = self.embedded(steps, steps.actor_goals)
        return ((step * step_goal).sum(-1) - (state * state_goal).sum(-1)) * WIDTH**-0.5
