"""Losses of the features phi, whose discounted sums are the successor features.

As in the public code of "Does Zero-Shot Reinforcement Learning Exist?" (2022, arXiv 2209.14935),
halved where it squares, to fit the 1/2 of our orthonormality loss: `orthonormality` 1 is theirs
everywhere. The points of the orthonormality losses are next states (all of them where settings are
`exact`, else the batch's), where the Laplacian paper samples states. phi is the network B. Shapes:
n transitions, d features. Left out: that code's autoencoder, transition model and svd of the
successor measure.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from zerogym.agents.zero_shot.models.networks import Backward
from zerogym.agents.zero_shot.representations.fb_losses import Metrics, orthonormality_loss
from zerogym.agents.zero_shot.representations.representations import FeatureLoss, Step

TEMPERATURE = 0.1  # of the cosines of contrastive features


class Laplacian(FeatureLoss):
    """Smooth and orthonormal features: the low eigenvectors of the graph Laplacian.

    Smooth between a state and its successor, orthonormal over next states.

    "The Laplacian in RL: Learning Representations with Efficient Approximations" (2018, arXiv
    1810.04586).
    """

    def loss(self, step: Step) -> tuple[Tensor, Metrics]:
        near = 0.5 * (step.backward(step.here) - step.backward(step.there)).square().mean()
        apart, metrics = orthonormality_loss(step.backward(step.points), step.contrast)
        loss = near + step.config.orthonormality * apart
        return loss, metrics | {"features/loss": loss.detach()}


class InverseModel(FeatureLoss):
    """Prediction of the action from phi before and after it.

    "Curiosity-driven Exploration by Self-supervised Prediction" (2017, arXiv 1705.05363).

    Args:
        dim: d.
        actions: Their number, or coordinates.
        hidden: Width of the predicting network.
        discrete: Whether actions are one-hot.
    """

    def __init__(self, dim: int, actions: int, hidden: int, discrete: bool) -> None:
        super().__init__()
        self.discrete = discrete
        self.reader = _mlp(2 * dim, hidden, actions)

    def loss(self, step: Step) -> tuple[Tensor, Metrics]:
        both = torch.cat([step.backward(step.here), step.backward(step.there)], -1)  # (n, 2d)
        predicted = self.reader(both)  # (n, A)
        if self.discrete:
            loss = functional.cross_entropy(predicted, step.actions.argmax(-1))
        else:
            loss = (torch.tanh(predicted) - step.actions).square().mean()
        return loss, {"features/loss": loss.detach()}


class Latent(FeatureLoss):
    """Prediction of the slow copy's next phi from phi and the action."""

    def __init__(self, dim: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.model = _mlp(dim + actions, hidden, dim)

    def loss(self, step: Step) -> tuple[Tensor, Metrics]:
        predicted = self.model(torch.cat([step.backward(step.here), step.actions], -1))  # (n, d)
        with torch.no_grad():
            target = step.target_backward(step.there)  # (n, d)
        loss = (predicted - target).square().mean()
        return loss, {"features/loss": loss.detach()}


class Contrastive(FeatureLoss):
    """InfoNCE of phi(s) and a later state, with the other later states as negatives.

    Cosines of phi(s_i) and mu(later_j), over `TEMPERATURE`: minus the own one, plus the log-sum-exp
    of the others. The temperature is that of "A Simple Framework for Contrastive Learning of Visual
    Representations" (2020, arXiv 2002.05709), its value our choice. The public code has none, but
    cosines alone pull phi into a few dimensions: on small worlds most tasks are then lost.
    """

    looks_ahead = True

    def __init__(self, features: int, dim: int, temperature: float = TEMPERATURE) -> None:
        super().__init__()
        self.temperature = temperature
        self.mu = Backward(features, dim)

    def loss(self, step: Step) -> tuple[Tensor, Metrics]:
        here = functional.normalize(step.backward(step.here), dim=-1)  # (n, d)
        cosines = here @ functional.normalize(self.mu(step.later), dim=-1).T  # (n, n)
        alike = cosines / self.temperature
        own = torch.eye(len(alike), dtype=torch.bool, device=alike.device)
        others = alike.masked_fill(own, -torch.inf)
        loss = (torch.logsumexp(others, -1) - alike.diagonal()).mean()
        return loss, {"features/loss": loss.detach()}


class LowRank(FeatureLoss):
    """Singular value decomposition of the transition probabilities.

    mu(s, a)'phi(s') is the density of the next state, phi is orthonormal over next states.
    """

    def __init__(self, features: int, actions: int, dim: int, hidden: int) -> None:
        super().__init__()
        self.mu = _mlp(features + actions, hidden, dim)

    def loss(self, step: Step) -> tuple[Tensor, Metrics]:
        phi = step.backward(step.points)  # (m, d)
        density = self.mu(torch.cat([step.here, step.actions], -1)) @ phi.T  # (n, m)
        rows = torch.arange(len(density), device=density.device)
        own = density[rows, step.contrast.positive].mean()
        low_rank = 0.5 * (density.square() * step.contrast.density).sum(-1).mean() - own
        apart, metrics = orthonormality_loss(phi, step.contrast)
        loss = low_rank + step.config.orthonormality * apart
        return loss, metrics | {"features/loss": loss.detach()}


class GeometricLatent(FeatureLoss):
    """Prediction of phi a geometric number of steps later, and from there back, and apart.

    "Self-Predictive Representations for Combinatorial Generalization in Behavioral Cloning" (2025,
    arXiv 2506.10137): BYOL-gamma. From phi and the action, the slow copy's phi of a later state;
    from the later phi, the slow copy's phi before. With squares instead of cosines and with the
    orthonormality loss, as public comparisons of successor features have it.

    Args:
        dim: d.
        actions: Their number, or coordinates.
        hidden: Width of the predicting networks.
    """

    looks_ahead = True

    def __init__(self, dim: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.ahead = _mlp(dim + actions, hidden, dim)
        self.back = _mlp(dim, hidden, dim)

    def loss(self, step: Step) -> tuple[Tensor, Metrics]:
        ahead = self.ahead(torch.cat([step.backward(step.here), step.actions], -1))  # (n, d)
        back = self.back(step.backward(step.later))  # (n, d)
        with torch.no_grad():
            here, later = step.target_backward(step.here), step.target_backward(step.later)
        near = 0.5 * ((ahead - later).square().mean() + (back - here).square().mean())
        apart, metrics = orthonormality_loss(step.backward(step.points), step.contrast)
        loss = near + step.config.orthonormality * apart
        return loss, metrics | {"features/loss": loss.detach()}


class SummedLatent(FeatureLoss):
    """Prediction of the discounted sum of phi under the policy of z, from phi and the action.

    "TD-JEPA: Latent-predictive Representations for Zero-Shot Reinforcement Learning" (2025, arXiv
    2510.00739), its variant of one encoder, from the paper's formulas: the predictor T of phi(s),
    a and z has the target phi(s') + gamma T(phi(s'), a', z) of slow copies, phi is orthonormal.
    Ours is that the sum from s' on is the one that the agent has already, F of its slow copy,
    where the paper's agent has T as its F: F sees observations, T only phi.

    Args:
        dim: d.
        actions: Their number, or coordinates.
        hidden: Width of the predicting network.
    """

    def __init__(self, dim: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.model = _mlp(2 * dim + actions, hidden, dim)

    def loss(self, step: Step) -> tuple[Tensor, Metrics]:
        known = torch.cat([step.backward(step.here), step.actions, step.z], -1)
        with torch.no_grad():
            following = step.following.mean(0)  # (n, d)
            target = step.target_backward(step.there) + step.config.gamma * following
        near = 0.5 * (self.model(known) - target).square().mean()
        apart, metrics = orthonormality_loss(step.backward(step.points), step.contrast)
        loss = near + step.config.orthonormality * apart
        return loss, metrics | {"features/loss": loss.detach()}


def _mlp(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs))
