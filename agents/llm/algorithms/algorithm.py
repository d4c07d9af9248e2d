"""The settings by which the algorithms of the GRPO family differ, and PPO.

The parts are in `advantages`, `losses`, `divergences`, `references`, `filters` and
`shapings`; here are only names and numbers, so that importing this loads no torch.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, get_args

from zerogym.agents.llm.algorithms.advantage_tables import ADVANTAGES, Advantage
from zerogym.agents.llm.algorithms.auxiliary_table import AUXILIARY, Auxiliary
from zerogym.agents.llm.algorithms.episode_tables import FILTERS, SHAPINGS, Filter, Shaping
from zerogym.agents.llm.algorithms.filters.truncated import Truncated
from zerogym.agents.llm.algorithms.loss_tables import (
    AGGREGATIONS,
    CORRECTIONS,
    DIVERGENCES,
    RATIOS,
    REFERENCES,
    SEQUENCE_LOSSES,
    SURROGATES,
    Aggregation,
    Correction,
    Divergence,
    Ratio,
    Reference,
    SequenceLoss,
    Surrogate,
)
from zerogym.agents.llm.algorithms.rollout_tables import ROLLOUTS, Rollouts
from zerogym.agents.llm.algorithms.rollouts.plain import Plain
from zerogym.agents.llm.algorithms.rollouts.refill import Refill
from zerogym.agents.llm.algorithms.shapings.length import Overlong
from zerogym.agents.parts import P, Table
from zerogym.errors import UnknownName

KlPlace = Literal["loss", "reward"]


@dataclass(frozen=True)
class Algorithm:
    """The settings by which the algorithms differ; `GRPOConfig` documents each.

    Raises:
        UnknownName: If one of the names does not exist.
        ValueError: If a number is out of its range, or settings contradict each other.
    """

    advantage: str | Advantage | Mapping[str, Any] = "grpo"
    surrogate: str | Surrogate | Mapping[str, Any] = "clipped"
    ratio: str | Ratio | Mapping[str, Any] = "token"
    aggregation: str | Aggregation | Mapping[str, Any] = "sequence_mean"
    clip_low: float = 0.2
    clip_high: float = 0.2
    dual_clip: float = 0.0
    kl: float = 0.0
    kl_estimator: str | Divergence | Mapping[str, Any] = "k3"
    kl_in: KlPlace = "loss"
    kl_weighted: bool = False
    reference: str | Reference | Mapping[str, Any] = "start"
    entropy: float = 0.0
    correction: str | Correction | Mapping[str, Any] = "none"
    correction_low: float = 0.0
    correction_high: float = 2.0
    filter: str | Filter | Mapping[str, Any] | None = None
    mask_truncated: bool = False
    shaping: str | Shaping | Mapping[str, Any] | None = None
    overlong: float = 0.0
    refills: int = 0
    rollouts: str | Rollouts | Mapping[str, Any] | None = None
    gamma: float | None = None
    gae_lambda: float | None = None
    value_coef: float = 0.1
    value_clip: float = 0.2
    sequence_loss: str | SequenceLoss | Mapping[str, Any] | None = None
    auxiliary: str | Auxiliary | Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.kl_in not in get_args(KlPlace):
            raise UnknownName("kl_in", self.kl_in, list(get_args(KlPlace)))
        for name in (
            "clip_low", "clip_high", "dual_clip", "kl", "entropy", "refills", "value_clip",
        ):  # fmt: skip
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be at least 0, got {getattr(self, name)!r}")
        if not 0 < self.value_coef < math.inf:
            raise ValueError(f"value_coef must be above 0, got {self.value_coef!r}")
        if not 0 <= self.overlong < 1:
            raise ValueError(f"overlong must be in [0, 1), got {self.overlong!r}")
        if not 0 <= self.correction_low <= 1 <= self.correction_high < math.inf:
            raise ValueError(
                "correction_low must be in [0, 1] and correction_high at least 1, got "
                f"{self.correction_low!r} and {self.correction_high!r}"
            )
        if self.dual_clip and self.dual_clip < 1 + self.clip_high:
            raise ValueError(
                f"dual_clip must be 0 or at least 1 + clip_high, got {self.dual_clip!r}"
            )
        if self.dual_clip and not hasattr(self.objective, "dual_clip"):
            raise ValueError(f"dual_clip has no meaning for surrogate={self.surrogate!r}")
        if self.kl_weighted and self.kl_in == "reward":
            raise ValueError("kl_weighted has no meaning for kl_in='reward'")
        part, *_ = (  # unknown names end here
            self.estimator, self.objective, self.weighing, self.aggregator, self.divergence,
            self.corrector, self.filters, self.shapings, self.anchor, self.auxiliary_term,
        )  # fmt: skip
        if self.sequences is not None:
            self._check_alone()
        drops = self.rolling.drops_equal_groups
        if drops and part.uses_equal_groups and not part.critic:
            how = "set refills=0" if self.rollouts is None else "take other rollouts"
            raise ValueError(
                f"refills replace groups of equal rewards, which {part.title()} uses: {how}"
            )

    def _check_alone(self) -> None:
        """Refuse terms of token losses beside a sequence loss."""
        for name in ("kl", "entropy", "mask_truncated"):
            if getattr(self, name):
                raise ValueError(f"{name} has no meaning for sequence_loss={self.sequence_loss!r}")
        if any(part.masks for part in self.filters):
            raise ValueError(f"sequence_loss has no gradient to mask: filter={self.filter!r}")
        if self.corrector.corrects or self.estimator.critic:
            other = self.estimator.title() if self.estimator.critic else "correction"
            raise ValueError(f"sequence_loss and {other} do not go together")

    @cached_property
    def estimator(self) -> Advantage:
        """The part that `advantage` names; by its name alone it has gamma and lambda of here."""
        given = {name: getattr(self, name) for name in ("gamma", "gae_lambda")}
        return _with_settings(ADVANTAGES, self.advantage, given)

    @cached_property
    def rolling(self) -> Rollouts:
        """The part that `rollouts` names; without one it is `refill` if there are refills."""
        if self.rollouts is None:
            return Refill(self.refills) if self.refills else Plain()
        part = ROLLOUTS.make(self.rollouts)
        if self.rollouts == "refill" and isinstance(part, Refill) and self.refills:
            return replace(part, rounds=self.refills)
        return part

    @cached_property
    def objective(self) -> Surrogate:
        """The part that `surrogate` names; by its name alone it has the clipping of here."""
        given = {name: getattr(self, name) for name in ("clip_low", "clip_high", "dual_clip")}
        return _with_settings(SURROGATES, self.surrogate, given)

    @cached_property
    def corrector(self) -> Correction:
        """The part that `correction` names; by its name alone it has the bounds of here."""
        given = {"low": self.correction_low, "high": self.correction_high}
        return _with_settings(CORRECTIONS, self.correction, given)

    @cached_property
    def weighing(self) -> Ratio:
        """The part that `ratio` names."""
        return RATIOS.make(self.ratio)

    @cached_property
    def aggregator(self) -> Aggregation:
        """The part that `aggregation` names."""
        return AGGREGATIONS.make(self.aggregation)

    @cached_property
    def sequences(self) -> SequenceLoss | None:
        """The part that `sequence_loss` names; None: advantage and surrogate are the loss."""
        return None if self.sequence_loss is None else SEQUENCE_LOSSES.make(self.sequence_loss)

    @cached_property
    def auxiliary_term(self) -> Auxiliary | None:
        """The part that `auxiliary` names; None: there is no other loss than the policy's."""
        return None if self.auxiliary is None else AUXILIARY.make(self.auxiliary)

    @property
    def surveys(self) -> bool:
        """True if a part needs what seats believe after messages."""
        term = self.auxiliary_term
        return self.rolling.surveys or (term is not None and term.surveys and term.weight > 0)

    @cached_property
    def divergence(self) -> Divergence:
        """The part that `kl_estimator` names."""
        return DIVERGENCES.make(self.kl_estimator)

    @cached_property
    def anchor(self) -> Reference:
        """The part that `reference` names."""
        return REFERENCES.make(self.reference)

    @cached_property
    def filters(self) -> tuple[Filter, ...]:
        """The part that `filter` names, and that of `mask_truncated`."""
        named = () if self.filter is None else (FILTERS.make(self.filter),)
        return (*named, Truncated()) if self.mask_truncated else named

    @cached_property
    def shapings(self) -> tuple[Shaping, ...]:
        """The part that `shaping` names, and that of `overlong`."""
        named = () if self.shaping is None else (SHAPINGS.make(self.shaping),)
        return (*named, Overlong(self.overlong)) if self.overlong else named

    @property
    def kl_in_loss(self) -> float:
        """Weight of the divergence in the loss; 0 where it is in the reward."""
        return self.kl if self.kl_in == "loss" else 0.0

    @property
    def kl_in_reward(self) -> float:
        """Weight of the divergence in the reward; 0 where it is in the loss."""
        return self.kl if self.kl_in == "reward" else 0.0

    @property
    def pulls_always(self) -> bool:
        """True if there is a gradient where all advantages are 0."""
        return self.kl_in_loss > 0 or self.entropy > 0 or self.estimator.critic

    @property
    def needs_reference(self) -> bool:
        """True if log-probabilities of the reference model count."""
        if self.sequences is not None:
            return self.sequences.against_reference
        return self.kl > 0 or "reference" in self.estimator.signals

    @property
    def moves_reference(self) -> bool:
        """True if there is a reference model, and its weights change."""
        return self.needs_reference and self.anchor.follows

    @property
    def minimum_group(self) -> int:
        """Least number of episodes of a problem."""
        return (self.sequences or self.estimator).minimum_group


def _with_settings(
    table: Table[P], value: str | P | Mapping[str, Any], given: Mapping[str, Any]
) -> P:
    """Return a part; one that is just named has those of the given settings that it knows."""
    part = table.make(value)
    known = {field.name for field in fields(part)} if isinstance(value, str) else set()
    return replace(part, **{k: v for k, v in given.items() if k in known and v is not None})
