"""OPO: the baseline with the least variance, a mean of returns weighted by length."""

from dataclasses import dataclass

import numpy as np

from zerogym.agents.llm.algorithms.advantage_tables import Advantage, advantage
from zerogym.agents.llm.algorithms.batch import Batch, Weights, all_equal


@advantage("opo")
@dataclass(frozen=True)
class Opo(Advantage):
    """Subtract the mean weighted by length: `r - sum(T r) / sum(T)`.

    It is the baseline of least variance if the squared gradient of an episode grows with its number
    T of tokens. Left out: the paper's exact on-policy training, which is `passes=1`.
    """

    source = "On-Policy RL with Optimal Reward Baseline (2025, arXiv 2505.23585)"

    def __call__(self, batch: Batch) -> Weights:
        """Return `r - sum(T r) / sum(T)`."""
        weights = []
        for group in batch.groups:
            returns = np.array([sample.total for sample in group])  # (G,)
            lengths = np.array([sample.tokens for sample in group])  # (G,)
            if all_equal(returns) or not lengths.any():
                weights.append([0.0] * len(group))
            else:
                weights.append((returns - (lengths * returns).sum() / lengths.sum()).tolist())
        return weights
