"""AdAlign: opponent shaping by the advantages of both seats, round by round."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.llm.algorithms.advantage_tables import Advantage, advantage
from zerogym.agents.llm.algorithms.advantages.group_relative import Rloo
from zerogym.agents.llm.algorithms.batch import Batch, Floats, Places, Sample, Weights


@advantage("ad_align")
@dataclass(frozen=True)
class AdAlign(Advantage):
    """Add the product of the own past advantages with the present one of the other seat.

    In round t it is `A_t + beta (sum over k < t of gamma^(t - k) A_k) B_t`: where the past was good
    for a seat, actions become more likely that are good for the other, and less where it was bad.
    A is the seat's discounted return from the round on, less the mean of the other episodes of its
    group in that round (0 where they are over); B is the same of the other seat in the same
    episode, of several others the sum (our choice), and 0 where the update does not have it. With
    `beta` 0 it is the naive policy gradient, and with one round `rloo`.

    The product has the unit of a squared reward: for rewards ten times as large take a tenth of
    `beta`. The first paper's further factor gamma is in `beta`. With `refills`, groups of equal
    returns are replaced, though their rounds may differ. Left out: a critic, the sum up to k = t
    over alternative actions, signs, clipping, and the division by t.
    """

    source = (
        "Learning Robust Social Strategies with Large Language Models (2025, arXiv 2511.19405), "
        "after Advantage Alignment Algorithms (2024, arXiv 2406.14662)"
    )

    beta: float = 1.0  # weight of the product, per unit of reward, at least 0
    gamma: float = 0.9  # discount per round, of returns and of past advantages, in [0, 1]
    turns: int = 1  # own turns of a round; 2 where a message goes before each choice

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.beta < float("inf"):
            raise ValueError(f"beta must be at least 0, got {self.beta!r}")
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma must be in [0, 1], got {self.gamma!r}")
        if self.turns < 1:
            raise ValueError(f"turns must be at least 1, got {self.turns!r}")

    def __call__(self, batch: Batch) -> Weights:
        """Return the aligned advantage of each own token's round."""
        naive = {
            id(sample): own
            for group in (*batch.groups, *batch.beside)
            for sample, own in zip(group, self.of_rounds(group), strict=True)
        }
        weights = []
        for group in batch.groups:
            own = []
            for sample in group:
                others = [naive[id(other)] for other in batch.others(sample)]
                aligned = self.align(naive[id(sample)], others)
                own.append(aligned[self.rounds(sample)[sample.turns]])
            weights.append(own)
        return weights

    def rounds(self, sample: Sample) -> Places:
        """Return the round of each turn (N,); a void reply is in the round of the one after it."""
        found, made = [], 0
        for turn in sample.trajectory.turns:
            found.append(made // self.turns)
            made += turn.kind == "reply" and not turn.info.get("void_turn", False)
        return np.asarray(found, dtype=np.int64)

    def of_rounds(self, group: Sequence[Sample]) -> list[Floats]:
        """Return the naive advantage of each round of each episode of a group."""
        places = [self.rounds(sample) for sample in group]
        sizes = [int(own[-1]) + 1 if own.size else 0 for own in places]
        returns: NDArray[np.float64] = np.zeros((len(group), max(sizes, default=0) + 1))
        for row, sample, own in zip(returns, group, places, strict=True):
            np.add.at(row, own, sample.turn_rewards)
        for t in range(returns.shape[1] - 2, -1, -1):
            returns[:, t] += self.gamma * returns[:, t + 1]
        part = Rloo()
        columns = np.stack([part.of_group(column.tolist()) for column in returns.T], axis=1)
        return [row[:size] for row, size in zip(columns, sizes, strict=True)]

    def align(self, own: Floats, others: Sequence[Floats]) -> Floats:
        """Return the aligned advantages of each round (R,) from those of all seats."""
        aligned, past = own.copy(), 0.0
        for t, value in enumerate(own):
            other = sum(float(each[t]) for each in others if t < len(each))
            aligned[t] = value + self.beta * past * other
            past = self.gamma * (past + float(value))
        return aligned
