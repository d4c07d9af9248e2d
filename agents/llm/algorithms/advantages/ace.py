"""ACE: wrong episodes that the policy has become surer of weigh more."""

from dataclasses import dataclass

import numpy as np

from zerogym.agents.llm.algorithms.advantage_tables import Advantage, advantage
from zerogym.agents.llm.algorithms.advantages.group_relative import Grpo
from zerogym.agents.llm.algorithms.batch import Batch, Sample, Weights


@advantage("ace")
@dataclass(frozen=True)
class Ace(Advantage):
    """Scale negative advantages up: `A (1 + alpha softplus(c))`, c = log(policy / reference).

    c is of the whole episode, with the policy's probability when it was sampled. A is GRPO's;
    positive advantages stay as they are.
    """

    source = (
        "Overconfident Errors Need Stronger Correction: Asymmetric Confidence Penalties for "
        "Reinforcement Learning (2026, arXiv 2602.21420)"
    )
    signals = ("reference",)

    alpha: float = 1.0  # strength of the penalty; 0 is GRPO (our choice)

    def __call__(self, batch: Batch) -> Weights:
        """Return the scaled advantages."""
        weights = Grpo()(batch)
        return [
            [self._scaled(float(own), sample) for own, sample in zip(each, group, strict=True)]
            for each, group in zip(weights, batch.groups, strict=True)
        ]

    def _scaled(self, weight: float, sample: Sample) -> float:
        if weight >= 0:
            return weight
        shift = float((sample.logprobs - sample.signals["reference"]).sum())
        return weight * (1 + self.alpha * float(np.logaddexp(0.0, shift)))
