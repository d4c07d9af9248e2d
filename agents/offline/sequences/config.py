"""Settings of decision transformers: those that its method has in a run, and all of them."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group, check_above, check_at_least, check_types


@dataclass(frozen=True)
class SequenceSettings(Group):
    """The model and its steps; the defaults are those of the paper's control tasks."""

    context: int = 20  # steps that an action may depend on, its own among them
    batch_size: int = 64  # windows an update; one from each step of the data if there are no more
    width: int = 128  # numbers of a token
    heads: int = 1  # of attention
    layers: int = 3  # blocks
    lr: float = 1e-4  # rate of AdamW

    def _check(self) -> None:
        check_at_least(self, context=1, batch_size=1, width=1, heads=1, layers=1)
        check_above(self, lr=0.0)
        if self.width % self.heads:
            raise ValueError(f"width must be a multiple of heads, got {self.width}, {self.heads}")


@describe_fields
@dataclass(frozen=True)
class SequenceConfig(SequenceSettings):
    """Everything that decides a training run; the defaults are those of the paper's control tasks.

    Raises:
        TypeError: If a value is not of its field's type; the message names it.
        ValueError: If a number is outside its range.
    """

    constrained: bool = False  # condition on the cost to go, too
    updates: int = 10_000  # gradient steps
    seed: int = 0  # of weights and batches

    def __post_init__(self) -> None:
        check_types(self)
        check_at_least(self, updates=0, seed=0)
        self._check()
