"""The rows of an auxiliary term, whose gradient is added to that of the policy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from zerogym.agents.llm.algorithms.auxiliary_table import Auxiliary
from zerogym.agents.llm.algorithms.episode_tables import Groups
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.micro_batches import own_chunks
from zerogym.agents.llm.learner.rows import Rows, token_logprobs
from zerogym.agents.parts import errors_of
from zerogym.agents.trajectory import Flat
from zerogym.errors import PartFailed


@dataclass(frozen=True)
class AuxiliaryRows:
    """An auxiliary term in an update.

    Attributes:
        part: The term.
        rows: All of its rows.
        chunks: The rows of each of this process's micro-batches, and whether it counts.
        divisor: What the sum of their losses is divided by.
        packed: Whether a micro-batch is read as one row.
    """

    part: Auxiliary
    rows: Sequence[Flat]
    chunks: Sequence[tuple[list[int], bool]]
    divisor: float
    packed: bool

    @classmethod
    def make(
        cls, part: Auxiliary | None, groups: Groups, config: GRPOConfig, packed: bool
    ) -> "AuxiliaryRows | None":
        """Return the rows of a term; None if there are none, or its weight is 0.

        Raises:
            PartFailed: If the part raises, a row has nothing to score or to score it by, or the
                divisor is not above 0.
        """
        if part is None or not part.weight:
            return None
        with errors_of(part):
            rows = list(part.rows(groups))
            divisor = float(part.divisor(rows)) if rows else 1.0
        if not all(isinstance(row, Flat) and any(row.mask) and not row.mask[0] for row in rows):
            raise PartFailed(f"{part.title()} returned a row without scored tokens after its first")
        if not divisor > 0:
            raise PartFailed(f"{part.title()} returned the divisor {divisor!r}")
        return cls(part, rows, own_chunks(rows, config, packed), divisor, packed) if rows else None

    def backward(self, model: Any) -> float:
        """Add the gradient of this process's rows, and return the part of the loss that is theirs.

        Raises:
            PartFailed: If the part raises, or returns other than a loss of each row.
        """
        total = 0.0
        for chunk, counts in self.chunks:
            own = [self.rows[place] for place in chunk]
            rows = Rows.make(own, [[0.0] * sum(row.mask) for row in own], model.device)
            logprobs = token_logprobs(model, rows, 1.0, self.packed)  # (B, K)
            with errors_of(self.part):
                losses = self.part(logprobs, rows.mask)  # (B,)
            if not isinstance(losses, torch.Tensor) or losses.shape != (len(own),):
                raise PartFailed(f"{self.part.title()} returned no loss of each of {len(own)} rows")
            loss = self.part.weight * losses.sum() / self.divisor
            (loss if counts else 0 * loss).backward()
            total += float(loss.detach()) if counts else 0.0
        return total
