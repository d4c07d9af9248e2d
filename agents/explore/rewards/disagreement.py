"""Disagreement: reward of transitions on which forward models differ, unaffected by pure noise.

"Self-Supervised Exploration via Disagreement" (2019, arXiv 1906.04161): the variance, over an
ensemble, of the predicted next state, averaged over its numbers. Each model learns from its own
three fifths of every batch, so that they stay apart where data are few: our choice. Left out: the
differentiable reward, which trains the policy without a critic.
"""

import torch
from torch import Tensor, nn

from zerogym.agents.explore.networks import Ensemble
from zerogym.agents.explore.rewards.base import Batch, Intrinsic, Metrics, Shape

MODELS = 5  # the paper's


class Disagreement(Intrinsic):
    """Variance of an ensemble of forward models, which predict the change of the state."""

    def __init__(self, shape: Shape, models: int = MODELS) -> None:
        super().__init__(shape)
        self.count = models
        inputs = shape.observations + shape.actions
        self.models: nn.Module = Ensemble(models, inputs, shape.hidden, shape.observations)

    def predictions(self, batch: Batch) -> Tensor:
        """Return the change of the state by each model, (E, n, k)."""
        changes: Tensor = self.models(torch.cat([batch.observations, batch.actions], dim=1))
        return changes

    def reward(self, batch: Batch) -> Tensor:
        return self.predictions(batch).var(dim=0, correction=0).mean(dim=1)  # (n,)

    def loss(self, batch: Batch) -> tuple[Tensor, Metrics]:
        change = batch.next_observations - batch.observations  # (n, k)
        errors = (self.predictions(batch) - change).square().mean(dim=2)  # (E, n)
        rows, models = torch.arange(errors.shape[1]), torch.arange(self.count)[:, None]
        kept = ((rows + models) % self.count < self.count / 2).float()  # (E, n)
        loss = (errors * kept).sum() / kept.sum()
        return loss, {"disagreement/error": loss.detach()}
