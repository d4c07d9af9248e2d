"""Penalties on the values of actions that are not in the data, for small or narrow data.

"Zero-Shot Reinforcement Learning from Low Quality Data" (2023, arXiv 2309.15178): penalties that
are conservative in values (VC-FB) or in measures (MC-FB), summed over the heads, with a weight
alpha that rises while the penalty is above a target. Left out: the gradient clamp of the published
code. Shapes: H heads, n transitions, C candidate actions, m contrast points.
"""

import math

import torch
from torch import Tensor, nn

from zerogym.agents.zero_shot.representations.representations import Step

MAX_ALPHA = 1e6


def value_penalty(values: Tensor, own: Tensor) -> Tensor:
    """Return the mean of logsumexp_a F(s, a, z)'z less F(s, a_data, z)'z.

    Args:
        values: Of the candidates, (H, n, C).
        own: Of the actions in the data, (H, n).
    """
    return (torch.logsumexp(values, -1) - own).mean(-1).sum()


def measure_penalty(measures: Tensor, own: Tensor, frequency: Tensor) -> Tensor:
    """Return the mean of logsumexp_a F(s, a, z)'B(x) less F(s, a_data, z)'B(x), over points x.

    Args:
        measures: Of the candidates, (H, n, C, m).
        own: Of the actions in the data, (H, n, m).
        frequency: Probability of each point, (m,).
    """
    excess = torch.logsumexp(measures, -2) - own  # (H, n, m)
    return (excess @ frequency).mean(-1).sum()


def penalty_of(candidates: Tensor, step: Step) -> Tensor:
    """Return the penalty of the settings, a number, from F at candidate actions, (H, n, C, d)."""
    if step.config.conservative == "value":
        values = torch.einsum("hncd,nd->hnc", candidates, step.z)
        return value_penalty(values, (step.forward * step.z).sum(-1))
    backward = step.backward(step.points)  # (m, d)
    own = step.forward @ backward.T  # (H, n, m)
    return measure_penalty(candidates @ backward.T, own, step.contrast.frequency)


class Alpha(nn.Module):
    """The weight of a penalty, as a dual variable: gradient ascent on alpha (penalty - target) / 2.

    Args:
        start: First value, >= 0; 0 stays 0.
        target: Upper bound for the penalty.
    """

    def __init__(self, start: float, target: float) -> None:
        super().__init__()
        self.target = target
        self.log = nn.Parameter(torch.tensor(math.log(start) if start > 0 else -math.inf))

    def forward(self) -> Tensor:
        """Return alpha, in [0, `MAX_ALPHA`]."""
        return self.log.exp().clamp(max=MAX_ALPHA)

    def loss(self, penalty: Tensor) -> Tensor:
        """Return the loss of log alpha."""
        return -0.5 * self() * (penalty.detach() - self.target)
