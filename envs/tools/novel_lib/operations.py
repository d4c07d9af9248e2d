"""The functions of a library: operations on lists of integers, with exact documents.

Every operation is total: it has a result for all lists and numbers, and the document states it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

Value = int | list[int]
Range = tuple[int, int]


@dataclass(frozen=True)
class Operation:
    """An operation on a list.

    Attributes:
        key: A name for people who read this code; no agent reads it.
        numbers: Names of the numbers that it takes beside the list, and the range of each in tasks.
        document: The result, with `{values}` for the list and the names of numbers in braces.
        phrase: The step of a task, with the numbers' names in braces.
        run: The function of the list and the numbers, in the order of `numbers`.
        ends: Whether the result is a number, so that nothing can follow it in a task.
    """

    key: str
    numbers: tuple[tuple[str, Range], ...]
    document: str
    phrase: str
    run: Callable[..., Value]
    ends: bool = False

    def __reduce__(self) -> Any:
        return operation_of, (self.key,)  # functions without a name cannot be pickled


def operation_of(key: str) -> "Operation":
    """Return the operation with this key."""
    return next(operation for operation in OPERATIONS if operation.key == key)


def _distinct(values: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(values))


def _rotate(values: list[int], count: int) -> list[int]:
    count = count % len(values) if values else 0
    return values[count:] + values[:count]


def _remainders(values: Sequence[int], divisor: int) -> list[int]:
    return [value % divisor for value in values] if divisor else list(values)


def _clip(values: Sequence[int], low: int, high: int) -> list[int]:
    return [high if value > high else low if value < low else value for value in values]


def _window_sums(values: list[int], width: int) -> list[int]:
    width = max(1, width)
    return [sum(values[i : i + width]) for i in range(len(values) - width + 1)]


def _pad(values: list[int], length: int, filler: int) -> list[int]:
    return values + [filler] * min(1000, length - len(values))


def _fold(values: Sequence[int], start: int, factor: int) -> int:
    result = start
    for value in values:
        result = (result * factor + value) % 1000
    return result


def _op(key: str, document: str, phrase: str, run: Any, *numbers: Any, ends: bool = False) -> Any:
    return Operation(key, numbers, document, phrase, run, ends)


SMALL, BOUND = (2, 4), (-5, 12)
OPERATIONS: tuple[Operation, ...] = (
    _op("sort up", "The numbers of {values} in ascending order.",
        "sort it in ascending order", sorted),
    _op("sort down", "The numbers of {values} in descending order.",
        "sort it in descending order", lambda v: sorted(v, reverse=True)),
    _op("reverse", "{values} in reverse order.", "reverse its order", lambda v: v[::-1]),
    _op("distinct", "{values} without repeated numbers: only the first of equals stays.",
        "drop repeated numbers, so that only the first of equals stays", _distinct),
    _op("clip", "{values} with numbers above {high} set to {high}, and others below {low} set to "
        "{low}.", "set numbers above {high} to {high} and others below {low} to {low}", _clip,
        ("low", (-4, 2)), ("high", (5, 11))),
    _op("take", "The first {count} numbers of {values}; none if {count} is below 1.",
        "keep its first {count} numbers", lambda v, n: v[: max(0, n)], ("count", SMALL)),
    _op("drop", "{values} without its first {count} numbers; all if {count} is below 1.",
        "drop its first {count} numbers", lambda v, n: v[max(0, n) :], ("count", SMALL)),
    _op("rotate", "{values} with the first {count} numbers moved to its end, modulo its length.",
        "move its first {count} numbers to its end", _rotate, ("count", SMALL)),
    _op("scale", "Each number of {values} times {factor}.", "multiply each number by {factor}",
        lambda v, f: [x * f for x in v], ("factor", (2, 9))),
    _op("shift", "Each number of {values} plus {amount}.", "add {amount} to each number",
        lambda v, a: [x + a for x in v], ("amount", (2, 20))),
    _op("keep above", "The numbers of {values} that are greater than {bound}.",
        "keep the numbers that are greater than {bound}", lambda v, b: [x for x in v if x > b],
        ("bound", BOUND)),
    _op("keep below", "The numbers of {values} that are less than {bound}.",
        "keep the numbers that are less than {bound}", lambda v, b: [x for x in v if x < b],
        ("bound", BOUND)),
    _op("differences", "The difference of each number of {values} and the one before it; the first "
        "has none.", "take the difference of each number and the one before it",
        lambda v: [b - a for a, b in pairwise(v)]),
    _op("running sums", "The running sums of {values}: of its first number, its first two, and so "
        "on.", "take its running sums", lambda v: list(accumulate(v))),
    _op("remainders", "The remainder of each number of {values} modulo {divisor}, at least 0 if "
        "{divisor} is positive; {values} itself if {divisor} is 0.",
        "take the remainder of each number modulo {divisor}", _remainders, ("divisor", (3, 9))),
    _op("replace", "{values} with each {old} replaced by {new}.",
        "replace each {old} by {new}", lambda v, o, n: [n if x == o else x for x in v],
        ("old", (0, 5)), ("new", (20, 60))),
    _op("every nth", "The first number of {values} and each one {step} places further; {step} "
        "below 1 counts as 1.", "keep the first number and each one {step} places further",
        lambda v, s: v[:: max(1, s)], ("step", (2, 3))),
    _op("stretch", "Each number of {values} repeated {times} times in a row, 100 times at most.",
        "repeat each number {times} times in a row",
        lambda v, t: [x for x in v for _ in range(min(t, 100))], ("times", (2, 3))),
    _op("squares", "The square of each number of {values}.", "square each number",
        lambda v: [x * x for x in v]),
    _op("absolute", "The absolute value of each number of {values}.",
        "take the absolute value of each number", lambda v: [abs(x) for x in v]),
    _op("pad", "{values} followed by as many {filler} as it needs to have {length} numbers, 1000 "
        "at most.", "append {filler} until there are {length} numbers", _pad,
        ("length", (14, 18)), ("filler", (30, 60))),
    _op("window sums", "The sums of all {width} neighbouring numbers of {values}; {width} below 1 "
        "counts as 1.", "take the sums of all {width} neighbouring numbers", _window_sums,
        ("width", SMALL)),
    _op("no multiples", "The numbers of {values} that are no multiples of {divisor}; all if "
        "{divisor} is 0.", "drop the multiples of {divisor}",
        lambda v, d: [x for x in v if not d or x % d], ("divisor", SMALL)),
    _op("neighbour maxima", "The larger one of each two neighbours in {values}, one fewer than it "
        "has.", "take the larger one of each two neighbours",
        lambda v: [max(pair) for pair in pairwise(v)]),
    _op("total", "The total of all numbers in {values}.", "return the total of all numbers", sum,
        ends=True),
    _op("largest", "The largest number in {values}; 0 for an empty list.",
        "return the largest number (0 without any)", lambda v: max(v, default=0), ends=True),
    _op("smallest", "The smallest number in {values}; 0 for an empty list.",
        "return the smallest number (0 without any)", lambda v: min(v, default=0), ends=True),
    _op("count above", "How many numbers of {values} exceed {bound}.",
        "return how many numbers exceed {bound}", lambda v, b: sum(x > b for x in v),
        ("bound", BOUND), ends=True),
    _op("count distinct", "How many different numbers {values} has.",
        "return how many different numbers there are", lambda v: len(set(v)), ends=True),
    _op("fold", "Starts with {start}; for each number of {values}, multiplies by {factor}, adds "
        "the number and takes the remainder modulo 1000.",
        "start with {start} and, for each number, multiply by {factor}, add the number and take "
        "the remainder modulo 1000; return the result", _fold,
        ("start", (1, 9)), ("factor", (2, 9)), ends=True),
)  # fmt: skip
