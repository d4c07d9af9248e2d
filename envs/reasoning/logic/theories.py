"""Function-free first-order theories: facts about named people and universal rules.

An atom is a predicate and one or two terms: `("kind", "Ada")`, `("likes", "x", "y")`. A term is the
name of a person; in rules it is a variable x, y or z. A negated atom has the predicate `not kind`.
A rule is "for all x, y, z: if the body, then the head"; only heads may be negated, so these are
Horn clauses.

A statement is true if it is entailed, in the open world: what does not follow is not false. As
there are no function symbols and no existential quantifiers, it can be decided over the named
people alone. Two methods: forward chaining, and search for a counterexample among the ground
instances. Left
out: equality (different names may be the same person), disjunctions, existential quantifiers.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from zerogym.envs.reasoning.logic.clauses import Clause, satisfy
from zerogym.envs.reasoning.logic.words import ADJECTIVES

Atom: TypeAlias = tuple[str, ...]

VARIABLES = ("x", "y", "z")
NOT = "not "
_UNARY = frozenset(ADJECTIVES)


class Rule(NamedTuple):
    """For all values of its variables: if every atom of the body is true, so is the head.

    All its terms are variables, and those of the head are in the body.
    """

    body: tuple[Atom, ...]
    head: Atom


class Derived(NamedTuple):
    """The derivation of an atom: the rule, and the atoms that make up its body."""

    rule: Rule
    parents: tuple[Atom, ...]


def negated(atom: Atom) -> Atom:
    """The opposite of an atom.

    Example:
        >>> negated(("kind", "Ada")), negated(("not kind", "Ada"))
        (('not kind', 'Ada'), ('kind', 'Ada'))
    """
    name, *terms = atom
    return (name.removeprefix(NOT) if name.startswith(NOT) else NOT + name, *terms)


def say(atom: Atom) -> str:
    """An atom in words.

    Example:
        >>> say(("not likes", "Ada", "Ben")), say(("kind", "x"))
        ('Ada does not like Ben', 'x is kind')
    """
    name = atom[0].removeprefix(NOT)
    positive = name == atom[0]
    if name in _UNARY:
        return f"{atom[1]} is {name}" if positive else f"{atom[1]} is not {name}"
    return f"{atom[1]} {name if positive else f'does not {name[:-1]}'} {atom[2]}"


def say_rule(rule: Rule) -> str:
    """A rule in words.

    Example:
        >>> say_rule(Rule((("kind", "x"), ("likes", "x", "y")), ("not tall", "y")))
        'For all x and y: if x is kind and x likes y, then y is not tall'
    """
    used = [v for v in VARIABLES if any(v in atom[1:] for atom in rule.body)]
    over = used[0] if len(used) == 1 else f"{', '.join(used[:-1])} and {used[-1]}"
    return f"For all {over}: if {' and '.join(map(say, rule.body))}, then {say(rule.head)}"


def put_in(atom: Atom, values: dict[str, str]) -> Atom:
    """The atom with values for its variables."""
    return (atom[0], *[values.get(term, term) for term in atom[1:]])


def close(facts: Sequence[Atom], rules: Sequence[Rule]) -> dict[Atom, Derived | None]:
    """Return the closure by forward chaining, in its order, with derivations; None for facts."""
    known: dict[Atom, Derived | None] = dict.fromkeys(facts)
    by_predicate: dict[str, list[Atom]] = {}
    for fact in known:
        by_predicate.setdefault(fact[0], []).append(fact)
    uses: dict[str, list[tuple[Rule, int]]] = {}
    for rule in rules:
        for place, part in enumerate(rule.body):
            uses.setdefault(part[0], []).append((rule, place))
    waiting = list(known)
    for atom in waiting:  # grows
        for rule, place in uses.get(atom[0], ()):
            start = _match(rule.body[place], atom, {})
            if start is None:
                continue
            rest = rule.body[:place] + rule.body[place + 1 :]
            for values in _matches(rest, start, by_predicate):
                head = put_in(rule.head, values)
                if head not in known:
                    parents = tuple(put_in(part, values) for part in rule.body)
                    known[head] = Derived(rule, parents)
                    by_predicate.setdefault(head[0], []).append(head)
                    waiting.append(head)
    return known


def _match(pattern: Atom, atom: Atom, values: dict[str, str]) -> dict[str, str] | None:
    """The values with those that make the pattern this atom; None if none do."""
    found = values
    for place in range(1, len(pattern)):
        value = found.get(pattern[place])
        if value is None:
            found = {**found, pattern[place]: atom[place]}
        elif value != atom[place]:
            return None
    return found


def _matches(
    parts: tuple[Atom, ...], values: dict[str, str], by_predicate: dict[str, list[Atom]]
) -> Iterator[dict[str, str]]:
    if not parts:
        yield values
        return
    for atom in by_predicate.get(parts[0][0], ()):
        found = _match(parts[0], atom, values)
        if found is not None:
            yield from _matches(parts[1:], found, by_predicate)


def is_contradictory(known: Iterable[Atom]) -> bool:
    """Return True if a closure holds an atom and its opposite."""
    among = set(known)
    return any(atom[0].startswith(NOT) and negated(atom) in among for atom in among)


def entails(facts: Sequence[Atom], rules: Sequence[Rule], atom: Atom) -> bool:
    """Return True if the atom follows from a consistent theory, by forward chaining.

    A negated atom also follows if its opposite leads to a contradiction.
    """
    if not atom[0].startswith(NOT):
        return atom in close(facts, rules)
    return is_contradictory(close([*facts, negated(atom)], rules))


def entails_by_search(facts: Sequence[Atom], rules: Sequence[Rule], atom: Atom) -> bool:
    """Return the same for any theory, by search for a counterexample in the ground atoms."""
    people = sorted({term for fact in [*facts, atom] for term in fact[1:]})
    numbers: dict[Atom, int] = {}

    def literal(ground: Atom) -> int:
        if ground[0].startswith(NOT):
            return -literal(negated(ground))
        return numbers.setdefault(ground, len(numbers) + 1)

    clauses: list[Clause] = [(literal(fact),) for fact in facts]
    clauses.append((-literal(atom),))
    for rule in rules:
        used = [v for v in VARIABLES if any(v in part[1:] for part in rule.body)]
        for chosen in product(people, repeat=len(used)):
            values = dict(zip(used, chosen, strict=True))
            body = tuple(-literal(put_in(part, values)) for part in rule.body)
            clauses.append((*body, literal(put_in(rule.head, values))))
    return satisfy(clauses) is None


def is_step(rule: Rule, parents: Sequence[Atom], result: Atom) -> bool:
    """Return True if one use of the rule leads from exactly these atoms to the result."""
    by_predicate: dict[str, list[Atom]] = {}
    for parent in parents:
        by_predicate.setdefault(parent[0], []).append(parent)
    return any(
        put_in(rule.head, values) == result
        and {put_in(part, values) for part in rule.body} == set(parents)
        for values in _matches(rule.body, {}, by_predicate)
    )


def support(
    known: dict[Atom, Derived | None], atom: Atom
) -> tuple[list[Atom], list[Rule], list[Atom]]:
    """The facts, rules and derived atoms from which a closure has an atom, itself last."""
    facts: dict[Atom, None] = {}
    rules: dict[Rule, None] = {}
    derived: dict[Atom, None] = {}

    def visit(one: Atom) -> None:
        how = known[one]
        if how is None:
            facts[one] = None
        elif one not in derived:
            for parent in how.parents:
                visit(parent)
            rules[how.rule] = None
            derived[one] = None

    visit(atom)
    return list(facts), list(rules), list(derived)
