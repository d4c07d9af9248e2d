"""The objective of an update, in place of the preset's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.algorithms.auxiliary_table import AUXILIARY, Auxiliary
from zerogym.agents.llm.algorithms.loss_tables import (
    AGGREGATIONS,
    RATIOS,
    SEQUENCE_LOSSES,
    SURROGATES,
    Aggregation,
    Ratio,
    SequenceLoss,
    Surrogate,
)
from zerogym.agents.settings import Group


@describe_fields
@dataclass(frozen=True)
class ObjectiveSettings(Group):
    """The objective of an update in place of the preset's: surrogate, ratio, clipping, mean."""

    surrogate: str | Surrogate | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": SURROGATES}
    )  # objective of a token
    ratio: str | Ratio | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": RATIOS}
    )  # of probabilities: a token's, a turn's, GSPO's sequence, RLOO's product
    aggregation: str | Aggregation | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": AGGREGATIONS}
    )  # mean over tokens and episodes
    sequence_loss: str | SequenceLoss | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": SEQUENCE_LOSSES}
    )  # loss of whole groups, in place of advantage and surrogate
    auxiliary: str | Auxiliary | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": AUXILIARY}
    )  # loss of further rows beside the policy's
    clip_low: float | None = None  # distance of the ratio's lower bound from 1
    clip_high: float | None = None  # distance of its upper bound from 1
    dual_clip: float | None = None  # bound of the ratio where the advantage is negative; 0: none
    entropy: float | None = None  # weight of the entropy bonus
