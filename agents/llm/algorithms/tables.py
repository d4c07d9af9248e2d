"""The tables of parts of one training step, and what a part of each does; no torch."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from zerogym.agents.llm.algorithms.batch import Batch, Floats, Places, Sample, Weights
from zerogym.agents.llm.algorithms.episode_tables import FILTERS, SHAPINGS
from zerogym.agents.llm.algorithms.rollout_tables import PROMPTS, ROLLOUTS
from zerogym.agents.llm.rollout.context_window import CONTEXTS
from zerogym.agents.parts import Part, Table, errors_of
from zerogym.errors import PartFailed

if TYPE_CHECKING:
    import torch

_HERE = "zerogym.agents.llm.algorithms"
SIGNALS = ("entropy", "reference", "values")  # numbers of own tokens that a learner can compute


class Advantage(Part):
    """An estimator of advantages: the weight of each of the policy's own tokens.

    A part declares what it needs, and the learner computes no more than that.

    Attributes:
        signals: Names of numbers of each own token in `Sample.signals`: `entropy` of the policy,
            the log-probability under the `reference` model, `values` of a critic.
        uses_equal_groups: Whether a group has weights although its rewards are all equal.
        minimum_group: Least number of episodes of a problem.
        critic: Whether a value head is trained; then it is a `ValueAdvantage`.
    """

    signals: ClassVar[tuple[str, ...]] = ()
    uses_equal_groups: ClassVar[bool] = False
    minimum_group: ClassVar[int] = 2
    critic: ClassVar[bool] = False

    @classmethod
    def fault(cls) -> str:
        """Return which signal no learner computes, in words; empty if there is none."""
        for name in cls.signals:
            if name not in SIGNALS:
                known = ", ".join(SIGNALS)
                return f"declares the signal {name!r}, which no learner computes: there are {known}"
        if "values" in cls.signals and not cls.critic:
            return "declares values without a critic: it must be a subclass of ValueAdvantage"
        return ""

    def needs(self) -> list[str]:
        """Return the signals, the critic and the group size that it needs, in words."""
        needed = [f"the signal {name!r} of each token" for name in self.signals]
        if self.critic:
            needed.append("a value head")
        return [*needed, f"groups of at least {self.minimum_group}"]

    @abstractmethod
    def __call__(self, batch: Batch) -> Weights:
        """Return the weight of each own token of each episode of each group.

        One number for an episode stands for all of its tokens.
        """


class ValueAdvantage(Advantage):
    """An estimator that compares returns with the values of a value head, which it trains.

    Attributes:
        detached: Whether the values train their head alone, and not the model below it.
        gamma: A setting of its subclasses: the discount per step.
    """

    signals = ("values",)
    uses_equal_groups = True
    minimum_group = 1
    critic = True
    detached: ClassVar[bool] = False
    gamma: float

    def steps(self, sample: Sample) -> Places:
        """Return the own tokens with which the steps of an episode begin (S,), the first one first.

        A step is what the value of a state counts: by default each token is one. Only the values
        before these tokens are trained.
        """
        return np.arange(sample.tokens)

    def step_rewards(self, sample: Sample) -> Floats:
        """Return the reward of each step of an episode (S,), the sum of its tokens'."""
        steps = self.steps(sample)
        return np.add.reduceat(sample.token_rewards, steps) if len(steps) else np.zeros(0)

    @abstractmethod
    def estimate(self, batch: Batch) -> tuple[list[Floats], list[Floats]]:
        """Return advantages (T,) and targets of the values (T,) of all episodes, in order.

        Targets count at the first token of a step alone.
        """

    def __call__(self, batch: Batch) -> Weights:
        """Return the advantages of `estimate`."""
        return batch.grouped(self.estimate(batch)[0])


@dataclass(frozen=True)
class Tokens:
    """The tokens of B episodes as a loss sees them, K places each.

    Attributes:
        logprobs: Of the chosen tokens under the present weights (B, K).
        old: The same under the weights that sampled them (B, K).
        ratio: That of their probabilities, as the `ratio` of the algorithm says (B, K).
        advantages: Their weights (B, K).
        mask: 1 on the policy's own tokens (B, K).
        turn: The number of the turn of each token in its episode (B, K).
    """

    logprobs: torch.Tensor
    old: torch.Tensor
    ratio: torch.Tensor
    advantages: torch.Tensor
    mask: torch.Tensor
    turn: torch.Tensor


class Surrogate(Part):
    """An objective of single tokens."""

    def bounds(self, tokens: Tokens) -> tuple[Any, Any]:
        """Return the bounds of the ratio, numbers or (B, K), for the metrics of clipping."""
        return 0.0, float("inf")

    @abstractmethod
    def __call__(self, tokens: Tokens) -> torch.Tensor:
        """Return the gain of each token (B, K), which is maximised."""


class Ratio(Part):
    """A ratio of probabilities, of tokens or of more than one."""

    @abstractmethod
    def __call__(
        self, change: torch.Tensor, mask: torch.Tensor, turn: torch.Tensor
    ) -> torch.Tensor:
        """Return the ratio at each token (B, K), 1 where the mask is 0.

        Args:
            change: Log-probability of each token now minus when it was sampled (B, K).
            mask: 1 on the policy's own tokens (B, K).
            turn: The number of the turn of each token in its episode (B, K).
        """


@dataclass(frozen=True)
class Totals:
    """The size of the batch of which a micro-batch is a part.

    Attributes:
        rows: Episodes.
        tokens: The policy's own tokens in them, at least 1.
        budget: The most own tokens of an episode, over all its turns; a constant of the run.
        steps: Steps with a value, at least 1; of an algorithm without values it has no meaning.
    """

    rows: int
    tokens: int
    budget: int
    steps: int = 1


class Aggregation(Part):
    """A mean of token values; the results of micro-batches add up to that of the batch."""

    @abstractmethod
    def __call__(self, values: torch.Tensor, mask: torch.Tensor, totals: Totals) -> torch.Tensor:
        """Return a scalar of values (B, K) where the mask (B, K) is 1."""


class Divergence(Part):
    """An estimate of KL(policy || reference) from sampled tokens."""

    @abstractmethod
    def __call__(self, logprobs: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
        """Return the estimate (B, K) of log-probabilities under policy and reference (B, K)."""


class Reference(Part):
    """The model that divergences are measured from: what becomes of it after an update.

    Attributes:
        follows: Whether its weights ever change.
    """

    follows: ClassVar[bool] = False

    def needs(self) -> list[str]:
        """Return that a model which changes is one of its own, in words."""
        return ["whole weights that are trained: no adapters, no shards"] if self.follows else []

    @abstractmethod
    def __call__(self, old: torch.Tensor, new: torch.Tensor, updates: int) -> torch.Tensor:
        """Return a weight of the reference model after an update.

        Args:
            old: The weight before, in float32 or more.
            new: The policy's after the update.
            updates: Number of updates so far, this one included.
        """


class Correction(Part):
    """Importance weights of tokens that another engine or older weights sampled.

    Attributes:
        corrects: Whether there are weights; else the trainer makes no pass to compute them.
    """

    corrects: ClassVar[bool] = True

    def ratio(self, gap: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the ratio of probabilities that the metrics show (B, K): each token's own."""
        return gap.exp()

    def bounds(self) -> tuple[float, float]:
        """Return the bounds of the ratio, for the metric of what is outside."""
        return 0.0, float("inf")

    @abstractmethod
    def __call__(self, gap: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the weight of each token's objective (B, K).

        Args:
            gap: Log-probability of each token as the step begins minus when it was sampled (B, K).
            mask: 1 on the policy's own tokens (B, K).
        """


class SequenceLoss(Part):
    """A loss of the scores of a group's episodes, in place of advantage and surrogate.

    Attributes:
        against_reference: Whether a score is the log-ratio to the reference model; else it is that
            to the policy that sampled.
        minimum_group: Least number of episodes of a problem.
    """

    against_reference: ClassVar[bool] = False
    minimum_group: ClassVar[int] = 2

    def needs(self) -> list[str]:
        """Return the reference and the group size, in words."""
        reference = ["a reference model"] if self.against_reference else []
        return [*reference, f"groups of at least {self.minimum_group}"]

    @abstractmethod
    def __call__(self, scores: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
        """Return the loss of one group, a scalar with a gradient by the scores.

        Args:
            scores: Log-probability of each episode less that of the model it is compared with (G,).
            returns: Their returns, reward shaping included (G,).
        """


ADVANTAGES: Table[Advantage] = Table("advantage", Advantage, f"{_HERE}.advantages")
SURROGATES: Table[Surrogate] = Table("surrogate", Surrogate, f"{_HERE}.losses.surrogates")
RATIOS: Table[Ratio] = Table("ratio", Ratio, f"{_HERE}.losses.ratios")
AGGREGATIONS: Table[Aggregation] = Table("aggregation", Aggregation, f"{_HERE}.losses.aggregations")
DIVERGENCES: Table[Divergence] = Table("kl_estimator", Divergence, f"{_HERE}.divergences")
REFERENCES: Table[Reference] = Table("reference", Reference, f"{_HERE}.references")
SEQUENCE_LOSSES: Table[SequenceLoss] = Table(
    "sequence_loss", SequenceLoss, f"{_HERE}.losses.sequences"
)
CORRECTIONS: Table[Correction] = Table(
    "correction", Correction, f"{_HERE}.losses.importance_corrections"
)
TABLES: dict[str, Table[Any]] = {  # by the run's setting
    table.kind: table
    for table in (
        *(ADVANTAGES, SURROGATES, RATIOS, AGGREGATIONS, DIVERGENCES, REFERENCES),
        *(SEQUENCE_LOSSES, CORRECTIONS, FILTERS, SHAPINGS, CONTEXTS, PROMPTS, ROLLOUTS),
    )
}
advantage, surrogate, ratio = ADVANTAGES.register, SURROGATES.register, RATIOS.register
aggregation, divergence = AGGREGATIONS.register, DIVERGENCES.register
reference, sequence_loss = REFERENCES.register, SEQUENCE_LOSSES.register
correction = CORRECTIONS.register


def weigh(part: Advantage, batch: Batch) -> list[Floats]:
    """Return the weights (T,) of the own tokens of all episodes, in order.

    Raises:
        PartFailed: If the part raises, or returns other shapes, or numbers that are not finite
            although all rewards are.
    """
    with errors_of(part):
        weights = [[np.asarray(own, dtype=np.float64) for own in group] for group in part(batch)]
    sizes, found = ([len(group) for group in groups] for groups in (batch.groups, weights))
    if sizes != found:
        raise PartFailed(f"{part.title()} weighed {found!r:.60} episodes of {sizes!r:.60}")
    return _checked(part, [own for group in weights for own in group], batch)


def estimated(part: ValueAdvantage, batch: Batch) -> tuple[list[Floats], list[Floats]]:
    """Return advantages (T,) and targets of values (T,) of all episodes, in order; as `weigh`."""
    with errors_of(part):
        advantages, targets = (
            [np.asarray(own, dtype=np.float64) for own in numbers]
            for numbers in part.estimate(batch)
        )
    return _checked(part, advantages, batch), _checked(part, targets, batch)


def _checked(part: Advantage, weights: list[Floats], batch: Batch) -> list[Floats]:
    """Return numbers of each own token; one number of an episode stands for all of its tokens."""
    samples = batch.samples
    for own, sample in zip(weights, samples, strict=True):
        if own.shape not in ((), (sample.tokens,)):
            raise PartFailed(
                f"{part.title()} returned weights of shape {own.shape} for an episode of "
                f"{sample.tokens} tokens"
            )
    finite = all(np.isfinite(own).all() for own in weights)
    if not finite and all(np.isfinite(sample.total) for sample in samples):
        raise PartFailed(f"{part.title()} returned weights that are not finite")
    return [
        own if own.shape else np.full(sample.tokens, own)
        for own, sample in zip(weights, samples, strict=True)
    ]
