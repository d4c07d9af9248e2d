"""How good each reply of a group was, compared with the others to the same problem.

Each function takes the rewards (K,) of one group and returns its advantages (K,). A group whose
rewards are all equal teaches nothing: it gives exact zeros. That is decided on the rewards, because
the floating-point deviation of equal rewards need not be 0, and dividing by it is training on
noise. Left out: leave-one-out baselines, per-turn credit.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Advantage = Callable[[Sequence[float]], NDArray[np.float64]]

TOLERANCE = 1e-6  # rewards closer than this, relative to the largest, count as equal (our choice)


def grpo(rewards: Sequence[float]) -> NDArray[np.float64]:
    """`(r - mean) / std`: "DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open
    Language Models" (2024, arXiv 2402.03300).

    The deviation is that of the group itself (divided by K, not K - 1: our choice).

    Example:
        >>> grpo([1, 0, 0, 1]).tolist()
        [1.0, -1.0, -1.0, 1.0]
    """
    centred = dr_grpo(rewards)
    return centred / np.std(rewards) if centred.any() else centred


def dr_grpo(rewards: Sequence[float]) -> NDArray[np.float64]:
    """`r - mean`: "Understanding R1-Zero-Like Training: A Critical Perspective" (2025,
    arXiv 2503.20783), which shows that dividing by the deviation favours problems that are too
    easy or too hard.

    Example:
        >>> dr_grpo([1, 0, 0, 1]).tolist(), dr_grpo([0.2] * 3).tolist()
        ([0.5, -0.5, -0.5, 0.5], [0.0, 0.0, 0.0])
    """
    values = np.asarray(rewards, dtype=np.float64)  # (K,)
    if np.ptp(values) <= TOLERANCE * max(1.0, float(np.abs(values).max())):
        return np.zeros_like(values)
    centred: NDArray[np.float64] = values - values.mean()  # (K,)
    return centred


ADVANTAGES: Mapping[str, Advantage] = {"grpo": grpo, "dr_grpo": dr_grpo}
