"""Quasimetric reinforcement learning: the value is minus a distance with a triangle inequality.

"Optimal Goal-Reaching Reinforcement Learning via Quasimetric Learning" (2023, arXiv 2304.01203):
the distances of random pairs are pushed apart, while a step may be no longer than 1: the constraint
E[max(d(s, s') - 1, 0)^2] <= eps has a multiplier. d is an interval quasimetric embedding ("Improved
Representation of Asymmetrical Distances with Interval Quasimetric Embeddings", 2022, arXiv
2211.15120). The shape 100 softplus(5 - d / 100) of the push, eps and the step cost of 1 are those
of public code. Left out: latent dynamics, and an actor that follows their gradient. Steps are taken
to be certain, as the paper does.
"""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from zerogym.agents.zero_shot.methods.goal_conditioned.base import GoalConditioned, Steps, mlp
from zerogym.agents.zero_shot.methods.goal_conditioned.goals import ANY_GOALS

COMPONENTS, SIZE = 16, 8  # of the embedding, and numbers in each
EPSILON = 0.05  # the constraint's room


class IntervalQuasimetric(nn.Module):
    """d(x, y) = a max_i L_i + (1 - a) mean_i L_i of embeddings.

    L_i is the length of the union of the intervals from x_ij to max(x_ij, y_ij), j = 1, ..., 8.
    """

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.embed = mlp(size, hidden, COMPONENTS * SIZE)
        self.mix = nn.Parameter(torch.zeros(()))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return distances (n,) from x (n, k) to y (n, k)."""
        one, other = (self.embed(v).unflatten(-1, (COMPONENTS, SIZE)) for v in (x, y))
        lengths = union_lengths(one, torch.maximum(one, other))  # (n, C)
        share = self.mix.sigmoid()
        return share * lengths.max(-1).values + (1 - share) * lengths.mean(-1)


def union_lengths(starts: Tensor, ends: Tensor) -> Tensor:
    """Return the length of the union of intervals, (..., J) and (..., J) to (...).

    Example:
        >>> union_lengths(torch.tensor([0.0, 1.0, 5.0]), torch.tensor([2.0, 3.0, 5.5])).item()
        3.5
    """
    starts, order = starts.sort(-1)
    ends = ends.gather(-1, order)
    covered = ends.cummax(-1).values  # how far the intervals so far reach
    before = torch.cat([starts[..., :1], covered[..., :-1]], -1)
    return (ends - torch.maximum(starts, before)).clamp(min=0).sum(-1)


class QRL(GoalConditioned):
    """A quasimetric and its multiplier."""

    value_goals = ANY_GOALS

    def networks(self, size: int) -> Mapping[str, nn.Module]:
        """Return the distance and the logarithm of the multiplier."""
        multiplier = nn.ParameterList([nn.Parameter(torch.zeros(()))])
        return {
            "distance": IntervalQuasimetric(size, self.settings.hidden),
            "multiplier": multiplier,
        }

    def value_loss(self, steps: Steps) -> Tensor:
        """Return the push apart, and the constraint with its multiplier."""
        multiplier = self.nets["multiplier"][0].exp()  # type: ignore[index]
        far = self.nets["distance"](steps.states, steps.value_goals)  # (n,)
        one = self.nets["distance"](steps.states, steps.following)  # (n,)
        push = (100 * nn.functional.softplus(5 - far / 100)).mean()
        excess = (one - 1).clamp(min=0).square().mean()
        return push + multiplier.detach() * excess + multiplier * (EPSILON - excess.detach())

    def advantage(self, steps: Steps) -> Tensor:
        """Return d(s, g) - d(s', g)."""
        distance, goals = self.nets["distance"], steps.actor_goals
        found: Tensor = distance(steps.states, goals) - distance(steps.following, goals)
        return found
