"""The algorithm of a run: a preset, and what a run changes of it before the loss.

`algorithms/algorithm.py` checks the numbers of this group and of `objective`, `divergence`,
`off_policy` and `critic`, because a preset has them, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.algorithms.advantage_tables import ADVANTAGES, Advantage
from zerogym.agents.llm.algorithms.episode_tables import FILTERS, SHAPINGS, Filter, Shaping
from zerogym.agents.llm.algorithms.rollout_tables import ROLLOUTS, Rollouts
from zerogym.agents.llm.algorithms.stage_table import STAGES, Stages
from zerogym.agents.settings import Group


@describe_fields
@dataclass(frozen=True)
class AlgorithmSettings(Group):
    """The preset, what a run changes of it before the loss, who learns, and stages.

    Here and in the groups of the objective, the divergence, the correction and the critic, None
    keeps what the preset has.
    """

    preset: str = "grpo"  # a paper's algorithm: zerogym parts preset lists them
    advantage: str | Advantage | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": ADVANTAGES}
    )  # estimator of advantages
    filter: str | Filter | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": FILTERS}
    )  # choice among the episodes of a step
    mask_truncated: bool | None = None  # whether episodes with a cut reply have no gradient
    shaping: str | Shaping | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": SHAPINGS}
    )  # reward of training beside the task's
    overlong: float | None = None  # share of max_new_tokens at the end with a penalty, in [0, 1)
    refills: int | None = None  # rounds that replace groups of equal rewards; 0: they stay
    rollouts: str | Rollouts | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": ROLLOUTS}
    )  # how a step comes to its groups: plain, refill, dars
    learns: tuple[str, ...] = ()  # roles or seats whose turns are trained on; empty: all
    stages: str | Stages | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": STAGES}
    )  # settings that hold by turns, and when one set follows another
