"""TD3+BC: a deterministic actor climbs Q and stays near the data."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from zerogym.agents.offline.method import Method, Update, method, squared
from zerogym.agents.offline.networks import Networks
from zerogym.agents.settings import check_at_least


@method("td3_bc")
@dataclass(frozen=True)
class TD3BC(Method):
    """TD3 with a term of imitation, which Q's mean size keeps in proportion.

    The actor's loss is -lambda mean Q(s, pi(s)) + mean (pi(s) - a)^2 with
    lambda = alpha / mean |Q|, the first critic's; Q's target is the smaller of two target critics
    at the target actor's action with clipped noise. Actor and targets move at every second update;
    observations are standardised. For continuous actions only.
    """

    source = '"A Minimalist Approach to Offline Reinforcement Learning" (2021, arXiv 2106.06860)'
    discrete: ClassVar[bool] = False
    heads: ClassVar[int] = 2
    standardised: ClassVar[bool] = True
    noisy: ClassVar[bool] = False
    every: ClassVar[int] = 2

    alpha: float = 2.5  # weight of Q beside that of imitation, which is 1
    policy_noise: float = 0.2  # deviation of the target action's noise
    noise_clip: float = 0.5  # its largest size

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, alpha=0.0, policy_noise=0.0, noise_clip=0.0)

    def losses(self, nets: Networks, update: Update) -> Iterator[tuple[str, Tensor]]:
        """Yield the critics' loss, and the actor's at every second update."""
        observations, actions, rewards, following, goes_on, *_ = update.batch
        with torch.no_grad():
            noise = torch.randn(actions.shape, generator=update.generator) * self.policy_noise
            noise = noise.clamp(-self.noise_clip, self.noise_clip)
            chosen = (nets.means(following, target=True) + noise).clamp(-1, 1)  # (n, m)
            later = nets.q(following, chosen, target=True).amin(0)  # (n,)
            target = rewards + update.gamma * goes_on * later
        yield "critic", squared(nets.q(observations, actions), target)
        if update.number % self.every:
            return
        own = nets.means(observations)  # (n, m)
        q = nets.q(observations, own)[0]  # (n,)
        weight = self.alpha / q.abs().mean().detach().clamp_min(1e-8)
        yield "actor", -weight * q.mean() + ((own - actions) ** 2).mean()
