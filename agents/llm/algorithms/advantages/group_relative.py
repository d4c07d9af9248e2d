"""Advantages relative to other episodes: of the same problem, or of the whole batch.

`grpo`, `dr_grpo` and `rloo` compare the returns (G,) of a group of episodes of the same problem,
and their weights hold for all tokens of an episode; `reinforce_pp` takes the whole batch. Returns
that are all equal give exact zeros: the floating-point deviation of equal numbers need not be 0,
and dividing by it would train on noise. Credit for single turns needs values: `gae.py`.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zerogym.agents.llm.algorithms.advantage_tables import Advantage, advantage
from zerogym.agents.llm.algorithms.batch import Batch, Floats, Weights, all_equal


class GroupRelative(Advantage):
    """An advantage that is a function of one group's returns.

    Attributes:
        divides_by_deviation: If so, a group whose rewards are all equal gives zeros, whatever the
            penalties: the distance to the reference alone would be blown up to the size of a
            reward. Without that division its part is an unbiased estimate of the penalty's
            gradient, and stays.
    """

    divides_by_deviation: ClassVar[bool] = False

    @abstractmethod
    def of_group(self, returns: Sequence[float]) -> Floats:
        """Return the advantages (G,) of a group's returns (G,)."""

    def __call__(self, batch: Batch) -> Weights:
        """Return `of_group` of each group's returns."""
        weights: list[list[float]] = []
        for group in batch.groups:
            own = self.of_group([sample.total for sample in group])  # (G,)
            if self.divides_by_deviation and all_equal([sample.reward for sample in group]):
                own = np.zeros_like(own)
            weights.append(own.tolist())
        return weights


def centred(returns: Sequence[float]) -> Floats:
    """Return `r - mean` (G,), exact zeros where all are equal."""
    values = np.asarray(returns, dtype=np.float64)  # (G,)
    difference: Floats = values - values.mean()  # (G,)
    return np.zeros_like(values) if all_equal(values) else difference


@advantage("grpo")
@dataclass(frozen=True)
class Grpo(GroupRelative):
    """Divide by the group's deviation: `(r - mean) / std`.

    The deviation is that of the group itself (divided by G, not G - 1: our choice).

    Example:
        >>> Grpo().of_group([1, 0, 0, 1]).tolist()
        [1.0, -1.0, -1.0, 1.0]
    """

    source = (
        "DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models (2024, "
        "arXiv 2402.03300)"
    )
    divides_by_deviation = True

    def of_group(self, returns: Sequence[float]) -> Floats:
        """Return `(r - mean) / std` (G,)."""
        difference = centred(returns)
        return difference / np.std(returns) if difference.any() else difference


@advantage("dr_grpo")
@dataclass(frozen=True)
class DrGrpo(GroupRelative):
    """Subtract the group's mean: `r - mean`.

    Dividing by the deviation favours problems that are too easy or too hard.

    Example:
        >>> DrGrpo().of_group([1, 0, 0, 1]).tolist(), DrGrpo().of_group([0.2] * 3).tolist()
        ([0.5, -0.5, -0.5, 0.5], [0.0, 0.0, 0.0])
    """

    source = "Understanding R1-Zero-Like Training: A Critical Perspective (2025, arXiv 2503.20783)"

    def of_group(self, returns: Sequence[float]) -> Floats:
        """Return `r - mean` (G,)."""
        return centred(returns)


@advantage("rloo")
@dataclass(frozen=True)
class Rloo(GroupRelative):
    """Subtract the mean of the other episodes: `r - mean of the others`.

    A baseline without the episode itself leaves the gradient unbiased; it is `G / (G - 1)` times
    the advantage of Dr. GRPO.

    Example:
        >>> Rloo().of_group([1, 0, 0]).tolist()
        [1.0, -0.5, -0.5]
    """

    source = (
        "Back to Basics: Revisiting REINFORCE Style Optimization for Learning from Human Feedback "
        "in LLMs (2024, arXiv 2402.14740)"
    )

    def of_group(self, returns: Sequence[float]) -> Floats:
        """Return `r - mean of the others` (G,)."""
        values = np.asarray(returns, dtype=np.float64)  # (G,)
        if all_equal(values):
            return np.zeros_like(values)
        advantages: Floats = values - (values.sum() - values) / (len(values) - 1)  # (G,)
        return advantages


def whiten(numbers: Sequence[Floats]) -> list[Floats]:
    """`(x - mean) / std` of the numbers of all episodes' tokens, (T,) each.

    Long episodes weigh more in the mean and the deviation, which is divided by the number of
    tokens. Numbers that are all equal become exact zeros.

    Example:
        >>> [part.tolist() for part in whiten([np.array([1.0, 1.0]), np.array([3.0, 3.0])])]
        [[-1.0, -1.0], [1.0, 1.0]]
    """
    tokens = np.concatenate(numbers) if numbers else np.zeros(0)  # (N,)
    if all_equal(tokens):
        return [np.zeros_like(own) for own in numbers]
    mean, deviation = tokens.mean(), tokens.std()
    return [(own - mean) / deviation for own in numbers]


@advantage("reinforce_pp")
@dataclass(frozen=True)
class ReinforcePP(Advantage):
    """Whiten the returns from each token on over the batch: `(x - mean) / std`.

    Groups have no part in it. The mean and the deviation are those of the authors' code.
    """

    source = (
        "REINFORCE++: Stabilizing Critic-Free Policy Optimization with Global Advantage "
        "Normalization (2025, arXiv 2501.03262)"
    )

    def __call__(self, batch: Batch) -> Weights:
        """Return the whitened returns from each token on."""
        return batch.grouped(whiten([sample.to_go for sample in batch.samples]))
