"""TEMPO: credit at the tokens where the episodes of a group part, from their prefix tree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zerogym.agents.llm.algorithms.advantage_tables import Advantage, advantage
from zerogym.agents.llm.algorithms.advantages.group_relative import centred
from zerogym.agents.llm.algorithms.batch import Batch, Floats, Sample, Weights, all_equal


@advantage("tempo")
@dataclass(frozen=True)
class Tempo(Advantage):
    """Add the change of the prefix tree's value: `(r - mean + alpha (V' - V)) / std`.

    V is the mean return of all episodes of the group that begin with the tokens before an own
    token, V' of those that begin with the token, too. Where no episode parts from another, the two
    are the same, and the weight is GRPO's. The changes of an episode's tokens add up to its return
    less the mean, unless episodes also part at tokens of the world. The tree is of tokens, those of
    the world included. Left out: a discount.
    """

    source = (
        "Exploiting Tree Structure for Credit Assignment in RL Training of LLMs (2025, arXiv "
        "2509.18314)"
    )

    alpha: float = 1.0  # weight of the tree; 0 is GRPO

    def __call__(self, batch: Batch) -> Weights:
        """Return the weights (T,) of each episode."""
        return [self._of_group(group) for group in batch.groups]

    def _of_group(self, group: Sequence[Sample]) -> list[Floats]:
        returns = [sample.total for sample in group]
        own = centred(returns)  # (G,)
        if all_equal([sample.reward for sample in group]) or not own.any():
            return [np.zeros(sample.tokens) for sample in group]
        values = prefix_values([sample.flat.ids for sample in group], own.tolist())
        deviation = np.std(returns)
        weights = []
        for sample, value, outcome in zip(group, values, own, strict=True):
            changes = np.diff(value)[np.asarray(sample.flat.mask) == 1]  # (T,)
            weights.append((outcome + self.alpha * changes) / deviation)
        return weights


def prefix_values(rows: Sequence[Sequence[int]], returns: Sequence[float]) -> list[Floats]:
    """Return the values (L + 1,) of all prefixes of each row of L tokens.

    A prefix's value is the mean return of the rows that begin with it; that of a whole row the mean
    of the rows that are equal to it.

    Example:
        >>> [own.tolist() for own in prefix_values([[1, 2], [1, 3]], [1.0, 0.0])]
        [[0.5, 0.5, 1.0], [0.5, 0.5, 0.0]]
    """
    values = [np.full(len(row) + 1, value) for row, value in zip(rows, returns, strict=True)]
    nodes = [list(range(len(rows)))] if len(rows) > 1 else []
    place = 0
    while nodes:
        following: list[list[int]] = []
        for node in nodes:
            ended = [i for i in node if len(rows[i]) == place]
            children: dict[int, list[int]] = {}
            for i in node:
                if len(rows[i]) > place:
                    children.setdefault(rows[i][place], []).append(i)
            for members, which in ((node, children.values()), (ended, [ended])):
                mean = sum(returns[i] for i in members) / max(1, len(members))
                for i in (i for each in which for i in each):
                    values[i][place] = mean
            following += [each for each in children.values() if len(each) > 1]
        nodes, place = following, place + 1
    return values
