"""Measures of n samples of one problem: pass@k, max@k, and the entropy of the answers.

pass@k is the unbiased estimate of "Evaluating Large Language Models Trained on Code" (Chen et al.,
2021, arXiv 2107.03374); max@k is its form for graded scores, as in "The Best of N Worlds" (2025,
arXiv 2510.23393). Both are means over all subsets of k samples. Left out: k above n, for which no
unbiased estimate exists.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence


def pass_at_k(n: int, correct: int, k: int) -> float:
    """Return the share of subsets of k of n samples that hold a correct one.

    Raises:
        ValueError: If k is not in 1..n, or `correct` not in 0..n.

    Example:
        >>> pass_at_k(5, 2, 2)
        0.7
    """
    _check(n, k)
    if not 0 <= correct <= n:
        raise ValueError(f"of {n} samples {correct} cannot be correct")
    subsets = math.comb(n, k)
    # Integers up to the last division: neither a product of shares nor a difference from 1 rounds.
    return (subsets - math.comb(n - correct, k)) / subsets


def max_at_k(scores: Sequence[float], k: int) -> float:
    """Return the mean of the best score over all subsets of k samples.

    Raises:
        ValueError: If k is not in 1..n.

    Example:
        >>> round(max_at_k([0.0, 0.5, 1.0], 2), 4)
        0.8333
    """
    n = len(scores)
    _check(n, k)
    subsets = math.comb(n, k)
    # A sample is the best of the subsets whose others are below it; equal ones have any order.
    ranked = enumerate(sorted(scores))
    return math.fsum(score * (math.comb(below, k - 1) / subsets) for below, score in ranked)


def answer_entropy(answers: Sequence[Hashable]) -> float:
    """Return the entropy of the distribution of answers, in nats: 0 if all are equal.

    It is that of the samples, so at most log n, and below the entropy of the model itself.

    Raises:
        ValueError: If there are none.

    Example:
        >>> round(answer_entropy(["4", "4", "5", "5"]), 4)
        0.6931
    """
    n = len(answers)
    if n == 0:
        raise ValueError("the entropy of no answers is undefined")
    return math.fsum(count / n * math.log(n / count) for count in Counter(answers).values())


def _check(n: int, k: int) -> None:
    if not 1 <= k <= n:
        raise ValueError(f"k must be in 1..{n}, the number of samples, got {k}")
