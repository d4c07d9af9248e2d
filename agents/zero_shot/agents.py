"""The table of zero-shot agents, one paper each, with their settings; no torch.

`zerogym train zero_shot --agent NAME` trains any of them by the interface of `protocol.py`. One's
own agent is a part that makes a `ZeroShotAgent`, named as `"my_module:Name"`. Models are imported
when they are made, by their place, because those modules are above this one.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from zerogym.agents.parts import Part, Table
from zerogym.envs.references import load_reference

_METHODS = "zerogym.agents.zero_shot.methods"


class Start(NamedTuple):
    """What an agent starts from."""

    env: str  # id of the world
    dataset: Any  # the `Dataset` to learn from
    actions: int  # number of discrete actions, or of coordinates of a continuous one
    discrete: bool  # which of the two
    updates: int  # of the whole training; rates may follow it
    seed: int  # of the initial weights and the batches


class Agent(Part):
    """A zero-shot agent with its settings.

    Attributes:
        model: The class of the model, as `module:Name`; its `start` makes a new one.
    """

    model: ClassVar[str]

    def model_class(self) -> Any:
        """Return the class of the model, a `ZeroShotAgent`."""
        return load_reference(self.model, "agent")

    @abstractmethod
    def __call__(self, start: Start) -> Any:
        """Return a new `ZeroShotAgent`."""


AGENTS: Table[Agent] = Table("agent", Agent, __name__)
agent = AGENTS.register


@agent("fb")
@dataclass(frozen=True)
class FBSettings(Agent):
    """Learn forward-backward representations; `zerogym train fb` has all their settings."""

    source = "Learning One Representation to Optimize All Rewards (2021, arXiv 2103.07945)"
    model = f"{_METHODS}.fb:FB"
    dim: int = 0  # d, the length of z; 0: that of the world's preset
    gamma: float = 0.95  # discount a step, in [0, 1)

    def __call__(self, start: Start) -> Any:
        """Return a new agent with the preset of its world, where there is one."""
        return self.model_class().start(self, start)


@agent("psm")
@dataclass(frozen=True)
class PSMSettings(Agent):
    """Span the visits of all policies by those of random ones; a task is a linear program.

    For worlds of few states, whose model is counted from the data. An update is one policy.
    """

    source = (
        "Proto Successor Measure: Representing the Behavior Space of an RL Agent (2024, arXiv "
        "2411.19418)"
    )
    model = f"{_METHODS}.psm:PSM"
    gamma: float = 0.95  # discount a step, in [0, 1)

    def __call__(self, start: Start) -> Any:
        """Return a new agent without policies."""
        return self.model_class().start(self, start)
