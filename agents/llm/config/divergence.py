"""The distance to a reference model, in place of the preset's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.algorithms.algorithm import KlPlace
from zerogym.agents.llm.algorithms.loss_tables import DIVERGENCES, REFERENCES, Divergence, Reference
from zerogym.agents.settings import Group


@describe_fields
@dataclass(frozen=True)
class DivergenceSettings(Group):
    """The distance to the reference model: its weight, its estimator, its place, the model."""

    kl: float | None = None  # weight of the distance to the reference; 0 needs no such model
    kl_estimator: str | Divergence | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": DIVERGENCES}
    )  # estimator of the distance
    kl_in: KlPlace | None = None  # its place: loss, reward
    reference: str | Reference | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": REFERENCES}
    )  # the model: that of the start, or one that follows
    kl_weighted: bool | None = None  # whether the ratio multiplies it in the loss
