"""Replies of other weights or of another engine than the update's."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.algorithms.presets import CorrectionName
from zerogym.agents.settings import Group, check_at_least


@describe_fields
@dataclass(frozen=True)
class OffPolicySettings(Group):
    """The age of the weights that sample replies, and the correction for it."""

    staleness: int = 0  # steps by which a batch's weights are older, in a thread; 0: none
    correction: CorrectionName | None = (
        None  # of the engine: none, {token,sequence}_{truncate,mask}
    )
    correction_low: float | None = None  # least weight of a correction, in [0, 1]
    correction_high: float | None = None  # largest, at least 1

    def _check(self) -> None:
        """Refuse a staleness below 0."""
        check_at_least(self, staleness=0)
