"""MaxInfoRL: reward of the information that a transition gives about the dynamics.

"MaxInfoRL: Boosting exploration in reinforcement learning through information gain maximization"
(2024, arXiv 2412.12098): the gain of a Gaussian model is bounded by half the sum, over the numbers
of the next state, of log(1 + variance between the models / variance of the noise). Our environments
are deterministic; the noise stands for irreducible error. Left out: learned noise, the policy's
entropy, and the tuning of both against a task's reward, of which there is none here.
"""

from torch import Tensor

from zerogym.agents.explore.rewards.base import Batch, Shape
from zerogym.agents.explore.rewards.disagreement import MODELS, Disagreement

NOISE = 0.01  # standard deviation, in units of the normalised state: our choice


class MaxInfo(Disagreement):
    """Bound on the information gain of an ensemble."""

    def __init__(self, shape: Shape, models: int = MODELS, noise: float = NOISE) -> None:
        super().__init__(shape, models)
        self.noise = noise

    def reward(self, batch: Batch) -> Tensor:
        variance = self.predictions(batch).var(dim=0, correction=0)  # (n, k)
        return (variance / self.noise**2).log1p().sum(dim=1) / 2  # (n,)
