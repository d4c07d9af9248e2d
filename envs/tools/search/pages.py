"""Pages of a generated corpus, and pages that are written for one question.

Read `ground_of`; `questions.py` says which pages a question has.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np

from zerogym.envs.tools.search.corpus import Corpus
from zerogym.envs.tools.search.generated_corpus import (
    FIRST_YEAR,
    LAST_YEAR,
    RELATIONS_OF,
    CorpusWorld,
    Fact,
    Relation,
    sample_corpus_world,
    write_facts,
)

T = TypeVar("T")

_LETTERS = "aeioulnrstmdk"


@dataclass(frozen=True)
class Ground:
    """A generated corpus with its facts.

    Attributes:
        world: Facts and documents.
        corpus: The documents, indexed.
        ids: Of the page of each thing, by its name.
        names: Of each kind of thing, and of all things (`""`).
    """

    world: CorpusWorld
    corpus: Corpus
    ids: dict[str, str]
    names: dict[str, list[str]]


@dataclass(frozen=True)
class Page:
    """A page that belongs to a question: what it states, and its words."""

    id: str
    title: str
    facts: tuple[Fact, ...]
    text: str


@lru_cache(maxsize=32)
def ground_of(seed: int, documents: int) -> Ground:
    """Return the corpus of a seed and a size; a process draws it once."""
    world = sample_corpus_world(np.random.default_rng([seed, documents]), documents)
    names: dict[str, list[str]] = {"": list(world.facts), **{kind: [] for kind in RELATIONS_OF}}
    for name, facts in world.facts.items():
        names[facts[0].relation.subject].append(name)
    ids = {document.title: document.id for document in world.documents}
    return Ground(world, Corpus(world.documents), ids, names)


def random_object(rng: np.random.Generator, ground: Ground, relation: Relation) -> str:
    """Draw any object of a fact: a year, or the name of a thing."""
    if relation.object == "year":
        return str(int(rng.integers(FIRST_YEAR, LAST_YEAR)))
    return pick(rng, ground.names[relation.object])


def new_object(rng: np.random.Generator, ground: Ground, relation: Relation, met: set[str]) -> str:
    """Draw the object of a fact among those not met, and add it to them."""
    while (drawn := random_object(rng, ground, relation)) in met:
        pass
    met.add(drawn)
    return drawn


def rewritten(
    rng: np.random.Generator, ground: Ground, id: str, fact: Fact, head: str = ""
) -> Page:
    """Write the page of a thing anew, with this fact in place of the one of its kind."""
    old = ground.world.facts[fact.subject]
    facts = tuple(fact if other.relation == fact.relation else other for other in old)
    return Page(id, fact.subject, facts, head + write_facts(rng, facts))


def namesake(
    rng: np.random.Generator, ground: Ground, id: str, name: str, met: Iterable[str]
) -> Page:
    """Write the page of another person of this name, of whom no fact is the same."""
    known = {fact.object for fact in ground.world.facts[name]}.union(met)
    facts = tuple(
        Fact(name, relation, new_object(rng, ground, relation, known))
        for relation in RELATIONS_OF["person"]
    )
    return Page(id, name, facts, write_facts(rng, facts))


def exchanged(rng: np.random.Generator, pages: Sequence[Page]) -> dict[str, str]:
    """Exchange the ids of pages with one title at random: an id says nothing about its page."""
    id_of: dict[str, str] = {}
    for title in dict.fromkeys(page.title for page in pages):
        ids = [page.id for page in pages if page.title == title]
        shuffled = [ids[place] for place in rng.permutation(len(ids))]
        id_of |= dict(zip(ids, shuffled, strict=True))
    return id_of


def misspelt(rng: np.random.Generator, name: str) -> str:
    """Replace one letter of the last word of a name, but the first letter."""
    place = int(rng.integers(name.rindex(" ") + 2, len(name)))
    letter = pick(rng, [letter for letter in _LETTERS if letter != name[place]])
    return name[:place] + letter + name[place + 1 :]


def one_letter_off(one: str, other: str) -> bool:
    """Return whether two names differ in one letter, as a misspelt name does.

    Example:
        >>> one_letter_off("Mira Tol", "Mira Tal"), one_letter_off("Mira Tol", "Mira Tole")
        (True, False)
    """
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def pick(rng: np.random.Generator, options: Sequence[T]) -> T:
    """Draw one of the options."""
    return options[int(rng.integers(len(options)))]
