"""R-Zero: a challenger whose problems are right half of the time, in turn with their solver."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from zerogym.agents.llm.algorithms.rollout_tables import rollouts
from zerogym.agents.llm.algorithms.rollouts.absolute_zero import AbsoluteZero
from zerogym.agents.settings import check_at_least


def uncertainty(rate: float) -> float:
    """Return `1 - 2 |rate - 1/2|`: 1 where half of the attempts succeed, 0 where all or none do.

    Example:
        >>> uncertainty(0.5), uncertainty(0.25), uncertainty(1.0)
        (1.0, 0.5, 0.0)
    """
    return 1 - 2 * abs(rate - 0.5)


@rollouts("r_zero")
@dataclass(frozen=True)
class RZero(AbsoluteZero):
    """Reward proposals that are as often right as wrong, less the share of equal ones in the step.

    An accepted proposal has `max(0, uncertainty - share)`, where the share is that of the accepted
    proposals of the step that are equal to it; anything else has 0. The solver has 1 for what is
    right and 0 for the rest, and is trained on problems whose share of right episodes is within
    `band` of one half. All else is as in `absolute_zero`: the task's own solver knows the answers,
    where the paper takes those of the majority, and there is one policy for both seats. Left out:
    the clusters of texts by their BLEU score, of which equality is the limit, and the turns of many
    steps in which only one of the two is trained.
    """

    source = '"R-Zero: Self-Evolving Reasoning LLM from Zero Data" (2025, arXiv 2508.05004)'
    wrong = malformed = 0.0

    proposals: int = 4  # episodes of a proposer's prompt
    band: float = 0.25  # largest distance of a solver's share of right episodes from one half

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, band=0)

    def rewards(self, proposals: Sequence[str], rates: Sequence[float]) -> list[float]:
        """Return the uncertainty of each, less the share of proposals that are equal to it."""
        counts = Counter(proposals)
        return [
            max(0.0, uncertainty(rate) - counts[one] / len(proposals))
            for one, rate in zip(proposals, rates, strict=True)
        ]

    def trains_on(self, rate: float) -> bool:
        """Return whether the share of right episodes is in the band."""
        return abs(rate - 0.5) <= self.band
