"""How good each token of an episode was, compared with what else was tried.

`grpo`, `dr_grpo` and `rloo` take the totals (G,) of one group of episodes of the same problem and
return their advantages (G,), which hold for all tokens of an episode; `reinforce_pp` takes the
whole batch. `ADVANTAGES` has them all in one form. Rewards that are all equal teach nothing: they
give exact zeros. That is decided on the rewards, because the floating-point deviation of equal
rewards need not be 0, and dividing by it is training on noise. Credit for single turns needs
values: `ppo.py`.
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
    """What an episode was paid, penalties of the training included.

    Attributes:
        total: In all.
        to_go: From each of the policy's own tokens on (T,).
    """

    total: float
    to_go: Floats


def all_equal(rewards: Sequence[float] | Floats) -> bool:
    """Whether rewards are the same but for rounding; so are none, and one.

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
    if all_equal(values):
        return np.zeros_like(values)
    centred: Floats = values - values.mean()  # (G,)
    return centred


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
    baseline = (values.sum() - values) / (len(values) - 1)  # (G,)
    advantages: Floats = values - baseline  # (G,)
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
    """`whiten` what is paid from a token on: "REINFORCE++: Stabilizing Critic-Free Policy
    Optimization with Global Advantage Normalization" (2025, arXiv 2501.03262).

    Groups have no part in it. The mean and the deviation are those of the authors' code.
    """
    rest = iter(whiten([item.to_go for group in groups for item in group]))
    return [[next(rest) for _ in group] for group in groups]


def _by_group(advantage: Callable[[Sequence[float]], Floats]) -> Advantage:
    """A function of one group's totals as one of the whole batch."""

    def of_batch(groups: Groups) -> list[list[Floats]]:
        return [
            [
                np.full(len(item.to_go), weight)
                for item, weight in zip(group, advantage([p.total for p in group]), strict=True)
            ]
            for group in groups
        ]

    return of_batch


ADVANTAGES: Mapping[str, Advantage] = {
    "grpo": _by_group(grpo),
    "dr_grpo": _by_group(dr_grpo),
    "rloo": _by_group(rloo),
    "reinforce_pp": reinforce_pp,
}
