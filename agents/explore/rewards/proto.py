"""ProtoRL: reward of states that are far from all earlier states, among learned prototypes.

"Reinforcement Learning with Prototypical Representations" (2021, arXiv 2102.11271): states are
projected to the sphere and assigned to prototypes; the online network predicts, from a state, the
assignment that a slow copy gives to the next one, balanced by Sinkhorn's rule. The reward is the
distance to the k-th nearest of a queue of projected states, refilled with the state nearest to
each prototype (the paper draws a near one). Left out: image augmentations, and the second stage,
which fixes the representation.
"""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional

from zerogym.agents.explore.rewards.base import (
    Batch,
    Intrinsic,
    Metrics,
    Shape,
    mlp,
    nearest_distances,
)

FEATURES, PROTOTYPES, QUEUE, NEIGHBOURS = 32, 64, 1024, 3  # smaller than the paper's for images
TEMPERATURE, ROUNDS, MOVE = 0.1, 3, 0.05  # the paper's


class Proto(Intrinsic):
    """Prototypical representations."""

    queue: Tensor
    filled: Tensor

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.encoder: nn.Module = mlp(shape.observations, shape.hidden, FEATURES)
        self.predictor = nn.Linear(FEATURES, FEATURES)
        self.prototypes = nn.Linear(FEATURES, PROTOTYPES, bias=False)
        self.target = copy.deepcopy(self.encoder).requires_grad_(False)
        self.register_buffer("queue", torch.zeros(QUEUE, FEATURES))
        self.register_buffer("filled", torch.zeros((), dtype=torch.int64))  # states ever queued

    @torch.no_grad()
    def project(self, observations: Tensor) -> Tensor:
        """Return points on the sphere, (n, FEATURES), by the slow network."""
        return functional.normalize(self.target(observations), dim=1)

    @torch.no_grad()
    def reward(self, batch: Batch) -> Tensor:
        points = self.project(batch.next_observations)
        earlier = self.queue[: int(self.filled)] if self.filled > 0 else points
        return nearest_distances(points, earlier, NEIGHBOURS)[:, -1]  # (n,)

    def loss(self, batch: Batch) -> tuple[Tensor, Metrics]:
        online = functional.normalize(self.predictor(self.encoder(batch.observations)), dim=1)
        scores = functional.log_softmax(self.prototypes(online) / TEMPERATURE, dim=1)  # (n, P)
        with torch.no_grad():
            points = self.project(batch.next_observations)  # (n, FEATURES)
            nearness = self.prototypes(points)  # (n, P)
            targets = sinkhorn(nearness / TEMPERATURE)
            nearest = points[nearness.argmax(dim=0)]  # (P, FEATURES)
            self.queue[(self.filled + torch.arange(PROTOTYPES)) % QUEUE] = nearest
            self.filled += PROTOTYPES
        loss = -(targets * scores).sum(dim=1).mean()
        return loss, {"proto/loss": loss.detach()}

    @torch.no_grad()
    def after_update(self) -> None:
        self.prototypes.weight.copy_(functional.normalize(self.prototypes.weight, dim=1))
        targets: list[Tensor] = list(self.target.parameters())
        weights: list[Tensor] = list(self.encoder.parameters())
        torch._foreach_lerp_(targets, weights, MOVE)


def sinkhorn(scores: Tensor) -> Tensor:
    """Return assignments (n, P) with rows that sum to 1 and columns that sum to about n / P."""
    shares = (scores - scores.max()).exp()  # (n, P)
    for _ in range(ROUNDS):
        shares = shares / shares.sum(dim=0, keepdim=True).clamp_min(1e-12)
        shares = shares / shares.sum(dim=1, keepdim=True).clamp_min(1e-12)
    return shares
