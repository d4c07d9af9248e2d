"""Things in a row of houses: clues, deduction over possible houses, and the puzzle as clauses.

Things are numbers; thing t belongs to group t // houses, and each house has one thing of each
group. Where a thing may be is an integer with one bit a house, house 0 in the lowest.
"""

from collections.abc import Sequence
from itertools import combinations, permutations, product
from typing import NamedTuple

from zerogym.envs.reasoning.logic.clauses import Clause, satisfy


class Clue(NamedTuple):
    """A relation between the houses of two things, or of a thing and a house number (`at`)."""

    relation: str
    first: int
    second: int


RELATIONS = {
    "same": lambda first, second: first == second,
    "differ": lambda first, second: first != second,
    "left": lambda first, second: first + 1 == second,
    "beside": lambda first, second: abs(first - second) == 1,
    "before": lambda first, second: first < second,
}


def is_true(clue: Clue, where: Sequence[int]) -> bool:
    """Return whether a clue holds if thing t is in house `where[t]`."""
    if clue.relation == "at":
        return where[clue.first] == clue.second
    return bool(RELATIONS[clue.relation](where[clue.first], where[clue.second]))


def narrow(clue: Clue, possible: list[int], full: int) -> None:
    """Take away houses that contradict the clue."""
    relation, one, other = clue
    if relation == "at":
        possible[one] &= 1 << other
        return
    first, second = possible[one], possible[other]
    if relation == "same":
        first = second = first & second
    elif relation == "left":
        second &= first << 1
        first &= second >> 1
    elif relation == "beside":
        second &= first << 1 | first >> 1
        first &= (second << 1 | second >> 1) & full
    elif relation == "before":
        lowest = first & -first
        second &= ~(lowest | lowest - 1)
        first &= (1 << max(second.bit_length() - 1, 0)) - 1
    else:
        second &= full if first & first - 1 else ~first
        first &= full if second & second - 1 else ~second
    possible[one], possible[other] = first, second


def narrow_group(start: int, houses: int, possible: list[int]) -> None:
    """Narrow a group: a thing with one house keeps it, a house with one possible thing gets it."""
    group = range(start, start + houses)
    once = twice = 0
    for thing, other in permutations(group, 2):
        only = possible[thing]
        if only & only - 1 == 0:
            possible[other] &= ~only
    for thing in group:
        twice |= once & possible[thing]
        once |= possible[thing]
    alone = once & ~twice
    for thing in group:
        if possible[thing] & alone:
            possible[thing] &= alone


def deduce(clues: Sequence[Clue], possible: list[int], houses: int) -> None:
    """Narrow by all clues and groups until nothing changes; what is left may not be a solution."""
    full = (1 << houses) - 1
    before: list[int] = []
    while before != possible:
        before = possible.copy()
        for clue in clues:
            narrow(clue, possible, full)
        for start in range(0, len(possible), houses):
            narrow_group(start, houses, possible)


def is_solved(possible: Sequence[int]) -> bool:
    """Return whether each thing has exactly one possible house."""
    return all(some and some & some - 1 == 0 for some in possible)


def solve_houses(clues: Sequence[Clue], houses: int, things: int) -> list[int] | None:
    """Return the house of each thing, by search over clauses; None if clues contradict others."""

    def literal(thing: int, house: int) -> int:
        return thing * houses + house + 1

    numbers = range(houses)
    clauses: list[Clause] = [tuple(literal(t, h) for h in numbers) for t in range(things)]
    for thing in range(things):
        clauses += [(-literal(thing, a), -literal(thing, b)) for a, b in combinations(numbers, 2)]
    for start in range(0, things, houses):
        for a, b in combinations(range(start, start + houses), 2):
            clauses += [(-literal(a, house), -literal(b, house)) for house in numbers]
    for relation, one, other in clues:
        if relation == "at":
            clauses.append((literal(one, other),))
            continue
        clauses += [
            (-literal(one, a), -literal(other, b))
            for a, b in product(numbers, repeat=2)
            if not RELATIONS[relation](a, b)
        ]
    found = satisfy(clauses)
    if found is None:
        return None
    return [next(h for h in numbers if literal(t, h) in found) for t in range(things)]
