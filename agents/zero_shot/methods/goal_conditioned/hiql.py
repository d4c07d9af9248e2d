"""HIQL: a policy of subgoals above a policy of actions, by one value.

"HIQL: Offline Goal-Conditioned RL with Latent States as Actions" (2023, arXiv 2307.11949), with the
normalisation and the losses of its public code and of "OGBench" (2024, arXiv 2410.20092). The value
sees a goal through a code phi(s, g) of length sqrt(d), which is learned with the value alone. The
high policy chooses the code of a state `subgoal_steps` later on the way to the goal, the low policy
an action towards that code. Both are regressions, weighted by the value's gain: of the way to the
subgoal, and of the step.

Ours: both policies learn from the same states on the way, which lie on the walk before the goal, as
the high policy's do in the paper; that policies learn about goals on their own walk only.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from zerogym.agents.zero_shot.data.tensor_dataset import TensorDataset
from zerogym.agents.zero_shot.methods.goal_conditioned.base import MOST_WEIGHT, Steps, mlp
from zerogym.agents.zero_shot.methods.goal_conditioned.gcivl import GCIVL, PAIR
from zerogym.agents.zero_shot.methods.neural import Metrics

if TYPE_CHECKING:
    from zerogym.agents.zero_shot.agents import HIQLSettings


class HIQL(GCIVL):
    """V(s, phi(s, g)) twice, and two policies."""

    targets = (*PAIR, "code")
    settings: "HIQLSettings"

    def networks(self, size: int) -> Mapping[str, nn.Module]:
        """Return values, codes and both policies."""
        hidden, dim = self.settings.hidden, self.settings.dim
        return {
            **{name: mlp(size + dim, hidden, 1) for name in PAIR},
            "code": mlp(2 * size, hidden, dim),
            "subgoals": mlp(2 * size, hidden, dim),
            "actor": mlp(size + dim, hidden, self.actions),
        }

    def code(self, nets: nn.ModuleDict, states: Tensor, goals: Tensor) -> Tensor:
        """Return phi(s, g), (n, d), of length sqrt(d)."""
        return self._scaled(nets["code"](torch.cat([states, goals], -1)))

    def values(self, nets: nn.ModuleDict, states: Tensor, goals: Tensor) -> Tensor:
        """Return both values, (2, n)."""
        return super().values(nets, states, self.code(nets, states, goals))

    def draw(self, data: TensorDataset) -> Steps:
        """Draw transitions, goals of the rest of their walks, and states on the way there."""
        steps, columns = super().draw(data), data.transitions
        left = columns.last[steps.rows] - steps.rows  # (n,) steps of the walk after this one
        share = torch.rand(len(left), generator=self.generator(1))
        ahead = (share * (left + 1)).long()  # of the goal, after this step
        near = ahead.clamp(max=self.settings.subgoal_steps - 1)
        states = columns.next_features
        return steps._replace(
            actor_goals=states[steps.rows + ahead], waypoints=states[steps.rows + near]
        )

    def losses(self, steps: Steps) -> tuple[Tensor, Metrics]:
        """Return the sum of the losses of value and policies, and the metrics."""
        assert steps.waypoints is not None
        states, ways, goals = steps.states, steps.waypoints, steps.actor_goals
        value = self.value_loss(steps)
        with torch.no_grad():
            codes = self.code(self.nets, states, ways)  # (n, d)
            far = self.values(self.nets, ways, goals) - self.values(self.nets, states, goals)
            near = self.values(self.nets, steps.following, ways)
            near = near - self.values(self.nets, states, ways)
            weights = (self.settings.alpha * torch.stack([far.mean(0), near.mean(0)])).exp()
            high_weight, low_weight = weights.clamp(max=MOST_WEIGHT)  # (n,) each
        chosen = self.nets["subgoals"](torch.cat([states, goals], -1))  # (n, d)
        high = (high_weight * (chosen - codes).square().sum(-1) / 2).mean()
        low = -(low_weight * self.log_prob(states, steps.actions, codes)).mean()
        metrics = {"value_loss": value, "high_loss": high, "low_loss": low}
        return value + high + low, {f"hiql/{key}": found.detach() for key, found in metrics.items()}

    def heading(self, states: Tensor, goals: Tensor) -> Tensor:
        """Return the code (n, d) that the high policy chooses."""
        return self._scaled(self.nets["subgoals"](torch.cat([states, goals], -1)))

    def _scaled(self, codes: Tensor) -> Tensor:
        return normalize(codes, dim=-1) * self.settings.dim**0.5
