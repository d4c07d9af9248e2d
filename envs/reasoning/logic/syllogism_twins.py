"""Invalid twins of valid arguments: the same parts in other places.

Kinds keep their places in the sentences: in a twin each kind is as often the subject, and as often
the predicate, of each quantifier as in the argument itself. Only which two kinds a sentence joins
is different, so that no count of words, and no premise by itself, tells the two apart. The key that
decides the split is made of these counts alone: both twins are on the same side, and what is learnt
about the counts on one side is right for half of the problems on either.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick, sample_of
from zerogym.envs.reasoning.logic.venn import Statement, follows, negation

OTHERS = 3  # premises that do not matter: with fewer, hardly any argument has a twin
SWITCHES = 4  # at most, from an argument to its twin
TRIES = 12  # to find a twin


def with_others(rng: np.random.Generator, premises: Sequence[Statement]) -> list[Statement] | None:
    """Add premises about inner kinds of a chain and new ones, with quantifiers of the chain.

    Returns:
        None if two premises would be about the same kinds.
    """
    inner, found = range(2, len(premises) + 1 + OTHERS), list(premises)
    for _ in range(OTHERS):
        found.append(Statement(pick(rng, premises).mood, *sample_of(rng, inner, 2)))
    return found if _is_simple(found) else None


def rewired(
    rng: np.random.Generator,
    premises: Sequence[Statement],
    conclusion: Statement,
    kinds: int,
    existential: bool,
) -> list[Statement] | None:
    """Exchange predicates of premises with the same quantifier until the argument is invalid.

    The kinds of the conclusion stay connected by premises, so that one has to read their
    quantifiers and directions.

    Returns:
        None if no twin was found.
    """
    groups = [[n for n, one in enumerate(premises) if one.mood == mood] for mood in "AEIO"]
    groups = [group for group in groups if len(group) > 1]
    for _ in range(TRIES if groups else 0):
        found = list(premises)
        for _ in range(draw_int(rng, 1, SWITCHES)):
            first, second = sample_of(rng, pick(rng, groups), 2)
            one, other = found[first], found[second]
            found[first] = one._replace(predicate=other.predicate)
            found[second] = other._replace(predicate=one.predicate)
        if (
            _is_simple(found)
            and _are_connected(found)
            and not follows(found, conclusion, kinds, existential)
        ):
            return found
    return None


def needs_chain(
    premises: Sequence[Statement],
    conclusion: Statement,
    length: int,
    kinds: int,
    existential: bool,
) -> bool:
    """Return True if premises are consistent and none of the first `length` can be left out."""
    if follows(premises, negation(conclusion), kinds, existential):
        return False
    return not any(
        follows([*premises[:n], *premises[n + 1 :]], conclusion, kinds, existential)
        for n in range(length)
    )


def places(premises: Sequence[Sequence[Any]], conclusion: Sequence[Any]) -> str:
    """Return the conclusion and in which places each kind is, without saying with which others.

    Example:
        >>> places([("A", 0, 2), ("A", 2, 1)], ("A", 0, 1))
        '0:A0. 1:A1. :A0 A1. so A 0 1'
    """
    mood, *ends = conclusion
    roles: dict[int, list[str]] = {}
    for quantifier, *pair in premises:
        for place, kind in enumerate(pair):
            roles.setdefault(kind, []).append(f"{quantifier}{place if quantifier in 'AO' else ''}")
    if mood in "EI":  # it says the same when its kinds are exchanged
        ends.sort(key=lambda kind: sorted(roles[kind]))
    marks = {kind: str(number) for number, kind in enumerate(ends)}
    shown = sorted(f"{marks.get(kind, '')}:{' '.join(sorted(roles[kind]))}." for kind in roles)
    return f"{' '.join(shown)} so {mood} 0 1"


def _is_simple(premises: Sequence[Statement]) -> bool:
    """Return True if any two kinds share at most one premise, and the two ends none."""
    pairs = [frozenset(one[1:]) for one in premises]
    return (
        len(set(pairs)) == len(pairs)
        and all(len(pair) == 2 for pair in pairs)
        and frozenset((0, 1)) not in pairs
    )


def _are_connected(premises: Sequence[Statement]) -> bool:
    """Return True if a path of premises leads from kind 0 to kind 1."""
    reached, size = {0}, 0
    while len(reached) > size:
        size = len(reached)
        for _, *pair in premises:
            if reached.intersection(pair):
                reached.update(pair)
    return 1 in reached
