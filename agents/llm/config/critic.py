"""The critic of a run, in place of the preset's."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group, check_above


@describe_fields
@dataclass(frozen=True)
class CriticSettings(Group):
    """The estimation of values, where the advantage has a critic."""

    gamma: float | None = None  # discount per token, or turn of vl_dac, in [0, 1]
    gae_lambda: float | None = None  # bias-variance trade-off, in [0, 1]; 1: no bias
    value_coef: float | None = None  # weight of the values' loss, above 0
    value_clip: float | None = None  # bound of a value's change; 0: none
    value_lr: float = 1e-2  # learning rate of the value head

    def _check(self) -> None:
        """Refuse a learning rate that is not above 0."""
        check_above(self, value_lr=0)
