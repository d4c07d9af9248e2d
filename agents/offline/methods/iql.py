"""Implicit Q-learning: no action is queried that the data do not have."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from zerogym.agents.offline.method import Method, Update, method, squared
from zerogym.agents.offline.networks import Networks
from zerogym.agents.settings import check_above


def expectile_loss(difference: Tensor, expectile: float) -> Tensor:
    """Return the mean of |expectile - 1[u < 0]| u^2 over differences u = q - v, (n,)."""
    weight = torch.where(difference > 0, expectile, 1 - expectile)
    return (weight * difference**2).mean()


def in_sample(
    nets: Networks,
    update: Update,
    value_loss: Callable[[Tensor], Tensor],
    temperature: float,
    largest: float,
) -> Iterator[tuple[str, Tensor]]:
    """Yield the losses of V, actor and Q of methods that query only the actions of the data.

    Args:
        nets: Those of the agent.
        update: The batch and the rest.
        value_loss: The loss of V as a function of the differences q - v, (n,).
        temperature: That of the actor's weights exp(temperature (q - v)).
        largest: The most that such a weight may be.
    """
    observations, actions, rewards, following, goes_on, *_ = update.batch
    with torch.no_grad():
        q = nets.q(observations, actions, target=True).amin(0)  # (n,)
    yield "value", value_loss(q - nets.values(observations))
    with torch.no_grad():
        advantage = q - nets.values(observations)  # (n,)
        weight = (temperature * advantage).exp().clamp(max=largest)
    yield "actor", -(weight * nets.log_prob(observations, actions)).mean()
    with torch.no_grad():
        target = rewards + update.gamma * goes_on * nets.values(following)  # (n,)
    yield "critic", squared(nets.q(observations, actions), target)


@method("iql")
@dataclass(frozen=True)
class IQL(Method):
    """V is an expectile of Q over the data's actions, which near 1 is its maximum among them.

    Q's target is r + gamma V(s'), and the actor imitates the data with weights
    exp(temperature (Q - V)), at most `largest`. As in the authors' code the order is V, actor, Q;
    V and the weights read the smaller of two target critics, and a Gaussian actor has a mean in
    [-1, 1] and the same deviations in all states. Discrete actions, which the paper has not, have
    the same losses with log-probabilities. Left out: dropout, the cosine decay of the actor's
    rate, and rewards scaled by the returns of the data.
    """

    source = '"Offline Reinforcement Learning with Implicit Q-Learning" (2021, arXiv 2110.06169)'
    heads: ClassVar[int] = 2
    value: ClassVar[bool] = True

    expectile: float = 0.7  # above 0.5, below 1: how near V is to the best action of the data
    temperature: float = 3.0  # of the weights of the actor; 0 imitates all alike
    largest: float = 100.0  # weight of an action

    def __post_init__(self) -> None:
        super().__post_init__()
        check_above(self, expectile=0.0, largest=0.0)
        if self.expectile >= 1 or self.temperature < 0:
            raise ValueError(
                "expectile must be below 1 and temperature at least 0, got "
                f"{self.expectile} and {self.temperature}"
            )

    def losses(self, nets: Networks, update: Update) -> Iterator[tuple[str, Tensor]]:
        """Yield the losses of V, actor and Q."""

        def of_value(difference: Tensor) -> Tensor:
            return expectile_loss(difference, self.expectile)

        return in_sample(nets, update, of_value, self.temperature, self.largest)
