"""Conservative Q-learning: values of actions that the data do not have are pushed down."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from zerogym.agents.offline.method import Method, Update, method, squared
from zerogym.agents.offline.networks import Networks, Shape
from zerogym.agents.settings import check_at_least


@method("cql")
@dataclass(frozen=True)
class CQL(Method):
    """Q-learning with the penalty alpha (log sum_a exp Q(s, a) - Q(s, a of the data)), CQL(H).

    Discrete actions: the target is double Q-learning's, where the action is chosen by the critic
    and rated by its target. The policy is greedy. Ours: a squared error for returns, where the
    paper's games have quantiles.

    Continuous actions: soft actor-critic with two critics. The sum is an integral, estimated from
    `samples` actions each of the uniform distribution, the actor in s and the actor in s', all
    rated in s and weighted by one over their densities. As in the authors' code the target is the
    smaller of two target critics at an action of the actor in s', without its entropy, and the
    entropy's weight is tuned to an entropy of -m for actions of m numbers. Ours: the critics move
    before the actor, log-deviations are from -5 to 2, and all rates are the same. The estimate has
    the logarithm of the number of actions taken off, which changes no gradient.

    Left out: a weight alpha tuned by a Lagrangian, targets of the best of several actions, and
    updates of imitation at the beginning.
    """

    source = '"Conservative Q-Learning for Offline Reinforcement Learning" (2020, arXiv 2006.04779)'

    alpha: float = 1.0  # weight of the penalty; 0 is double Q-learning, or soft actor-critic
    samples: int = 10  # actions of each of the three kinds, in the estimate of the integral

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, alpha=0.0, samples=1)

    def networks(self, shape: Shape) -> Networks:
        """Return one critic for discrete actions, else two and an actor."""
        if shape.discrete:
            return Networks(shape, heads=1, value=False, actor=False)
        return Networks(shape, heads=2, value=False, actor=True, squashed=True)

    def losses(self, nets: Networks, update: Update) -> Iterator[tuple[str, Tensor]]:
        """Yield the critics' loss; for continuous actions that of the actor's parts, too."""
        if nets.shape.discrete:
            yield "critic", self._discrete(nets, update)
            return
        yield "critic", self._continuous(nets, update)
        observations, actions, *_ = update.batch
        noise = torch.randn(actions.shape, generator=update.generator)
        own, log_density = nets.sampled(observations, noise)  # (n, m), (n,)
        log_weight: Tensor = nets.temperature[0]
        yield "temperature", -log_weight * (log_density.detach().mean() - nets.shape.actions)
        q = nets.q(observations, own).amin(0)  # (n,)
        yield "actor", (log_weight.detach().exp() * log_density - q).mean()

    def _discrete(self, nets: Networks, update: Update) -> Tensor:
        observations, actions, rewards, following, goes_on, *_ = update.batch
        with torch.no_grad():
            best = nets.all_q(following)[0].argmax(1)  # (n,)
            later = nets.q(following, best, target=True)[0]
            target = rewards + update.gamma * goes_on * later  # (n,)
        rated = nets.all_q(observations)  # (1, n, A)
        own = rated[0].gather(1, actions[:, None])[:, 0]  # (n,)
        penalty = (rated[0].logsumexp(1) - own).mean()
        return squared(own[None], target) + self.alpha * penalty

    def _continuous(self, nets: Networks, update: Update) -> Tensor:
        observations, actions, rewards, following, goes_on, *_ = update.batch
        with torch.no_grad():
            noise = torch.randn(actions.shape, generator=update.generator)
            chosen = nets.sampled(following, noise)[0]  # (n, m)
            later = nets.q(following, chosen, target=True).amin(0)  # (n,)
            target = rewards + update.gamma * goes_on * later
        if not self.alpha:
            return squared(nets.q(observations, actions), target)
        with torch.no_grad():
            others, log_density = self._proposals(nets, update)  # (3j, n, m), (3j, n)
        every = torch.cat([actions[None], others])  # (1 + 3j, n, m)
        rated = nets.q(observations.repeat(len(every), 1), every.flatten(0, 1))
        own, rest = rated.unflatten(1, every.shape[:2]).split([1, len(others)], 1)
        integral = (rest - log_density).logsumexp(1) - math.log(len(others))  # (H, n)
        penalty = (integral - own[:, 0]).mean(1).sum()
        return squared(own[:, 0], target) + self.alpha * penalty

    def _proposals(self, nets: Networks, update: Update) -> tuple[Tensor, Tensor]:
        """Return actions in which the integral is estimated, and their log-densities."""
        observations, actions, _, following, *_ = update.batch
        size, draw = (self.samples, *actions.shape), update.generator
        uniform = 2 * torch.rand(size, generator=draw) - 1
        even = torch.full(size[:2], -actions.shape[1] * math.log(2.0))
        here = nets.sampled(observations, torch.randn(size, generator=draw))
        there = nets.sampled(following, torch.randn(size, generator=draw))
        kinds = ((uniform, even), here, there)
        return torch.cat([kind[0] for kind in kinds]), torch.cat([kind[1] for kind in kinds])
