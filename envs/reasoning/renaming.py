"""Keys of problems up to names and order: what decides the split must not depend on either.

A problem is written as statements: nested tuples of words, names and numbers, in which a `Bag`
holds parts whose order does not matter. The key of two problems is the same if names can be
exchanged and bags reordered so that one becomes the other. The converse nearly holds: names are
kept apart by colour refinement alone (Weisfeiler and Leman, 1968), so that few different problems
share a key. These are on one side of the split together, which does no harm.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

Atom: TypeAlias = str | int
Term: TypeAlias = "Atom | tuple[Term, ...]"


class Bag(tuple[Term, ...]):
    """Parts of a statement whose order does not matter."""


def key_up_to_names(statements: Iterable[Term], names: Collection[Atom]) -> str:
    """Return a string that does not depend on the order of statements or on how names are chosen.

    Args:
        statements: The problem.
        names: The words or numbers in it that stand for something else in another problem.

    Example:
        >>> first = key_up_to_names([("likes", "Ada", "Ben"), ("kind", "Ben")], ["Ada", "Ben"])
        >>> first == key_up_to_names([("kind", "Ada"), ("likes", "Ben", "Ada")], ["Ada", "Ben"])
        True
        >>> first == key_up_to_names([("kind", "Ada"), ("likes", "Ada", "Ben")], ["Ada", "Ben"])
        False
    """
    listed = list(statements)
    colours: dict[Atom, str] = dict.fromkeys(names, "#")
    used = [dict.fromkeys(_names_in(statement, colours)) for statement in listed]
    count = 0
    while count < len(set(colours.values())):
        count = len(set(colours.values()))
        roles: dict[Atom, list[str]] = {name: [] for name in colours}
        for statement, own in zip(listed, used, strict=True):
            for name in own:
                roles[name].append(_written(statement, colours | {name: "#self"}))
        views = {name: (colours[name], *sorted(found)) for name, found in roles.items()}
        ranks = {view: f"#{rank}" for rank, view in enumerate(sorted(set(views.values())))}
        colours = {name: ranks[view] for name, view in views.items()}
    return f"{len(colours)} names; {'; '.join(sorted(_written(one, colours) for one in listed))}"


def numbered_by_place(text: str, names: Collection[str]) -> str:
    """Return a text whose characters have places, with each name as the number of the first place.

    Example:
        >>> numbered_by_place("b.ab", "ab")
        '0.10'
    """
    numbers = {name: str(n) for n, name in enumerate(dict.fromkeys(c for c in text if c in names))}
    return "".join(numbers.get(char, char) for char in text)


def _names_in(term: Term, names: Collection[Atom]) -> Iterator[Atom]:
    if isinstance(term, tuple):
        for part in term:
            yield from _names_in(part, names)
    elif term in names:
        yield term


def _written(term: Term, colours: Mapping[Atom, str]) -> str:
    if not isinstance(term, tuple):
        return colours.get(term) or str(term)
    parts = [_written(part, colours) for part in term]
    return f"{{{' '.join(sorted(parts))}}}" if isinstance(term, Bag) else f"({' '.join(parts)})"
