"""Programs that are lists of operations on tuples of integers, and the search for all that fit.

An operation maps a tuple to a tuple, or to None where it is not defined.
"""

from collections.abc import Callable, Mapping, Sequence

Values = tuple[int, ...]
Operation = Callable[[Values], Values | None]
Program = tuple[Operation, ...]
Example = tuple[Values, Values]


def run_program(program: Sequence[Operation], values: Values) -> list[Values] | None:
    """The values, and what each operation makes of them; None if one is not defined."""
    found = [values]
    for operation in program:
        result = operation(found[-1])
        if result is None:
            return None
        found.append(result)
    return found


def output_of(program: Sequence[Operation], values: Values) -> Values | None:
    """What a program makes of the values."""
    for operation in program:
        result = operation(values)
        if result is None:
            return None
        values = result
    return values


def explains(program: Sequence[Operation], examples: Sequence[Example]) -> bool:
    """Whether a program turns each input into its output."""
    return all(output_of(program, before) == after for before, after in examples)


def programs_for(
    operations: Mapping[str, Operation], example: Example, steps: int
) -> list[Program]:
    """All programs of 1 to `steps` operations that explain an example, short ones first.

    Programs that agree so far are continued together, so this costs less than trying all.

    Example:
        >>> double, reverse = lambda v: tuple(2 * x for x in v), lambda v: v[::-1]
        >>> known = {"double": double, "reverse": reverse}
        >>> [len(program) for program in programs_for(known, ((1, 2), (4, 2)), 2)]
        [2, 2]
    """
    given, wanted = example
    functions = list(operations.values())
    reached: dict[Values, list[Program]] = {given: [()]}
    found: list[Program] = []
    for count in range(1, steps + 1):
        following: dict[Values, list[Program]] = {}
        for values, programs in reached.items():
            for function in functions:
                result = function(values)
                if result is None or (count == steps and result != wanted):
                    continue
                following.setdefault(result, []).extend((*p, function) for p in programs)
        found.extend(following.get(wanted, ()))
        reached = following
    return found
