"""Operations on lists of integers.

All are defined for the empty list; a result is None if it is too long or has too large numbers.
"""

from collections.abc import Callable
from functools import partial
from itertools import accumulate, pairwise

from zerogym.envs.reasoning.programs.programs import Operation

Numbers = tuple[int, ...]
MAX_LENGTH = 24
LARGEST = 999


def _bounded(change: Callable[[Numbers], Numbers]) -> Operation[Numbers]:
    """Make an operation that gives None beyond the bounds; operations that cannot need it not."""

    def checked(values: Numbers) -> Numbers | None:
        found = change(values)
        if found and (len(found) > MAX_LENGTH or max(found) > LARGEST or min(found) < -LARGEST):
            return None
        return found

    return checked


def _without_one(choose: Callable[[Numbers], int], values: Numbers) -> Numbers:
    if not values:
        return values
    place = values.index(choose(values))
    return values[:place] + values[place + 1 :]


def _swapped_ends(values: Numbers) -> Numbers:
    return (values[-1], *values[1:-1], values[0]) if len(values) > 1 else values


def _swapped_pairs(values: Numbers) -> Numbers:
    found, paired = list(values), len(values) // 2 * 2
    found[0:paired:2], found[1:paired:2] = values[1:paired:2], values[0:paired:2]
    return tuple(found)


def _add(amount: int) -> Operation[Numbers]:
    return _bounded(lambda values: tuple([value + amount for value in values]))


def _multiply(factor: int) -> Operation[Numbers]:
    return _bounded(lambda values: tuple([value * factor for value in values]))


LIST_OPERATIONS: dict[str, Operation[Numbers]] = {
    "reverse the list": lambda v: v[::-1],
    "sort from small to large": lambda v: tuple(sorted(v)),
    "sort from large to small": lambda v: tuple(sorted(v, reverse=True)),
    "remove the first element": lambda v: v[1:],
    "remove the last element": lambda v: v[:-1],
    "keep the first 3 elements": lambda v: v[:3],
    "keep the last 3 elements": lambda v: v[-3:],
    "keep every second element, from the first": lambda v: v[::2],
    "keep every second element, from the second": lambda v: v[1::2],
    "keep the even numbers": lambda v: tuple([x for x in v if x % 2 == 0]),
    "keep the odd numbers": lambda v: tuple([x for x in v if x % 2]),
    "keep the multiples of 3": lambda v: tuple([x for x in v if x % 3 == 0]),
    "keep the numbers above 10": lambda v: tuple([x for x in v if x > 10]),
    "keep the numbers below 10": lambda v: tuple([x for x in v if x < 10]),
    "keep the first of equal numbers": lambda v: tuple(dict.fromkeys(v)),
    "keep the numbers larger than all before them": lambda v: tuple(
        dict.fromkeys(accumulate(v, max))
    ),
    "remove the first largest number": partial(_without_one, max),
    "remove the first smallest number": partial(_without_one, min),
    "move the first element to the end": lambda v: v[1:] + v[:1],
    "move the last element to the front": lambda v: v[-1:] + v[:-1],
    "exchange the first and the last element": _swapped_ends,
    "exchange neighbours in pairs": _swapped_pairs,
    "add 1 to each": _add(1),
    "add 2 to each": _add(2),
    "add 5 to each": _add(5),
    "subtract 1 from each": _add(-1),
    "double each": _multiply(2),
    "triple each": _multiply(3),
    "replace each by its remainder by 10": lambda v: tuple([x % 10 for x in v]),
    "add its place, counted from 1, to each": _bounded(
        lambda v: tuple([x + n for n, x in enumerate(v, 1)])
    ),
    "replace each by the sum up to there": _bounded(lambda v: tuple(accumulate(v))),
    "replace each by the largest up to there": lambda v: tuple(accumulate(v, max)),
    "take the differences, next minus this": _bounded(
        lambda v: tuple([b - a for a, b in pairwise(v)])
    ),
    "append the sum": _bounded(lambda v: (*v, sum(v))),
    "append the number of elements": _bounded(lambda v: (*v, len(v))),
    "put the largest in front": _bounded(lambda v: (max(v), *v) if v else v),
    "append the reversed list": _bounded(lambda v: v + v[::-1]),
    "write each element twice": _bounded(lambda v: tuple([x for x in v for _ in (0, 1)])),
}


def _named(*verbs: str) -> list[Operation[Numbers]]:
    return [found for name, found in LIST_OPERATIONS.items() if name.split()[0] in verbs]


_SHORTENING = _named("remove", "keep", "take")
_LENGTHENING = _named("append", "put", "write")
_ALL = list(LIST_OPERATIONS.values())


def list_hint(before: Numbers, after: Numbers) -> list[Operation[Numbers]]:
    """Return the operations that may make one list into another, from their lengths."""
    if len(after) < len(before):
        return _SHORTENING
    return _LENGTHENING if len(after) > len(before) else _ALL
