"""RL-ZVP: groups of equal rewards teach, too, by the entropy of their tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zerogym.agents.llm.algorithms.advantage_tables import Advantage, advantage
from zerogym.agents.llm.algorithms.advantages.group_relative import Grpo, all_equal
from zerogym.agents.llm.algorithms.batch import Batch, Floats, Sample, Weights


@advantage("rl_zvp")
@dataclass(frozen=True)
class RlZvp(Advantage):
    """Weigh groups of equal rewards by entropy H: all right `alpha H`, else `-alpha (max H - H)`.

    The maximum is over the tokens of the same episode. Other groups have GRPO's advantages. The
    entropy is a number without a gradient. Rewards that are equal count as right or wrong as
    `Sample.correct` says of each episode.
    """

    source = (
        "No Prompt Left Behind: Exploiting Zero-Variance Prompts in LLM Reinforcement Learning via "
        "Entropy-Guided Advantage Shaping (2025, arXiv 2509.21880)"
    )
    signals = ("entropy",)
    uses_equal_groups = True

    alpha: float = 0.1  # weight of the entropy, in nats

    def __call__(self, batch: Batch) -> Weights:
        """Return GRPO's advantages, and entropies where rewards are equal."""
        return [self._of_group(group) for group in batch.groups]

    def _of_group(self, group: Sequence[Sample]) -> list[Floats | float]:
        if not all_equal([sample.reward for sample in group]):
            return [*Grpo().of_group([sample.total for sample in group]).tolist()]
        return [self._of_entropy(sample) for sample in group]

    def _of_entropy(self, sample: Sample) -> Floats:
        entropy = sample.signals["entropy"]  # (T,)
        if sample.correct:
            return self.alpha * entropy
        return -self.alpha * (np.max(entropy, initial=0.0) - entropy)
