"""Methods of offline learning: parts that learn single steps by losses, or whole trajectories."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from zerogym.agents.offline.networks import Networks, Shape
from zerogym.agents.offline.sequences.config import SequenceConfig, SequenceSettings
from zerogym.agents.offline.transitions import Transitions
from zerogym.agents.parts import Part, Table


class Update(NamedTuple):
    """The inputs of an update, beside the networks.

    Attributes:
        batch: n transitions.
        gamma: The discount.
        number: Of the update, from 1.
        generator: Of all noise.
    """

    batch: Transitions
    gamma: float
    number: int
    generator: torch.Generator


class OfflineMethod(Part):
    """Base of the methods of the table: a `Method`, or a `SequenceMethod`."""


@dataclass(frozen=True)
class SequenceMethod(SequenceSettings, OfflineMethod):
    """Base of the methods that learn whole trajectories: settings of a `DecisionTransformer`.

    Attributes:
        constrained: Whether it needs costs, and takes a budget.
    """

    constrained: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check()

    def config(self, updates: int, seed: int) -> SequenceConfig:
        """Return all settings of the agent."""
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        return SequenceConfig(**own, constrained=self.constrained, updates=updates, seed=seed)


class Method(OfflineMethod):
    """Base of the methods that learn single steps: losses, one after the other.

    Attributes:
        discrete: Whether it takes numbered actions.
        continuous: Whether it takes vectors as actions.
        heads: Critics; 0 for none.
        value: Whether it has a state value.
        actor: Whether it has an actor; else it acts greedily by the critics.
        reward_free: Whether rewards do not matter.
        standardised: Whether observations are read less their mean, by their deviation.
        noisy: Whether the actor is a distribution, from which `predict` may sample.
        every: Updates for each move of the targets.

    `heads`, `value` and `actor` are those of `networks`, which a method may have otherwise.
    """

    discrete: ClassVar[bool] = True
    continuous: ClassVar[bool] = True
    heads: ClassVar[int] = 0
    value: ClassVar[bool] = False
    actor: ClassVar[bool] = True
    reward_free: ClassVar[bool] = False
    standardised: ClassVar[bool] = False
    noisy: ClassVar[bool] = True
    every: ClassVar[int] = 1

    def networks(self, shape: Shape) -> Networks:
        """Return new networks."""
        return Networks(shape, self.heads, self.value, self.actor)

    @abstractmethod
    def losses(self, nets: Networks, update: Update) -> Iterator[tuple[str, Tensor]]:
        """Yield names of `LEARNT` networks with a loss, which its parameters then descend.

        Each step is taken before the next loss is computed.
        """


METHODS: Table[OfflineMethod] = Table("method", OfflineMethod, "zerogym.agents.offline.methods")
method = METHODS.register


def squared(found: Tensor, target: Tensor) -> Tensor:
    """Return the mean squared error of critics (H, n), added up over them, to a target (n,)."""
    return ((found - target) ** 2).mean(1).sum()
