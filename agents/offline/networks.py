"""The networks of offline agents: an actor, critics with targets, and a value."""

import copy
import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

LEARNT = ("actor", "critic", "value", "temperature")  # each with an optimiser of its own
LEAST_LOG_STD, MOST_LOG_STD = -5.0, 2.0  # of a Gaussian actor, as in IQL's code


@dataclass(frozen=True)
class Shape:
    """Sizes of the networks.

    Attributes:
        observation: Numbers of an observation, k.
        actions: Discrete actions A, or numbers of a continuous one, m.
        discrete: Whether actions are numbered.
        hidden: Width of the hidden layers.
        layers: Hidden layers; with 0 networks are linear, which is a table for one-hot states.
    """

    observation: int
    actions: int
    discrete: bool
    hidden: int
    layers: int


def mlp(inputs: int, outputs: int, shape: Shape) -> nn.Sequential:
    """Return linear layers with ReLU between them."""
    sizes = [inputs, *[shape.hidden] * shape.layers]
    modules: list[nn.Module] = []
    for before, after in pairwise(sizes):
        modules += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*modules, nn.Linear(sizes[-1], outputs))


class Networks(nn.Module):
    """Actor, critics and value of one agent; n observations at once.

    Args:
        shape: Sizes.
        heads: Critics with weights of their own; 0: none.
        value: Whether there is a state value.
        actor: Whether there is an actor.
        squashed: Whether the actor is a Gaussian with deviations of each state, through tanh, with
            a learned weight of its entropy; of continuous actions.
    """

    def __init__(
        self, shape: Shape, heads: int, value: bool, actor: bool, squashed: bool = False
    ) -> None:
        super().__init__()
        self.shape, k, size = shape, shape.observation, shape.actions
        self.squashed = squashed
        inputs, outputs = (k, size) if shape.discrete else (k + size, 1)
        self.mean: Tensor
        self.scale: Tensor
        self.register_buffer("mean", torch.zeros(k))
        self.register_buffer("scale", torch.ones(k))
        critics = [mlp(inputs, outputs, shape) for _ in range(heads)]
        self.critic = nn.ModuleList(critics)
        self.value = mlp(k, 1, shape) if value else nn.ModuleList()
        outputs_of_actor = 2 * size if squashed else size
        self.actor = nn.ModuleDict({"net": mlp(k, outputs_of_actor, shape)} if actor else {})
        # The logarithm of the entropy's weight.
        self.temperature = nn.ParameterList([torch.zeros(())] if squashed else [])
        if actor and not shape.discrete and not squashed:
            self.actor["log_std"] = nn.ParameterList([torch.zeros(size)])
        self.target_critic = copy.deepcopy(self.critic).requires_grad_(False)
        self.target_actor = copy.deepcopy(self.actor).requires_grad_(False)

    def scaled(self, observations: Tensor) -> Tensor:
        """Return observations as the networks read them, (n, k)."""
        return (observations - self.mean) / self.scale

    def values(self, observations: Tensor) -> Tensor:
        """Return V(s), (n,)."""
        return self.value(self.scaled(observations))[:, 0]

    def all_q(self, observations: Tensor, target: bool = False) -> Tensor:
        """Return Q(s, .) of discrete actions, (H, n, A)."""
        read = self.scaled(observations)
        return torch.stack([net(read) for net in (self.target_critic if target else self.critic)])

    def q(self, observations: Tensor, actions: Tensor, target: bool = False) -> Tensor:
        """Return Q(s, a), (H, n)."""
        if self.shape.discrete:
            chosen = actions[None, :, None].expand(len(self.critic), -1, -1)
            return self.all_q(observations, target).gather(2, chosen)[..., 0]
        read = torch.cat([self.scaled(observations), actions], 1)
        critics = self.target_critic if target else self.critic
        return torch.stack([net(read)[:, 0] for net in critics])

    def logits(self, observations: Tensor) -> Tensor:
        """Return the actor's logits of discrete actions, (n, A)."""
        found: Tensor = self.actor["net"](self.scaled(observations))
        return found

    def means(self, observations: Tensor, target: bool = False) -> Tensor:
        """Return the actor's actions without noise, (n, m) in [-1, 1]."""
        actor = self.target_actor if target else self.actor
        return torch.tanh(actor["net"](self.scaled(observations))[:, : self.shape.actions])

    def sampled(self, observations: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        """Return actions of a squashed actor and their log-densities.

        Args:
            observations: (n, k).
            noise: Standard normal numbers, (..., n, m).

        Returns:
            Actions (..., n, m) in [-1, 1] and log-densities (..., n), with gradients through both.
        """
        mean, log_std = self.actor["net"](self.scaled(observations)).chunk(2, 1)  # (n, m) each
        log_std = log_std.clamp(LEAST_LOG_STD, MOST_LOG_STD)
        before = mean + log_std.exp() * noise  # (..., n, m)
        normal = -0.5 * noise**2 - log_std - 0.5 * math.log(2 * math.pi)
        # log(1 - tanh(u)^2), which has no digits left for large u, in another form.
        stretch = 2 * (math.log(2) - before - nn.functional.softplus(-2 * before))
        return torch.tanh(before), (normal - stretch).sum(-1)

    @property
    def stds(self) -> Tensor:
        """The standard deviations of an actor for which they are the same in all states, (m,)."""
        log_std: Any = self.actor["log_std"]
        found: Tensor = log_std[0].clamp(LEAST_LOG_STD, MOST_LOG_STD).exp()
        return found

    def log_prob(self, observations: Tensor, actions: Tensor) -> Tensor:
        """Return the log-probability, or log-density of an actor that is not squashed, (n,)."""
        if self.shape.discrete:
            found = self.logits(observations).log_softmax(1)
            return found.gather(1, actions[:, None])[:, 0]
        off = (actions - self.means(observations)) / self.stds
        each = -0.5 * off**2 - self.stds.log() - 0.5 * math.log(2 * math.pi)
        return each.sum(1)

    @torch.no_grad()
    def follow(self, tau: float) -> None:
        """Move the targets a part of the way to their networks."""
        for ours, theirs in ((self.target_critic, self.critic), (self.target_actor, self.actor)):
            old, new = tuple(ours.parameters()), tuple(theirs.parameters())
            if old:
                torch._foreach_lerp_(old, new, tau)  # all in one call
