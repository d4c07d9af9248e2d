"""Settings of an offline agent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.offline.draws import DRAWS, Draw
from zerogym.agents.offline.method import METHODS, Method
from zerogym.agents.settings import check_above, check_at_least, check_types


@describe_fields
@dataclass(frozen=True)
class OfflineConfig:
    """Everything that decides a training run; same settings and data, same agent (on a CPU).

    Raises:
        TypeError: If a value is not of its field's type; the message names it.
        ValueError: If a number is outside its range, or the method learns whole trajectories.
        UnknownName: If there is no such method or draw.
    """

    method: str | Method | Mapping[str, Any] = field(
        default="iql", metadata={"parts": METHODS}
    )  # a name, a part, or its record
    draw: str | Draw | Mapping[str, Any] = field(
        default="uniform", metadata={"parts": DRAWS}
    )  # how likely each transition is in a batch
    updates: int = 10_000  # gradient steps
    batch_size: int = (
        256  # transitions an update; all of the data if there are no more and all are alike
    )
    hidden: int = 256  # width of the hidden layers
    layers: int = 2  # hidden layers; 0: linear, a table where states are one-hot
    lr: float = 3e-4  # Adam's rate, of all networks
    gamma: float = 0.99  # discount a step, in [0, 1]
    tau: float = 0.005  # part of the way that target networks move
    seed: int = 0  # of weights, batches and noise

    def __post_init__(self) -> None:
        check_types(self)
        check_at_least(self, updates=0, batch_size=1, hidden=1, layers=0, gamma=0.0, seed=0)
        check_above(self, lr=0.0, tau=0.0)
        if self.gamma > 1 or self.tau > 1:
            raise ValueError(f"gamma and tau are at most 1, got {self.gamma} and {self.tau}")
        _ = self.part
        DRAWS.make(self.draw)

    @property
    def part(self) -> Method:
        """The method as a part.

        Raises:
            ValueError: If it learns whole trajectories.
        """
        found = METHODS.make(self.method)
        if not isinstance(found, Method):
            raise ValueError(
                f"{found.title()} learns whole trajectories: make a DecisionTransformer of them"
            )
        return found

    def record(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        return {**vars(self), "method": self.part.record(), "draw": DRAWS.make(self.draw).record()}
