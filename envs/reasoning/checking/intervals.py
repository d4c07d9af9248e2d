"""Unions of intervals in one form: sorted, disjoint, without empty ones."""

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

Bound = int | Fraction | float  # float for infinities only


class Interval(NamedTuple):
    """Numbers between two ends; each end may belong to it."""

    low: Bound
    low_closed: bool
    high: Bound
    high_closed: bool


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """Return as few intervals with the same numbers, in order.

    Example:
        >>> merged([Interval(1, False, 2, True), Interval(0, True, 1, True)])
        [Interval(low=0, low_closed=True, high=2, high_closed=True)]
    """
    found: list[Interval] = []
    for new in sorted(intervals, key=lambda i: (i.low, not i.low_closed)):
        if new.low > new.high or (new.low == new.high and not (new.low_closed and new.high_closed)):
            continue
        if found and _touch(found[-1], new):
            last = found[-1]
            high, closed = max((last.high, last.high_closed), (new.high, new.high_closed))
            found[-1] = Interval(last.low, last.low_closed, high, closed)
        else:
            found.append(new)
    return found


def _touch(left: Interval, right: Interval) -> bool:
    """Return True if nothing lies between two intervals in order."""
    if right.low != left.high:
        return right.low < left.high
    return left.high_closed or right.low_closed
