"""APS: reward of states that are novel and aligned with the skill.

"APS: Active Pretraining with Successor Features" (2021, arXiv 2108.13956): with features phi of
length 1 and a skill w on the sphere, the reward is the particle entropy of phi(s') among the batch
plus phi(s')'w, and phi is trained to raise phi(s')'w. A skill is kept for SKILL_STEPS steps. The
particle entropy is the logarithm of 1 + the mean distance to the NEIGHBOURS nearest points of the
batch, and the point itself, at distance 0, is counted among them. URLB takes the entropy of phi
before normalisation. Left out: the successor features; the learner's critic takes the skill as an
input instead.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from zerogym.agents.explore.rewards.base import (
    Batch,
    Intrinsic,
    Metrics,
    Shape,
    mlp,
    particle_reward,
)

SKILL, NEIGHBOURS, SKILL_STEPS = 10, 12, 5  # as in URLB (2021, arXiv 2110.15191)


class APS(Intrinsic):
    """Active pre-training with skills."""

    skill_size, skill_steps = SKILL, SKILL_STEPS

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.encoder: nn.Module = mlp(shape.observations, shape.hidden, SKILL)

    def draw_skill(self, generator: torch.Generator) -> Tensor:
        return functional.normalize(torch.randn(SKILL, generator=generator), dim=0)

    def features(self, observations: Tensor) -> Tensor:
        """Return phi, of length 1; (n, s)."""
        return functional.normalize(self.encoder(observations), dim=1)

    def reward(self, batch: Batch) -> Tensor:
        phi = self.features(batch.next_observations)  # (n, s)
        return particle_reward(phi, phi, NEIGHBOURS) + (phi * batch.skills).sum(dim=1)  # (n,)

    def loss(self, batch: Batch) -> tuple[Tensor, Metrics]:
        along = (self.features(batch.next_observations) * batch.skills).sum(dim=1).mean()
        return -along, {"aps/along": along.detach()}
