"""Behaviour-regularised forward-backward learning: values and policies near the data's actions.

"Towards Robust Zero-Shot Reinforcement Learning" (2025, arXiv 2510.15382). Three switches: V(s, z)
by expectiles (`in_sample.py`); a policy of z regressed on the data's actions with the weights
exp(alpha (F'z - V)), whose best action in F'z of a few is done and is the target policy
(`breeze_model.py`); F and B with attention (`attention.py`, `FBConfig.net`). Ours: a flow in place
of their diffusion, a softmax for discrete actions, for which they have no policy, and without V the
policy's own F'z in its place. Left out: their slow copy of the policy and targets of the data's
next actions, AdamW and clipped gradients: the optimisers are those of all agents of this folder.
"""

from typing import Self

import torch
from torch import Tensor, nn

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.agents import BreezeSettings
from zerogym.agents.zero_shot.algorithms.base import FBAgent
from zerogym.agents.zero_shot.algorithms.breeze_model import BreezeModel
from zerogym.agents.zero_shot.algorithms.computing import Draws
from zerogym.agents.zero_shot.algorithms.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.algorithms.flow_bc import Flow, flow_matching_loss
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.data.tensor_dataset import Batch
from zerogym.agents.zero_shot.models.attention import DiscreteAttentionForward
from zerogym.agents.zero_shot.representations.fb_losses import Metrics
from zerogym.agents.zero_shot.representations.in_sample import InSampleMeasure
from zerogym.agents.zero_shot.representations.representations import Measure, Representation

LARGEST = 100.0  # weight of a transition, as published
TARGETS = 8  # actions of the flow of which a target takes the best; published 1 to 9


class BreezeAgent(FBAgent):
    """The switches and weights, shared by discrete and continuous actions.

    Args:
        config: Of networks and optimisers.
        model: To train.
        settings: The three switches and their numbers.
        seed: Of batches, z and noise.
    """

    model: BreezeModel

    def __init__(
        self, config: FBConfig, model: BreezeModel, settings: BreezeSettings, seed: int = 0
    ) -> None:
        self.settings = settings
        super().__init__(config, model, seed)

    @classmethod
    def of(cls, config: FBConfig, settings: BreezeSettings, samples: Dataset, actions: int) -> Self:
        """Return a fresh agent that keeps these transitions."""
        shape = cls.shape_for(config, samples, actions)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            model = BreezeModel(shape, samples, settings.policy, settings.tries)
        return cls(config, model, settings, config.seed)

    def make_representation(self) -> Representation:
        """Return the measure, with V if it is switched on."""
        own, shape = self.settings, self.model.shape
        if not own.value:
            return Measure()
        sizes = (self.model.inputs, shape.dim, shape.hidden)
        return InSampleMeasure(*sizes, own.expectile, own.regularisation)

    def trained(self) -> dict[str, tuple[nn.Module, float]]:
        """Return the networks trained by gradients; V has the rate of F."""
        return super().trained() | {"features": (self.representation, self.config.lr_forward)}

    @torch.no_grad()
    def weights(self, batch: Batch, z: Tensor, drawn: Draws) -> Tensor:
        """Return exp(alpha (F'z - V)) at the data's actions, at most `LARGEST`; (n,)."""
        found = (self.forward_of(batch, z) * z).sum(-1).min(0).values  # (n,)
        if isinstance(self.representation, InSampleMeasure):
            baseline = self.representation.value(batch.features, z)
        else:
            baseline = self.own_value(batch, z, drawn)
        return (self.settings.alpha * (found - baseline)).exp().clamp(max=LARGEST)

    def own_value(self, batch: Batch, z: Tensor, drawn: Draws) -> Tensor:
        """Return F'z of the policy in the states of a batch, (n,)."""
        raise NotImplementedError


class DiscreteBreeze(BreezeAgent, DiscreteFB):
    """Behaviour-regularised agent for `Discrete` actions."""

    def forward_of(self, batch: Batch, z: Tensor) -> Tensor:
        """Return F(s, a, z) at the actions of the data, (H, n, d)."""
        net = self.model.forward_net
        if isinstance(net, DiscreteAttentionForward):  # the other actions would be most of the work
            return net.of_done(batch.features, batch.actions, z)
        return super().forward_of(batch, z)

    def bounded(self, values: Tensor, features: Tensor, z: Tensor) -> Tensor:
        """Return the values (n, A) with minus infinity where the policy is not."""
        if self.model.chooser is None:
            return values
        return values.masked_fill(~self.model.eligible(features, z), -torch.inf)

    def own_value(self, batch: Batch, z: Tensor, drawn: Draws) -> Tensor:
        """Return the mean of F'z under the policy, (n,)."""
        every = torch.einsum("hnad,nd->hna", self.model.forward_net(batch.features, z), z)
        return (self.model.log_policy(batch.features, z).exp() * every.min(0).values).sum(-1)

    def actor_loss(self, batch: Batch, z: Tensor, drawn: Draws) -> tuple[Tensor, Metrics]:
        """Return the weighted cross-entropy of the data's actions."""
        rows = torch.arange(len(z), device=z.device)
        found = self.model.log_policy(batch.features, z)[rows, batch.actions]  # (n,)
        weights = self.weights(batch, z, drawn)
        loss = -(weights * found).mean()
        return loss, {"actor/loss": loss.detach(), "actor/weight": weights.mean()}

    def trained(self) -> dict[str, tuple[nn.Module, float]]:
        """Return the networks trained by gradients."""
        nets, chooser = super().trained(), self.model.chooser
        if chooser is not None:
            nets["actor"] = (chooser, self.config.lr_actor)
        return nets


class ContinuousBreeze(BreezeAgent, ContinuousFB):
    """Behaviour-regularised agent for `Box` actions in [-1, 1]; without a policy, FB's actor."""

    def draw_noise(self) -> Draws:
        """Draw the noise of targets, and of the flow's own training."""
        if not self.settings.policy:
            return super().draw_noise()
        n, m = self.config.batch_size, self.model.shape.actions
        return {
            "following": self.normal(TARGETS, n, m),
            "actor": self.normal(n, m),
            "time": self.uniform(n, 1),
        }

    @torch.no_grad()
    def following(self, batch: Batch, z: Tensor, drawn: Draws) -> Tensor:
        """Return F at s' under pi_z by the target networks, (H, n, d); no gradient."""
        if not self.settings.policy:
            return super().following(batch, z, drawn)
        there, net = batch.next_features, self.target_forward
        return net(there, self.model.best_of(net, there, z, drawn["following"]), z)

    def own_value(self, batch: Batch, z: Tensor, drawn: Draws) -> Tensor:
        """Return F'z of one action of the flow, (n,)."""
        here, net = batch.features, self.model.forward_net
        action = self.model.best_of(net, here, z, drawn["following"][:1])
        return (net(here, action, z) * z).sum(-1).min(0).values

    def actor_loss(self, batch: Batch, z: Tensor, drawn: Draws) -> tuple[Tensor, Metrics]:
        """Return the weighted loss of flow matching."""
        if not self.settings.policy:
            return super().actor_loss(batch, z, drawn)
        assert isinstance(self.model.actor, Flow)
        both, weights = torch.cat([batch.features, z], -1), self.weights(batch, z, drawn)
        noise = (drawn["actor"], drawn["time"])
        loss = flow_matching_loss(self.model.actor, both, batch.actions, *noise, weights)
        return loss, {"actor/loss": loss.detach(), "actor/weight": weights.mean()}
