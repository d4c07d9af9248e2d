"""Advantages relative to other episodes: of the same problem, or of the whole batch.

`grpo`, `dr_grpo` and `rloo` take the returns (G,) of one group of episodes of the same problem and
return their advantages (G,), which hold for all tokens of an episode; `reinforce_pp` takes the
whole batch. `ADVANTAGES` has them all in one form. Returns that are all equal give exact zeros:
the floating-point deviation of equal numbers need not be 0, and dividing by it would train on
noise. Credit for single turns needs values: `ppo.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Groups = Sequence[Sequence["EpisodeReturn"]]
Advantage = Callable[[Groups], list[list[Floats]]]

TOLERANCE = 1e-6  # rewards closer than this, relative to the largest, count as equal (our choice)


@dataclass(frozen=True)
class EpisodeReturn:
    """The return of an episode in training.

    Attributes:
        reward: The reward of the task, the length penalty included.
        penalty: What the distance to the reference takes off at each own token (T,).
    """

    reward: float
    penalty: Floats

    @property
    def total(self) -> float:
        """The return of the whole episode."""
        return self.reward - float(self.penalty.sum())

    @property
    def to_go(self) -> Floats:
        """The return from each own token on (T,); the reward counts at the end."""
        to_go: Floats = self.reward - np.cumsum(self.penalty[::-1])[::-1]
        return to_go


def all_equal(rewards: Sequence[float] | Floats) -> bool:
    """Return whether rewards are the same but for rounding; so are none, and one.

    Example:
        >>> all_equal([0.1 + 0.2, 0.3]), all_equal([0.3, 0.4])
        (True, False)
    """
    values = np.asarray(rewards, dtype=np.float64)
    if not values.size:
        return True
    return bool(np.ptp(values) <= TOLERANCE * max(1.0, float(np.abs(values).max())))


def grpo(rewards: Sequence[float]) -> Floats:
    """`(r - mean) / std`: "DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open
    Language Models" (2024, arXiv 2402.03300).

    The deviation is that of the group itself (divided by G, not G - 1: our choice).

    Example:
        >>> grpo([1, 0, 0, 1]).tolist()
        [1.0, -1.0, -1.0, 1.0]
    """
    centred = dr_grpo(rewards)
    return centred / np.std(rewards) if centred.any() else centred


def dr_grpo(rewards: Sequence[float]) -> Floats:
    """`r - mean`: "Understanding R1-Zero-Like Training: A Critical Perspective" (2025,
    arXiv 2503.20783), which shows that dividing by the deviation favours problems that are too
    easy or too hard.

    Example:
        >>> dr_grpo([1, 0, 0, 1]).tolist(), dr_grpo([0.2] * 3).tolist()
        ([0.5, -0.5, -0.5, 0.5], [0.0, 0.0, 0.0])
    """
    values = np.asarray(rewards, dtype=np.float64)  # (G,)
    centred: Floats = values - values.mean()  # (G,)
    return np.zeros_like(values) if all_equal(values) else centred


def rloo(rewards: Sequence[float]) -> Floats:
    """`r - mean of the others`: "Back to Basics: Revisiting REINFORCE Style Optimization for
    Learning from Human Feedback in LLMs" (2024, arXiv 2402.14740).

    A baseline without the episode itself leaves the gradient unbiased; it is `G / (G - 1)` times
    the advantage of Dr. GRPO.

    Example:
        >>> rloo([1, 0, 0]).tolist()
        [1.0, -0.5, -0.5]
    """
    values = np.asarray(rewards, dtype=np.float64)  # (G,)
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


def reinforce_pp(groups: Groups) -> list[list[Floats]]:
    """`whiten` the returns from each token on: "REINFORCE++: Stabilizing Critic-Free Policy
    Optimization with Global Advantage Normalization" (2025, arXiv 2501.03262).

    Groups have no part in it. The mean and the deviation are those of the authors' code.
    """
    rest = iter(whiten([item.to_go for group in groups for item in group]))
    return [[next(rest) for _ in group] for group in groups]


def _by_group(
    advantage: Callable[[Sequence[float]], Floats], divides_by_deviation: bool = False
) -> Advantage:
    """Apply a function of one group's returns to a batch.

    Where it divides by the deviation, a group whose rewards are all equal gives zeros, whatever the
    penalties: the distance to the reference alone would be blown up to the size of a reward.
    Without that division its part is an unbiased estimate of the penalty's gradient, and stays.
    """

    def of_group(group: Sequence[EpisodeReturn]) -> list[Floats]:
        weights = advantage([item.total for item in group])  # (G,)
        if divides_by_deviation and all_equal([item.reward for item in group]):
            weights = np.zeros_like(weights)
        return [np.full(len(item.penalty), w) for item, w in zip(group, weights, strict=True)]

    return lambda groups: [of_group(group) for group in groups]


ADVANTAGES: Mapping[str, Advantage] = {
    "grpo": _by_group(grpo, divides_by_deviation=True),
    "dr_grpo": _by_group(dr_grpo),
    "rloo": _by_group(rloo),
    "reinforce_pp": reinforce_pp,
}
