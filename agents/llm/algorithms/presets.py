"""Algorithms of the GRPO family, and PPO: the settings by which they differ, and combinations.

The parts are in `advantages`, `losses`, `divergences`, `references` and `reward_shaping`; here are
only names and numbers, so that importing this loads no torch. Left out: learning
rates and batch sizes of the papers, which belong to their models; the format reward of
DeepSeek-R1-Zero, which is a matter of the environment.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, get_args

from zerogym.agents.llm.algorithms.episode_tables import FILTERS, SHAPINGS, Filter, Shaping
from zerogym.agents.llm.algorithms.filters.truncated import Truncated
from zerogym.agents.llm.algorithms.reward_shaping import Overlong
from zerogym.agents.llm.algorithms.tables import (
    ADVANTAGES,
    AGGREGATIONS,
    CORRECTIONS,
    DIVERGENCES,
    RATIOS,
    REFERENCES,
    SEQUENCE_LOSSES,
    SURROGATES,
    Advantage,
    Aggregation,
    Correction,
    Divergence,
    Ratio,
    Reference,
    SequenceLoss,
    Surrogate,
)
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
    gamma: float | None = None
    gae_lambda: float | None = None
    value_coef: float = 0.1
    value_clip: float = 0.2
    sequence_loss: str | SequenceLoss | Mapping[str, Any] | None = None

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
            self.corrector, self.filters, self.shapings, self.anchor,
        )  # fmt: skip
        if self.sequences is not None:
            self._check_alone()
        if self.refills and part.uses_equal_groups and not part.critic:
            raise ValueError(
                f"refills replace groups of equal rewards, which {part.title()} uses: set refills=0"
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


@dataclass(frozen=True, kw_only=True)
class Preset(Algorithm):
    """An algorithm as a paper has it.

    Attributes:
        source: Title, year and arXiv id of the paper.
        notes: What the numbers are that it does not print, and what differs.
    """

    source: str
    notes: str = ""

    def changes(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults of `Algorithm`, as JSON values."""
        named = (
            (field.name, getattr(self, field.name), field.default) for field in fields(Algorithm)
        )
        return {name: value for name, value, default in named if value != default}


PRESETS: Mapping[str, Preset] = {
    "r1_zero": Preset(
        kl=0.001, clip_low=10.0, clip_high=10.0,
        source="DeepSeek-R1: Incentivizing Reasoning Capability in LLMs via Reinforcement Learning "
        "(2025, arXiv 2501.12948)",
        notes="GRPO with a small KL. The clip ratio is printed for the next stage only.",
    ),
    "grpo": Preset(
        source="DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models "
        "(2024, arXiv 2402.03300)",
        notes="The paper has kl=0.04; 0 needs no second model.",
    ),
    "dr_grpo": Preset(
        advantage="dr_grpo", aggregation="constant",
        source="Understanding R1-Zero-Like Training: A Critical Perspective (2025, arXiv "
        "2503.20783)",
    ),
    "rloo": Preset(
        advantage="rloo", ratio="product", kl=0.05, kl_estimator="k1", kl_in="reward",
        source="Back to Basics: Revisiting REINFORCE Style Optimization for Learning from Human "
        "Feedback in LLMs (2024, arXiv 2402.14740)",
        notes="kl and the clipping as TRL 1.16 has them.",
    ),
    "reinforce_pp": Preset(
        advantage="reinforce_pp", aggregation="token_mean",
        kl=0.01, kl_estimator="k1", kl_in="reward",
        source="REINFORCE++: Stabilizing Critic-Free Policy Optimization with Global Advantage "
        "Normalization (2025, arXiv 2501.03262)",
        notes="kl as OpenRLHF 0.11 has it.",
    ),
    "lite_ppo": Preset(
        advantage="lite_ppo", aggregation="token_mean",
        source="Tricks or Traps? A Deep Dive into RL for LLM Reasoning (2025, arXiv 2508.08221)",
    ),
    "dapo": Preset(
        aggregation="token_mean", clip_high=0.28, overlong=0.2, refills=9,
        source="DAPO: An Open-Source LLM Reinforcement Learning System at Scale (2025, arXiv "
        "2503.14476)",
        notes="4,096 of at most 20,480 tokens are its buffer; 10 rollouts at most as in its public "
        "recipe.",
    ),
    "gspo": Preset(
        ratio="sequence", clip_low=3e-4, clip_high=4e-4,
        source="Group Sequence Policy Optimization (2025, arXiv 2507.18071)",
    ),
    "cispo": Preset(
        surrogate="cispo", aggregation="token_mean",
        clip_low=1.0, clip_high=4.0, overlong=0.2, refills=9,
        source="MiniMax-M1: Scaling Test-Time Compute Efficiently with Lightning Attention (2025, "
        "arXiv 2506.13585)",
        notes="No lower bound, DAPO's sampling and length penalty. The upper bound is TRL's; the "
        "paper does not print it.",
    ),
    "topr": Preset(
        advantage="dr_grpo", surrogate="topr", ratio="product", aggregation="constant",
        source="Tapered Off-Policy REINFORCE: Stable and efficient reinforcement learning for LLMs "
        "(2025, arXiv 2503.14286)",
        notes="Sums over tokens, no divergence.",
    ),
    "ppo": Preset(
        advantage="gae", aggregation="token_mean",
        source="Proximal Policy Optimization Algorithms (2017, arXiv 1707.06347)",
        notes="gamma = lambda = 1, no divergence. The bound and the weight of the values as TRL "
        "had them.",
    ),
    "open_reasoner_zero": Preset(
        advantage="gae", gamma=1.0, gae_lambda=1.0, aggregation="sequence_mean",
        source="Open-Reasoner-Zero: An Open Source Approach to Scaling Up Reinforcement Learning "
        "on the Base Model (2025, arXiv 2503.24290)",
        notes="No divergence; clipping and the mean over each reply as the authors' code. Its "
        "values have a model of their own and more steps than the policy: here they share it, and "
        "their weight is ppo's.",
    ),
    "simple_rl_zoo": Preset(
        aggregation="token_mean", kl=1e-4, entropy=1e-3,
        source="SimpleRL-Zoo: Investigating and Taming Zero Reinforcement Learning for Open Base "
        "Models in the Wild (2025, arXiv 2503.18892)",
        notes="The numbers of the authors' scripts for models of up to 14B; above it kl is 1e-3.",
    ),
    "t1": Preset(
        advantage="rloo", aggregation="token_mean", kl=0.01, entropy=1e-3, reference="ema",
        source="T1: Advancing Language Model Reasoning through Reinforcement Learning and "
        "Inference Scaling (2025, arXiv 2501.11651)",
        notes="The moving average as the reference and the entropy bonus are the paper's; the "
        "numbers and the estimator are our choice.",
    ),
}  # fmt: skip


def get_preset(name: str) -> Preset:
    """Return the preset of a name; UnknownName suggests the nearest."""
    if name not in PRESETS:
        raise UnknownName("preset", name, list(PRESETS))
    return PRESETS[name]
