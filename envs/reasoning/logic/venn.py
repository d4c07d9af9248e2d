"""Categorical statements ("All a are b") and what follows from them, by two methods.

By regions of the Venn diagram: with n kinds there are 2**n regions, a region is a number whose bit
i says whether it lies inside kind i, and a set of regions is an integer with one bit a region. All
statements say only whether some regions are empty, so a set of statements is consistent if and
only if it is true where every region that need not be empty is inhabited.

By chaining: a universal statement is an implication from "is an a" to "is a b" or "is not a b";
something with given properties can exist if and only if following the implications meets no
contradiction.

Left out: statements on complements ("all non-a"), negated terms, singular statements.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple


class Statement(NamedTuple):
    """A categorical statement: mood A (all are), E (none is), I (some are) or O (some are not)."""

    mood: str
    subject: int
    predicate: int


WORDS = {
    "A": "All {} are {}",
    "E": "No {} are {}",
    "I": "Some {} are {}",
    "O": "Some {} are not {}",
}
OPPOSITE = {"A": "O", "O": "A", "E": "I", "I": "E"}


def say(statement: Statement, kinds: Sequence[str]) -> str:
    """The statement in words.

    Example:
        >>> say(Statement("O", 1, 0), ["cats", "dogs"])
        'Some dogs are not cats'
    """
    return WORDS[statement.mood].format(kinds[statement.subject], kinds[statement.predicate])


@cache
def inside(count: int) -> tuple[int, ...]:
    """For each of `count` kinds, the set of regions inside it."""
    every = (1 << (1 << count)) - 1
    # Bit k of a number is set in every other block of 2**k numbers.
    return tuple(every // ((1 << (1 << kind)) + 1) << (1 << kind) for kind in range(count))


def named_regions(statement: Statement, count: int) -> int:
    """The regions of which the statement says that they are all empty, or not all."""
    kinds = inside(count)
    within = kinds[statement.predicate]
    if statement.mood in "AO":
        within = ~within
    return kinds[statement.subject] & within


def inhabitable(statements: Iterable[Statement], count: int) -> int:
    """The regions that no universal statement empties."""
    regions = (1 << (1 << count)) - 1
    for statement in statements:
        if statement.mood in "AE":
            regions &= ~named_regions(statement, count)
    return regions


def is_consistent(statements: Sequence[Statement], count: int, existential: bool) -> bool:
    """Return True if all statements can be true together.

    Args:
        statements: The statements.
        count: Number of kinds.
        existential: Whether every kind has members.
    """
    regions = inhabitable(statements, count)
    needed = [named_regions(s, count) for s in statements if s.mood in "IO"]
    if existential:
        needed.extend(inside(count))
    return all(regions & some for some in needed)


def negation(statement: Statement) -> Statement:
    """The statement that is true if and only if this one is false."""
    return Statement(OPPOSITE[statement.mood], statement.subject, statement.predicate)


def follows(
    premises: Sequence[Statement], conclusion: Statement, count: int, existential: bool
) -> bool:
    """Return True if the conclusion holds wherever the premises do, by regions.

    Example:
        >>> premises = [Statement("A", 1, 2), Statement("A", 1, 0)]
        >>> [follows(premises, Statement("I", 0, 2), 3, existential) for existential in (0, 1)]
        [False, True]
    """
    return not is_consistent([*premises, negation(conclusion)], count, existential)


def follows_by_chaining(
    premises: Sequence[Statement], conclusion: Statement, count: int, existential: bool
) -> bool:
    """Return the same as `follows` by chaining; a property is a kind and its sign."""
    statements = [*premises, negation(conclusion)]
    implied: dict[tuple[int, bool], list[tuple[int, bool]]] = {}
    for mood, subject, predicate in statements:
        if mood in "AE":  # one direction is enough: these are Horn clauses
            implied.setdefault((subject, True), []).append((predicate, mood == "A"))
    witnesses = [{(s, True), (p, mood == "I")} for mood, s, p in statements if mood in "IO"]
    if existential:
        witnesses += [{(kind, True)} for kind in range(count)]
    return any(_contradicts(properties, implied) for properties in witnesses)


def _contradicts(
    properties: set[tuple[int, bool]], implied: dict[tuple[int, bool], list[tuple[int, bool]]]
) -> bool:
    waiting, known = list(properties), set(properties)
    while waiting:
        for other in implied.get(waiting.pop(), ()):
            if other not in known:
                known.add(other)
                waiting.append(other)
    return any((kind, not positive) in known for kind, positive in known)
