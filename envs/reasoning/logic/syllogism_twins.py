"""Invalid twins of valid arguments: the same sentences, joined in another way.

An argument is two paths of premises between the kinds of the conclusion: a chain that proves it,
and a decoy of the same length. In a twin two kinds have changed places, so that each path goes on
as the other one did. So an argument and its twin have the same premises but for which of the other
kinds they name, and two paths of the same length: neither counts of words, nor single premises, nor
the shape of the paths tell the two apart. Elsewhere on the paths the premises still fit together.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from zerogym.envs.reasoning.draws import pick, shuffled
from zerogym.envs.reasoning.logic.venn import Statement, follows, negation


def with_decoy(rng: np.random.Generator, chain: Sequence[Statement]) -> list[Statement]:
    """Add as many premises as in a chain from kind 0 to 1, which join these through new kinds."""
    count = len(chain)
    nodes = [0, *range(count + 1, 2 * count), 1]
    decoy = [Statement(pick(rng, "AEIO"), *shuffled(rng, pair)) for pair in pairwise(nodes)]
    return [*chain, *decoy]


def crossed(
    rng: np.random.Generator,
    premises: Sequence[Statement],
    conclusion: Statement,
    existential: bool,
) -> list[Statement] | None:
    """Exchange the ends of the two paths at a place where that makes the argument invalid.

    Args:
        rng: Chooses the place.
        premises: The chain, in order from kind 0 to 1, and the decoy.
        conclusion: The conclusion, about kinds 0 and 1.
        existential: Whether every kind has members.

    Returns:
        None if the argument is valid whichever place is chosen.
    """
    count = len(premises) // 2
    for place in shuffled(rng, range(1, count)):
        joints = [
            next(kind for kind in premises[n][1:] if kind in premises[n - 1][1:])
            for n in (place, count + place)
        ]
        other = dict(zip(joints, joints[::-1], strict=True))
        found = list(premises)
        for n in (place, count + place):
            mood, *ends = premises[n]
            found[n] = Statement(mood, *(other.get(kind, kind) for kind in ends))
        if not follows(found, conclusion, 2 * count, existential):
            return found
    return None


def needs_chain(premises: Sequence[Statement], conclusion: Statement, existential: bool) -> bool:
    """Return True if premises are consistent and none of the chain can be left out."""
    kinds = len(premises)
    if follows(premises, negation(conclusion), kinds, existential):
        return False
    return not any(
        follows([*premises[:n], *premises[n + 1 :]], conclusion, kinds, existential)
        for n in range(kinds // 2)
    )


def parts(premises: Sequence[Sequence[Any]], conclusion: Sequence[Any]) -> str:
    """Return the conclusion and the premises without the kinds that are not in it.

    The order of premises does not matter, nor that of the kinds of "no" and "some".

    Example:
        >>> parts([("A", 0, 2), ("E", 1, 2)], ("A", 0, 1))
        'A0_ E1_ so A01'
    """
    mood, first, last = conclusion
    orders = [{first: "0", last: "1"}]
    if mood in "EI":
        orders.append({first: "1", last: "0"})
    shown = []
    for marks in orders:
        lines = []
        for quantifier, *pair in premises:
            ends = [marks.get(kind, "_") for kind in pair]
            lines.append(quantifier + "".join(sorted(ends) if quantifier in "EI" else ends))
        shown.append(" ".join(sorted(lines)))
    return f"{min(shown)} so {mood}01"
