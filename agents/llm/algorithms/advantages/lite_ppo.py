"""Lite PPO: the group's mean and the deviation of the whole batch."""

from dataclasses import dataclass

import numpy as np

from zerogym.agents.llm.algorithms.advantage_tables import Advantage, advantage
from zerogym.agents.llm.algorithms.advantages.group_relative import centred
from zerogym.agents.llm.algorithms.batch import Batch, Weights, all_equal


@advantage("lite_ppo")
@dataclass(frozen=True)
class LitePpo(Advantage):
    """Divide by the deviation of the batch: `(r - mean of the group) / std of the batch`.

    Where rewards of a group hardly differ, its own deviation would blow noise up; that of the batch
    does not. A group of equal rewards has no weight. The preset `lite_ppo` adds the loss that is a
    mean over tokens. Left out: the paper's comparison of tricks.
    """

    source = "Tricks or Traps? A Deep Dive into RL for LLM Reasoning (2025, arXiv 2508.08221)"

    def __call__(self, batch: Batch) -> Weights:
        """Return `(r - mean of the group) / std of the batch`."""
        returns = [sample.total for sample in batch.samples]
        if all_equal(returns):
            return [[0.0] * len(group) for group in batch.groups]
        deviation = float(np.std(returns))
        weights = []
        for group in batch.groups:
            own = centred([sample.total for sample in group]) / deviation  # (G,)
            equal = all_equal([sample.reward for sample in group])
            weights.append([0.0] * len(group) if equal else own.tolist())
        return weights
