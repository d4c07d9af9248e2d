"""TRR++: a baseline and a deviation for each role and kind of task."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from zerogym.agents.llm.algorithms.advantage_tables import Advantage, advantage
from zerogym.agents.llm.algorithms.batch import Batch, Sample, Weights, all_equal


@advantage("trr_pp")
@dataclass(frozen=True)
class TrrPP(Advantage):
    """Compare an episode with all of its batch of the same role and kind of task.

    `A = (r - mean) / std` over the returns of all episodes of the batch with the same environment,
    role and category: a proposer and a solver of three kinds of tasks have six baselines, and none
    of them depends on the others. Where all returns are equal the advantages are 0. The deviation
    is that of the returns themselves (divided by their number: our choice).
    """

    source = (
        '"Absolute Zero: Reinforced Self-play Reasoning with Zero Data" (2025, arXiv 2505.03335)'
    )
    uses_equal_groups = True
    minimum_group = 1

    def __call__(self, batch: Batch) -> Weights:
        """Return `(r - mean) / std` of each episode's role and kind of task."""
        returns: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for sample in batch.samples:
            returns[_kind(sample)].append(sample.total)
        # Sorted, so that the order of the groups does not matter to the last bit.
        means = {kind: float(np.mean(sorted(own))) for kind, own in returns.items()}
        scales = {
            kind: 0.0 if all_equal(own) else 1 / float(np.std(sorted(own)))
            for kind, own in returns.items()
        }
        return [
            [(each.total - means[_kind(each)]) * scales[_kind(each)] for each in group]
            for group in batch.groups
        ]


def _kind(sample: Sample) -> tuple[str, ...]:
    item = sample.trajectory
    return item.env, item.role, str(item.info.get("category", ""))
