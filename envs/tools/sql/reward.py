"""The reward of InterCode-SQL: similarity of a table of records to the right one.

"InterCode: Standardizing and Benchmarking Interactive Coding with Execution Feedback" (2023,
arXiv 2306.14898) multiplies the intersection over union of the records by an order term made of
Kendall's tau over the records that both share.

Where the authors' public code leaves choices that would punish right answers, ours differ: it
multiplies by tau itself, which can be negative, and we by `(tau + 1) / 2`, so that a score stays
in [0, 1]; it ranks records by their text, we by their place in the right table; it rounds to two
digits, we do not; it compares records as text, so that 1 and 1.0 differ, we compare values. Left
out: matching of column names or of columns in another order.
"""

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from zerogym.envs.tools.sql.result import Row

_DIGITS = 6  # decimals that count: averages must not depend on the order of summation


def intercode_score(rows: Sequence[Row], gold: Sequence[Row]) -> float:
    """Intersection over union of two multisets of records, times their agreement in order.

    Args:
        rows: The records to judge, in order; at most a few thousand.
        gold: The right records, in order.

    Returns:
        A number in [0, 1]; 1 exactly if both hold the same records in the same order. Both empty
        is 1. Fewer than two shared records have no order, and count as ordered.

    Example:
        >>> intercode_score([("a",), ("b",)], [("a",), ("b",), ("c",), ("d",)])
        0.5
        >>> intercode_score([("b",), ("a",)], [("a",), ("b",)])
        0.0
    """
    if not rows and not gold:
        return 1.0
    places: defaultdict[Any, deque[int]] = defaultdict(deque)
    for place, record in enumerate(gold):
        places[_key(record)].append(place)
    # The k-th copy of a record matches the k-th copy in the right table.
    shared = [places[key].popleft() for key in map(_key, rows) if places.get(key)]
    union = len(rows) + len(gold) - len(shared)
    return len(shared) / union * (kendall_tau(shared) + 1.0) / 2.0


def kendall_tau(places: Sequence[int]) -> float:
    """Kendall's tau between a sequence of different numbers and its sorted order.

    (Pairs in order - pairs out of order) / pairs; 1 if there are fewer than two numbers.

    Example:
        >>> round(kendall_tau([1, 0, 2]), 4)
        0.3333
    """
    count = len(places)
    if count < 2:
        return 1.0
    values = np.asarray(places)
    ahead = np.triu(values[:, None] < values[None, :], k=1).sum()
    pairs = count * (count - 1) // 2
    return float((2 * int(ahead) - pairs) / pairs)


def _key(record: Row) -> tuple[Any, ...]:
    """A hashable form of a record, equal for equal values: 2 and 2.0, not 2 and '2'."""
    return tuple(round(value, _DIGITS) if isinstance(value, float) else value for value in record)
