"""Invented facts: cities, persons, firms, ... and the relations between them, each of one topic."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from zerogym.envs.reasoning.draws import draw_ints
from zerogym.envs.tools.notebook.puzzle import sample_names

KINDS = ("city", "province", "bird", "firm", "song", "club", "person")


@dataclass(frozen=True)
class Relation:
    """A function from things of one kind to things of another.

    Attributes:
        name: The word for it: "the founder of the firm Tomiva".
        topic: The topic that an expert must know.
        start, end: Kinds of its argument and of its value.
    """

    name: str
    topic: str
    start: str
    end: str


RELATIONS: tuple[Relation, ...] = (
    Relation("province", "geography", "city", "province"),
    Relation("capital", "geography", "province", "city"),
    Relation("emblem bird", "biology", "province", "bird"),
    Relation("discoverer", "biology", "bird", "person"),
    Relation("largest firm", "trade", "city", "firm"),
    Relation("founder", "trade", "firm", "person"),
    Relation("anthem", "music", "city", "song"),
    Relation("composer", "music", "song", "person"),
    Relation("football club", "sport", "city", "club"),
    Relation("captain", "sport", "club", "person"),
    Relation("chief judge", "law", "city", "person"),
    Relation("guardian", "law", "person", "person"),
    Relation("birthplace", "history", "person", "city"),
    Relation("teacher", "history", "person", "person"),
)
TOPICS: tuple[str, ...] = tuple(dict.fromkeys(relation.topic for relation in RELATIONS))
BY_NAME: Mapping[str, Relation] = {relation.name: relation for relation in RELATIONS}


@dataclass(frozen=True)
class Facts:
    """A world of facts.

    Attributes:
        names: The names of each kind; no name is of two things.
        values: For each relation, by name, the value of each argument.
    """

    names: Mapping[str, tuple[str, ...]]
    values: Mapping[str, Mapping[str, str]]

    def follow(self, start: str, chain: tuple[str, ...]) -> list[str]:
        """Return the start and the value after each relation of a chain."""
        found = [start]
        for name in chain:
            found.append(self.values[name][found[-1]])
        return found


def sample_facts(rng: np.random.Generator, size: int) -> Facts:
    """Draw a world with `size` things of each kind; every relation is a random function."""
    words = [word.capitalize() for word in sample_names(rng, size * len(KINDS))]
    names = {
        kind: tuple(words[size * index : size * (index + 1)]) for index, kind in enumerate(KINDS)
    }
    values = {}
    for relation in RELATIONS:
        ends = draw_ints(rng, 0, size - 1, size)
        pairs = zip(names[relation.start], ends, strict=True)
        values[relation.name] = {start: names[relation.end][end] for start, end in pairs}
    return Facts(names, values)


def sample_chain(
    rng: np.random.Generator, facts: Facts, hops: int
) -> tuple[str, tuple[str, ...]] | None:
    """Draw a start and so many relations; None if a thing comes up twice on the way.

    Without repeats, the answer stands neither in the question nor in an earlier fact.
    """
    kind = KINDS[int(rng.integers(len(KINDS)))]
    start = facts.names[kind][int(rng.integers(len(facts.names[kind])))]
    chain: list[str] = []
    for _ in range(hops):
        fitting = [relation for relation in RELATIONS if relation.start == kind]
        relation = fitting[int(rng.integers(len(fitting)))]
        chain.append(relation.name)
        kind = relation.end
    visited = facts.follow(start, tuple(chain))
    return (start, tuple(chain)) if len(set(visited)) == len(visited) else None


def in_words(start: str, chain: tuple[str, ...]) -> str:
    """Write a chain as a noun phrase.

    Example:
        >>> in_words("Tomiva", ("founder", "birthplace"))
        'the birthplace of the founder of Tomiva'
    """
    return " of ".join([*(f"the {name}" for name in reversed(chain)), start])
