"""PSR, NSR and W-REINFORCE: constants for right and for wrong episodes, without a baseline.

"The Surprising Effectiveness of Negative Reinforcement in LLM Reasoning" (2025, arXiv 2506.01347).
PSR and NSR differ by a constant baseline, so that their expected gradients on-policy are the same;
finite groups, several passes and the optimiser make the difference. Left out: rewards between right
and wrong, which count as `Sample.correct` says.
"""

from dataclasses import dataclass

from zerogym.agents.llm.algorithms.advantage_tables import Advantage, advantage
from zerogym.agents.llm.algorithms.batch import Batch, Weights

_SOURCE = (
    "The Surprising Effectiveness of Negative Reinforcement in LLM Reasoning (2025, arXiv "
    "2506.01347)"
)


class SignedOutcome(Advantage):
    """An advantage with one weight of right episodes and one of wrong ones.

    Attributes:
        positive: The weight of a right episode, a setting of its subclasses.
        negative: That of a wrong one.
    """

    source = _SOURCE
    uses_equal_groups = True
    minimum_group = 1
    positive: float
    negative: float

    def __call__(self, batch: Batch) -> Weights:
        """Return `positive` for right episodes and `negative` for wrong ones."""
        return [
            [self.positive if sample.correct else self.negative for sample in group]
            for group in batch.groups
        ]


@advantage("psr")
@dataclass(frozen=True)
class Psr(SignedOutcome):
    """Reinforce right episodes alone: 1 and 0."""

    positive: float = 1.0  # weight of a right episode
    negative: float = 0.0  # weight of a wrong one


@advantage("nsr")
@dataclass(frozen=True)
class Nsr(SignedOutcome):
    """Push wrong episodes down and leave right ones alone: 0 and -1."""

    positive: float = 0.0  # weight of a right episode
    negative: float = -1.0  # weight of a wrong one


@advantage("w_reinforce")
@dataclass(frozen=True)
class WReinforce(SignedOutcome):
    """Push wrong episodes down and reinforce right ones a little: 0.1 and -1."""

    positive: float = 0.1  # weight of a right episode
    negative: float = -1.0  # weight of a wrong one
