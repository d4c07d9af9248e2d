"""DIAYN: reward of states from which a classifier recognises the skill.

"Diversity is All You Need" (2018, arXiv 1802.06070): the reward is log q(z | s') - log p(z) with a
uniform p over SKILLS skills, one drawn every SKILL_STEPS steps. Left out: the entropy of the
policy; its noise replaces it.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from zerogym.agents.explore.rewards.base import Batch, Intrinsic, Metrics, Shape, mlp

# As in "URLB: Unsupervised Reinforcement Learning Benchmark" (2021, arXiv 2110.15191).
SKILLS, SKILL_STEPS = 16, 50


class DIAYN(Intrinsic):
    """Diverse skills."""

    skill_size, skill_steps = SKILLS, SKILL_STEPS

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.classifier: nn.Module = mlp(shape.observations, shape.hidden, SKILLS)

    def draw_skill(self, generator: torch.Generator) -> Tensor:
        drawn = torch.randint(SKILLS, (), generator=generator)
        return functional.one_hot(drawn, SKILLS).float()

    def reward(self, batch: Batch) -> Tensor:
        log_q = functional.log_softmax(self.classifier(batch.next_observations), dim=1)  # (n, s)
        return (log_q * batch.skills).sum(dim=1) + math.log(SKILLS)  # (n,)

    def loss(self, batch: Batch) -> tuple[Tensor, Metrics]:
        guess = self.classifier(batch.next_observations)
        skills = batch.skills.argmax(dim=1)
        loss = functional.cross_entropy(guess, skills)
        right = (guess.argmax(dim=1) == skills).float().mean()
        return loss, {"diayn/accuracy": right, "diayn/loss": loss.detach()}
