"""The table of auxiliary terms: losses on rows of their own beside the policy's; no torch."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from zerogym.agents.llm.algorithms.episode_tables import Groups
from zerogym.agents.parts import Part, Table
from zerogym.agents.trajectory import Flat

if TYPE_CHECKING:
    import torch

_HERE = "zerogym.agents.llm.algorithms"


class Auxiliary(Part):
    """A loss of further rows that is added to the policy's in the same optimiser step.

    The rows are those of the episodes of an update, under other prompts, say, or texts of an
    expert. What is added is `weight` times the sum of the rows' losses by a divisor of its own, so
    that neither the number of episodes nor micro-batches change its share. With weight 0 nothing
    is computed.

    Attributes:
        surveys: Whether it needs what seats of games of talk believe after messages.
        weight: A setting of its subclasses: of the loss, at least 0.
    """

    surveys: ClassVar[bool] = False
    weight: float

    def needs(self) -> list[str]:
        """Return the surveys, in words."""
        return ["surveys of a game of talk"] if self.surveys else []

    @abstractmethod
    def rows(self, groups: Groups) -> Sequence[Flat]:
        """Return the rows; what is scored of each are its tokens with mask 1, none the first."""

    def divisor(self, rows: Sequence[Flat]) -> float:
        """Return what the sum of the losses is divided by: the number of rows."""
        return float(len(rows))

    @abstractmethod
    def __call__(self, logprobs: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the loss of each of B rows (B,).

        Args:
            logprobs: Log-probabilities of tokens at temperature 1 (B, K).
            mask: 1 on the scored ones (B, K); what stands elsewhere has no meaning.
        """


AUXILIARY: Table[Auxiliary] = Table("auxiliary", Auxiliary, f"{_HERE}.auxiliary")
auxiliary = AUXILIARY.register
