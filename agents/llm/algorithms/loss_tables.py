"""The tables of parts of an objective: losses, ratios, means, divergences; no torch."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from zerogym.agents.parts import Part, Table

if TYPE_CHECKING:
    import torch

_HERE = "zerogym.agents.llm.algorithms"


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
surrogate, ratio = SURROGATES.register, RATIOS.register
aggregation, divergence = AGGREGATIONS.register, DIVERGENCES.register
reference, sequence_loss = REFERENCES.register, SEQUENCE_LOSSES.register
correction = CORRECTIONS.register
