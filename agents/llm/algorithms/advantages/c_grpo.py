"""C-GRPO: right answers are weighted by how much of them their citations prove."""

from dataclasses import dataclass

import numpy as np

from zerogym.agents.llm.algorithms.advantage_tables import Advantage, advantage
from zerogym.agents.llm.algorithms.advantages.group_relative import Grpo
from zerogym.agents.llm.algorithms.batch import Batch, Weights, all_equal


@advantage("c_grpo")
@dataclass(frozen=True)
class CGrpo(Advantage):
    """Weight rewards by citations, then compare as GRPO: `r (1 - a + a s / max s)`.

    `s` is `info["rubric"]`, the share of the facts that the answer of an episode proves, as
    zerogym/Search-v0 has it, and `max s` is the largest of the group; where it is 0, and where an
    environment has no rubric, the weight is `1 - a` for all. The authors' code computes the
    division by `max s` and trains without it, which is `grpo` with the world's
    `rubric_weight=0.3`; here it is as in the paper. A group in which all are right has weights,
    too, if its shares differ.
    """

    source = (
        '"Chaining the Evidence: Robust Reinforcement Learning for Deep Search Agents with '
        'Citation-Aware Rubric Rewards" (2026, arXiv 2601.06021)'
    )
    uses_equal_groups = True
    alpha: float = 0.3  # weight of the citations, in [0, 1]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.alpha <= 1:
            raise ValueError(f"alpha must be in [0, 1], got {self.alpha!r}")

    def __call__(self, batch: Batch) -> Weights:
        """Return the advantages of the weighted rewards, less penalties."""
        weights = []
        for group in batch.groups:
            shares = np.array([float(one.trajectory.info.get("rubric", 0.0)) for one in group])
            if shares.max(initial=0.0) > 0:
                shares = shares / shares.max()
            rewards = np.array([sample.reward for sample in group])  # (G,)
            rewards = rewards * (1 - self.alpha + self.alpha * shares)
            penalties = np.array([sample.penalty.sum() for sample in group])  # (G,)
            own = Grpo().of_group((rewards - penalties).tolist())  # (G,)
            weights.append((own * (not all_equal(rewards))).tolist())
        return weights
