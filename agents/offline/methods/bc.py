"""Behaviour cloning: the policy is that of the data."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from zerogym.agents.offline.method import Method, Update, method
from zerogym.agents.offline.networks import Networks


@method("bc")
@dataclass(frozen=True)
class BC(Method):
    """Imitate the data, whatever the rewards: the least that an offline agent should beat.

    Discrete actions have the cross-entropy, whose minimum are the frequencies of the actions in
    each state; continuous ones the squared error, whose minimum is their mean.
    """

    source = '"ALVINN: An Autonomous Land Vehicle in a Neural Network" (1988)'
    reward_free: ClassVar[bool] = True
    noisy: ClassVar[bool] = False  # a squared error says nothing of how actions spread

    def losses(self, nets: Networks, update: Update) -> Iterator[tuple[str, Tensor]]:
        """Yield the actor's loss."""
        batch = update.batch
        if nets.shape.discrete:
            yield "actor", -nets.log_prob(batch.observations, batch.actions).mean()
        else:
            yield "actor", ((nets.means(batch.observations) - batch.actions) ** 2).mean()
