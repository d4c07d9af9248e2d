"""The settings of an agent as a part, and the data and sizes from which a new agent starts."""

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

from zerogym.agents.parts import Part, Table
from zerogym.envs.references import load_reference

METHODS = "zerogym.agents.zero_shot.methods"


class Start(NamedTuple):
    """The data, sizes and seed of a new agent."""

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
        discrete: Whether it needs discrete actions.
    """

    model: ClassVar[str]
    discrete: ClassVar[bool] = False

    def model_class(self) -> Any:
        """Return the class of the model, a `ZeroShotAgent`."""
        return load_reference(self.model, "agent")

    @abstractmethod
    def __call__(self, start: Start) -> Any:
        """Return a new `ZeroShotAgent`."""


AGENTS: Table[Agent] = Table("agent", Agent, __package__)
agent = AGENTS.register


def check_settings(part: Any, name: str) -> None:
    """Refuse numbers out of range."""
    for field, low in (("dim", 1), ("hidden", 1), ("batch_size", 2)):
        if getattr(part, field) < low:
            raise ValueError(f"agent {name}: {field} must be at least {low}")
    for field in ("expectile", "tau"):
        if hasattr(part, field) and not 0 < getattr(part, field) < 1:
            raise ValueError(f"agent {name}: {field} must be between 0 and 1")
    if not 0 <= part.gamma < 1 or part.lr < 0:
        raise ValueError(f"agent {name}: gamma must be in [0, 1) and lr at least 0")
