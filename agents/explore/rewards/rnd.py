"""RND: reward of the error of a network that is trained to copy a random one.

"Exploration by Random Network Distillation" (2018, arXiv 1810.12894): the error of a predictor of
a fixed random network's features of the state entered; observations normalised and clipped to
[-5, 5], rewards divided by their running deviation (both in the learner). Left out: the separate,
non-episodic value of the intrinsic reward.
"""

from torch import Tensor

from zerogym.agents.explore.rewards.base import Batch, Intrinsic, Metrics, Shape, mlp


class RND(Intrinsic):
    """Random network distillation."""

    def __init__(self, shape: Shape, features: int = 64) -> None:
        super().__init__(shape)
        self.predictor = mlp(shape.observations, shape.hidden, features)
        self.target = mlp(shape.observations, shape.hidden, features).requires_grad_(False)

    def reward(self, batch: Batch) -> Tensor:
        obs = batch.next_observations
        return (self.predictor(obs) - self.target(obs)).square().mean(dim=1)  # (n,)

    def loss(self, batch: Batch) -> tuple[Tensor, Metrics]:
        error = self.reward(batch).mean()
        return error, {"rnd/error": error.detach()}
