"""Operations on lists of integers.

All are defined for the empty list; a result is None if it is too long or has too large numbers.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise

from zerogym.envs.reasoning.language.programs import Operation, Values

MAX_LENGTH = 24
LARGEST = 999


def list_operations() -> dict[str, Operation]:
    """All operations by what they do in words."""
    return dict(_OPERATIONS)


def _bounded(function: Callable[[Values], Sequence[int]], values: Values) -> Values | None:
    found = tuple(function(values))
    if len(found) > MAX_LENGTH or (found and (max(found) > LARGEST or min(found) < -LARGEST)):
        return None
    return found


def _differences(values: Values) -> list[int]:
    return [b - a for a, b in pairwise(values)]


def _peaks(values: Values) -> list[int]:
    """Those that are larger than all before them."""
    tops = [*accumulate(values, max)]
    return [v for n, v in enumerate(values) if n == 0 or v > tops[n - 1]]


def _without_one(choose: Callable[[Values], int], values: Values) -> Values:
    if not values:
        return values
    place = values.index(choose(values))
    return values[:place] + values[place + 1 :]


def _swapped_ends(values: Values) -> Values:
    return (values[-1], *values[1:-1], values[0]) if len(values) > 1 else values


def _swapped_pairs(values: Values) -> list[int]:
    found = list(values)
    for place in range(0, len(found) - 1, 2):
        found[place], found[place + 1] = found[place + 1], found[place]
    return found


def _add(amount: int, values: Values) -> list[int]:
    return [value + amount for value in values]


def _multiply(factor: int, values: Values) -> list[int]:
    return [value * factor for value in values]


def _multiples(divisor: int, values: Values) -> list[int]:
    return [value for value in values if value % divisor == 0]


def _above(bound: int, values: Values) -> list[int]:
    return [value for value in values if value > bound]


def _below(bound: int, values: Values) -> list[int]:
    return [value for value in values if value < bound]


_CHANGES: dict[str, Callable[[Values], Sequence[int]]] = {
    "reverse the list": lambda v: v[::-1],
    "sort from small to large": sorted,
    "sort from large to small": lambda v: sorted(v, reverse=True),
    "remove the first element": lambda v: v[1:],
    "remove the last element": lambda v: v[:-1],
    "keep the first 3 elements": lambda v: v[:3],
    "keep the last 3 elements": lambda v: v[-3:],
    "keep every second element, from the first": lambda v: v[::2],
    "keep every second element, from the second": lambda v: v[1::2],
    "keep the even numbers": lambda v: [x for x in v if x % 2 == 0],
    "keep the odd numbers": lambda v: [x for x in v if x % 2],
    "keep the multiples of 3": partial(_multiples, 3),
    "keep the numbers above 10": partial(_above, 10),
    "keep the numbers below 10": partial(_below, 10),
    "keep the first of equal numbers": lambda v: list(dict.fromkeys(v)),
    "keep the numbers larger than all before them": _peaks,
    "remove the first largest number": partial(_without_one, max),
    "remove the first smallest number": partial(_without_one, min),
    "move the first element to the end": lambda v: v[1:] + v[:1],
    "move the last element to the front": lambda v: v[-1:] + v[:-1],
    "exchange the first and the last element": _swapped_ends,
    "exchange neighbours in pairs": _swapped_pairs,
    "add 1 to each": partial(_add, 1),
    "add 2 to each": partial(_add, 2),
    "add 5 to each": partial(_add, 5),
    "subtract 1 from each": partial(_add, -1),
    "double each": partial(_multiply, 2),
    "triple each": partial(_multiply, 3),
    "replace each by its remainder by 10": lambda v: [x % 10 for x in v],
    "add its place, counted from 1, to each": lambda v: [x + n for n, x in enumerate(v, 1)],
    "replace each by the sum up to there": lambda v: list(accumulate(v)),
    "replace each by the largest up to there": lambda v: list(accumulate(v, max)),
    "take the differences, next minus this": _differences,
    "append the sum": lambda v: (*v, sum(v)),
    "append the number of elements": lambda v: (*v, len(v)),
    "put the largest in front": lambda v: (max(v), *v) if v else v,
    "append the reversed list": lambda v: v + v[::-1],
    "write each element twice": lambda v: [x for x in v for _ in (0, 1)],
}
_OPERATIONS: dict[str, Operation] = {
    name: partial(_bounded, change) for name, change in _CHANGES.items()
}
