"""Random theories with a goal that follows, a twin that does not, and one smallest proof."""

from typing import NamedTuple

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick, sample_of, shuffled
from zerogym.envs.reasoning.logic.theories import (
    NOT,
    Atom,
    Derived,
    Rule,
    close,
    entails,
    is_contradictory,
    negated,
    put_in,
    support,
)
from zerogym.envs.reasoning.logic.words import ADJECTIVES, NAMES, VERBS

STATUSES = ("true", "false", "unknown")
NEGATIVE_GOALS = 0.3  # their share
MIN_FACTS = 7  # beside one for each step: enough that one cannot guess which are needed
TRIES = 30  # to find another statement of a status


class Theory(NamedTuple):
    """A consistent theory.

    Attributes:
        people: Everybody who is named.
        facts: Ground atoms, in random order.
        rules: In random order.
        known: All that follows, with its derivation.
        goal: Follows, from one smallest set of facts and rules.
        twin: Does not follow; the goal about other people, of whom almost the same is known.
    """

    people: list[str]
    facts: list[Atom]
    rules: list[Rule]
    known: dict[Atom, Derived | None]
    goal: Atom
    twin: Atom


def draw_theory(rng: np.random.Generator, steps: int, extra: int, people: int) -> Theory:
    """Draw theories until one is sound (`is_fine`).

    Args:
        rng: The only source of chance.
        steps: Uses of rules in the proof of the goal.
        extra: Rules beside those of the proof.
        people: Number of people.
    """
    while True:
        theory = _Builder(rng, people).theory(steps, extra)
        if is_fine(theory):
            return theory


def is_fine(theory: Theory) -> bool:
    """Return True if it is consistent, without the twin, and the goal's proof is unique."""
    _, facts, rules, known, goal, twin = theory
    if twin in known or is_contradictory(known) or entails(facts, rules, twin):
        return False
    needed_facts, needed_rules, _ = support(known, goal)
    # if the goal is lost without any one of these, every proof holds them all: they are unique
    return not any(
        entails([fact for fact in facts if fact != one], rules, goal) for one in needed_facts
    ) and not any(
        entails(facts, [rule for rule in rules if rule != one], goal) for one in needed_rules
    )


# Bodies for the head h(x) and for the head h(x, y); "." is a fresh adjective, ":" a fresh verb.
_FOR_ONE = (
    ((".", "x"),),
    ((".", "x"), (".", "x")),
    ((":", "x", "y"), (".", "y")),
    ((":", "y", "x"), (".", "y")),
    ((":", "x", "y"),),
    ((":", "y", "x"),),
)
_FOR_TWO = (
    ((":", "x", "y"),),
    ((":", "y", "x"),),
    ((":", "x", "z"), (":", "z", "y")),
    ((":", "x", "y"), (".", "x")),
    ((":", "x", "y"), (".", "y")),
    ((".", "x"), (".", "y")),
)


class _Builder:
    """A theory in the making; predicates are used up, so that proofs do not meet by accident."""

    def __init__(self, rng: np.random.Generator, people: int) -> None:
        self.rng = rng
        self.people = sample_of(rng, NAMES, people)
        self.fresh = {".": shuffled(rng, ADJECTIVES), ":": shuffled(rng, VERBS)}
        self.facts: dict[Atom, None] = {}
        self.rules: list[Rule] = []
        self.missing: Atom = ()  # the twin would follow from it

    def add(self, fact: Atom) -> None:
        if fact != self.missing:
            self.facts[fact] = None

    def theory(self, steps: int, extra: int) -> Theory:
        goal = self.goal()
        needed = self.proof(goal, steps)
        moved = dict(zip(self.people, [*self.people[1:], self.people[0]], strict=True))
        twin = put_in(goal, moved)
        self.facts.update(dict.fromkeys(needed))
        self.almost([put_in(fact, moved) for fact in needed])
        for _ in range(extra):
            self.side_rule()
        while len(self.facts) < MIN_FACTS + steps:
            self.side_fact()
        facts, rules = shuffled(self.rng, list(self.facts)), shuffled(self.rng, self.rules)
        return Theory(self.people, facts, rules, close(facts, rules), goal, twin)

    def name(self, kind: str) -> str:
        """A predicate not used before; when all are, any."""
        if self.fresh[kind]:
            return self.fresh[kind].pop()
        return pick(self.rng, ADJECTIVES if kind == "." else VERBS)

    def goal(self) -> Atom:
        sign = NOT if self.rng.random() < NEGATIVE_GOALS else ""
        if self.rng.random() < 0.7:
            return (sign + self.name("."), pick(self.rng, self.people))
        return (sign + self.name(":"), *sample_of(self.rng, self.people, 2))

    def proof(self, goal: Atom, steps: int) -> list[Atom]:
        """Rules that lead to the goal, and the atoms from which they do; often one long chain."""
        leaves = [goal]
        for _ in range(steps):
            place = len(leaves) - 1 if self.rng.random() < 0.6 else None
            atom = leaves.pop(draw_int(self.rng, 0, len(leaves) - 1) if place is None else place)
            leaves += self.explain(atom)
        return leaves

    def explain(self, head: Atom) -> list[Atom]:
        """Add a rule with this head; return atoms that make its body true."""
        shape = pick(self.rng, _FOR_ONE if len(head) == 2 else _FOR_TWO)
        body = tuple((self.name(part[0]), *part[1:]) for part in shape)
        values = dict(zip(("x", "y"), head[1:], strict=False))
        others = [person for person in self.people if person not in head[1:]]
        for variable, person in zip(("y", "z")[len(head) - 2 :], others, strict=False):
            values.setdefault(variable, person)
        self.rules.append(Rule(body, (head[0], *("x", "y")[: len(head) - 1])))
        return [put_in(part, values) for part in body]

    def almost(self, facts: list[Atom]) -> None:
        """Add all these facts but one; in its place the same of others, or another one of them."""
        wrong = draw_int(self.rng, 0, len(facts) - 1)
        self.missing = facts[wrong]
        for fact in facts:
            self.add(fact)
        name, *people = self.missing
        if self.rng.random() < 0.5:
            name = self.name("." if len(people) == 1 else ":")
        else:
            others = [person for person in self.people if person not in people]
            people = [*people[1:], pick(self.rng, others)]
        self.add((name, *people))

    def side_rule(self) -> None:
        """Add another way to a conclusion, of which a part is missing, or a further conclusion."""
        rule = pick(self.rng, self.rules)
        if self.rng.random() < 0.5:
            name, *variables = rule.head
            body = self.explain((name, *sample_of(self.rng, self.people, len(variables))))
            if len(body) > 1:
                self.add(pick(self.rng, body))
            return
        name, *variables = pick(self.rng, rule.body)
        sign = NOT if self.rng.random() < 0.5 else ""
        head = self.name("." if len(variables) == 1 else ":")
        shown = ("x", "y")[: len(variables)]
        self.rules.append(Rule(((name, *shown),), (sign + head, *shown)))

    def side_fact(self) -> None:
        """Another fact that a rule uses, or that none does, about anybody."""
        name, *variables = pick(self.rng, pick(self.rng, self.rules).body)
        if self.rng.random() < 0.25:
            name, variables = self.name("."), ["x"]
        self.add((name, *sample_of(self.rng, self.people, len(variables))))


def draw_statements(
    rng: np.random.Generator, theory: Theory, statuses: list[str]
) -> list[Atom] | None:
    """Different statements of these statuses; None if the theory does not give them.

    Each is made from something that is derived, by negation or about other people, and negated as
    often as not, so that neither its words nor its sign tell the status.
    """
    derived = [atom for atom, how in theory.known.items() if how is not None]
    by_sign = [
        [atom for atom in derived if atom[0].startswith(NOT) is sign] for sign in (False, True)
    ]
    if min(map(len, by_sign)) < 2 or len(derived) <= len(statuses):
        return None
    found: dict[Atom, None] = {}
    for number, status in enumerate(statuses, 1):
        for _ in range(TRIES):
            atom = _statement(rng, theory, pick(rng, pick(rng, by_sign)), status)
            if atom is not None and atom not in found and negated(atom) not in found:
                found[atom] = None
                break
        if len(found) < number:
            return None
    return list(found)


def _statement(rng: np.random.Generator, theory: Theory, atom: Atom, status: str) -> Atom | None:
    """A statement of this status made from an atom that follows; None if a draw gave none."""
    if status != "unknown":
        return atom if status == "true" else negated(atom)
    atom = (atom[0], *sample_of(rng, theory.people, len(atom) - 1))
    sides = atom, negated(atom)
    if any(entails(theory.facts, theory.rules, side) for side in sides):
        return None
    return pick(rng, sides)
