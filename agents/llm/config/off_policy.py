"""Replies of other weights or of another engine than the update's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.algorithms.loss_tables import CORRECTIONS, Correction
from zerogym.agents.settings import Group, check_at_least


@describe_fields
@dataclass(frozen=True)
class OffPolicySettings(Group):
    """The age of the weights that sample replies, and the correction for it."""

    staleness: int = 0  # steps by which a batch's weights are older, in a thread; 0: none
    correction: str | Correction | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": CORRECTIONS}
    )  # weights of tokens that another engine or older weights sampled
    correction_low: float | None = None  # least weight of a correction, in [0, 1]
    correction_high: float | None = None  # largest, at least 1

    def _check(self) -> None:
        """Refuse a staleness below 0."""
        check_at_least(self, staleness=0)
