"""Programs that are lists of operations on some kind of values, and the search for all that fit.

An operation maps values to values of that kind, or to None where it is not defined.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

Values = TypeVar("Values", bound=Hashable)
Operation = Callable[[Values], Values | None]
Program = tuple[Operation[Values], ...]
Example = tuple[Values, Values]
Hint = Callable[[Values, Values], Sequence[Operation[Values]]]  # for given and target values


def run_program(program: Sequence[Operation[Values]], values: Values) -> list[Values] | None:
    """Return the values, and the result of each operation; None if one is not defined."""
    found = [values]
    for operation in program:
        result = operation(found[-1])
        if result is None:
            return None
        found.append(result)
    return found


def output_of(program: Sequence[Operation[Values]], values: Values) -> Values | None:
    """Return the output of a program; None if an operation is not defined."""
    for operation in program:
        result = operation(values)
        if result is None:
            return None
        values = result
    return values


def explains(program: Sequence[Operation[Values]], examples: Sequence[Example[Values]]) -> bool:
    """Return whether a program turns each input into its output."""
    return all(output_of(program, before) == after for before, after in examples)


def programs_for(
    operations: Mapping[str, Operation[Values]],
    example: Example[Values],
    steps: int,
    hint: Hint[Values] | None = None,
) -> list[Program[Values]]:
    """Return all programs of 1 to `steps` operations that explain an example, short ones first.

    Programs that agree so far are continued together, so this costs less than trying all. A hint
    says which operations are worth a trial as the last one; it may name too many, never too few.

    Example:
        >>> double, reverse = lambda v: tuple(2 * x for x in v), lambda v: v[::-1]
        >>> known = {"double": double, "reverse": reverse}
        >>> [len(program) for program in programs_for(known, ((1, 2), (4, 2)), 2)]
        [2, 2]
    """
    given, target = example
    functions = list(operations.values())
    reached: dict[Values, list[Program[Values]]] = {given: [()]}
    found: list[Program[Values]] = []
    for _ in range(steps - 1):
        following: dict[Values, list[Program[Values]]] = defaultdict(list)
        for values, programs in reached.items():
            for function in functions:
                result = function(values)
                if result is not None:
                    following[result] += [(*program, function) for program in programs]
        found += following.get(target, ())
        reached = following
    for values, programs in reached.items():
        last = functions if hint is None else hint(values, target)
        for function in [function for function in last if function(values) == target]:
            found += [(*program, function) for program in programs]
    return found
