"""Generated worlds in documents: invented towns, rivers, guilds and people.

Every thing has a name that no other has, and a document that states its facts; a fact leads to
another thing or to a year. So a question is a walk: "What is the founding year of the birthplace
of the teacher of Mira Tolvan?" has one answer by construction, and no knowledge of the real world
helps (`questions.py`). Each fact is stated in one of several ways, beside others.

Left out, since `questions.py` adds it: facts that change, things of the same name, lost documents.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from zerogym.envs.tools.search.corpus import Corpus, Document

T = TypeVar("T")

_SIZES = {"town": 0.15, "river": 0.05, "guild": 0.15, "person": 0.65}  # shares of the documents
_MANY = 50_000  # documents, from which on names have a syllable more
FIRST_YEAR, LAST_YEAR = 1100, 1900  # of all years that are stated, the last one excluded
_ARTICLE = ("guild", "river")  # kinds of which we say "the"
_SOUNDS = (
    "b br d dr f g gl h k kr l m n p pl r s st t tr v z",
    "a e i o u ae ei ou",
    "l n r s t m nd rk lm sk",
)
_ONSETS, _VOWELS, _CODAS = (tuple(sounds.split()) for sounds in _SOUNDS)
_TRADES = (
    "Bakers", "Brewers", "Coopers", "Dyers", "Glaziers", "Masons", "Potters", "Saddlers", "Smiths",
    "Weavers",
)  # fmt: skip


@dataclass(frozen=True)
class Relation:
    """A kind of fact.

    Attributes:
        subject, object: Kinds of things; a fact about a `year` ends a walk.
        phrase: What a question calls the object, with `{}` for the subject.
        sentences: Ways to state it, with `{0}` for the subject and `{1}` for the object.
    """

    subject: str
    object: str
    phrase: str
    sentences: tuple[str, ...]


RELATIONS = (
    Relation(
        "person", "town", "the birthplace of {}",
        ("{0} was born in {1}.", "The cradle of {0} stood in {1}."),
    ),
    Relation(
        "person", "guild", "the guild of {}",
        ("{0} belongs to the {1}.", "{0} joined the {1} after seven years of service."),
    ),
    Relation(
        "person", "person", "the teacher of {}",
        ("{0} learned the craft from {1}.", "{1} taught {0} for years."),
    ),
    Relation(
        "person", "year", "the year of birth of {}",
        ("{0} came into the world in the year {1}.", "In {1}, {0} was born."),
    ),
    Relation(
        "guild", "town", "the home town of {}",
        ("The {0} have their hall in {1}.", "{1} is where the {0} have always met."),
    ),
    Relation(
        "guild", "person", "the master of {}",
        ("The {0} are led by {1}.", "The {0} chose {1} as their master."),
    ),
    Relation(
        "guild", "year", "the founding year of {}",
        ("The {0} were founded in {1}.", "The charter of the {0} is from the year {1}."),
    ),
    Relation(
        "town", "river", "the river of {}",
        ("{0} lies on the {1}.", "The {1} flows through {0}."),
    ),
    Relation(
        "town", "person", "the mayor of {}",
        ("{0} is governed by its mayor, {1}.", "{0} elected {1} as mayor."),
    ),
    Relation(
        "town", "year", "the founding year of {}",
        ("{0} was founded in {1}.", "In the year {1}, settlers built the first house of {0}."),
    ),
    Relation(
        "river", "town", "the town at the source of {}",
        ("The {0} rises near {1}.", "The {0} begins in the hills of {1}."),
    ),
    Relation(
        "river", "person", "the first surveyor of {}",
        ("{1} was the first to survey the {0}.", "The first map of the {0} was drawn by {1}."),
    ),
)  # fmt: skip


RELATIONS_OF = {
    kind: tuple(relation for relation in RELATIONS if relation.subject == kind) for kind in _SIZES
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: its subject, its kind, and its object."""

    subject: str
    relation: Relation
    object: str

    def __deepcopy__(self, memo: dict[int, Any]) -> "Fact":
        return self  # nothing in it can change


@dataclass(frozen=True)
class CorpusWorld:
    """Facts and the documents that state them; equal seeds give equal worlds.

    Attributes:
        documents: One for each thing, titled with its name.
        facts: Of each thing, by its name.
    """

    documents: tuple[Document, ...]
    facts: dict[str, tuple[Fact, ...]]


class _Picks:
    """Uniform choices from a generator, drawn many at once: a large world needs millions."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._drawn: list[float] = []

    def below(self, number: int) -> int:
        if not self._drawn:
            self._drawn = self._rng.random(1024).tolist()
        return int(self._drawn.pop() * number)

    def of(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]


def sample_corpus_world(rng: np.random.Generator, documents: int = 640) -> CorpusWorld:
    """Draw a world of about `documents` documents (at least 40).

    Raises:
        ValueError: If there are fewer.
    """
    if documents < 40:
        raise ValueError(f"a world needs at least 40 documents, got {documents}")
    picks = _Picks(rng)
    taken: set[str] = set()
    longer = documents > _MANY  # there are not enough short names
    things = {
        kind: [_name(picks, kind, taken, longer) for _ in range(round(documents * share))]
        for kind, share in _SIZES.items()
    }
    facts = {
        name: tuple(_fact(picks, name, relation, things) for relation in RELATIONS_OF[kind])
        for kind, names in things.items()
        for name in names
    }
    names = list(facts)
    pages = [
        Document(f"p{number}", names[place], _write(picks, facts[names[place]]))
        for number, place in enumerate(rng.permutation(len(names)).tolist(), 1)
    ]
    return CorpusWorld(tuple(pages), facts)


def write_facts(rng: np.random.Generator, facts: Sequence[Fact]) -> str:
    """State facts in a drawn order, each in one of its ways.

    Example:
        >>> fact = Fact("Osk", RELATIONS[7], "Mir")
        >>> write_facts(np.random.default_rng(0), [fact])
        'Osk lies on the Mir.'
    """
    return _write(_Picks(rng), facts)


@lru_cache(maxsize=8)
def corpus_of_seed(seed: int) -> Corpus:
    """Return the corpus of the world that a seed draws, with 640 documents."""
    return Corpus(sample_corpus_world(np.random.default_rng(seed)).documents)


def _fact(picks: _Picks, name: str, relation: Relation, things: dict[str, list[str]]) -> Fact:
    if relation.object == "year":
        return Fact(name, relation, str(FIRST_YEAR + picks.below(LAST_YEAR - FIRST_YEAR)))
    while (other := picks.of(things[relation.object])) == name:
        pass
    return Fact(name, relation, other)


def _write(picks: _Picks, facts: Sequence[Fact]) -> str:
    left = list(facts)
    said = []
    while left:
        fact = left.pop(picks.below(len(left)))
        said.append(picks.of(fact.relation.sentences).format(fact.subject, fact.object))
    return " ".join(said)


def phrase_of(thing: str, relations: Sequence[Relation]) -> str:
    """Write what stands at the end of a walk that begins at a thing.

    Example:
        >>> phrase_of("Osk", [RELATIONS[8], RELATIONS[3]])
        'the year of birth of the mayor of Osk'
    """
    if relations[0].subject in _ARTICLE:
        thing = f"the {thing}"
    for relation in relations:
        thing = relation.phrase.format(thing)
    return thing


def question_in_words(thing: str, relations: Sequence[Relation]) -> str:
    """Write the question for the end of a walk that begins at a thing.

    Example:
        >>> question_in_words("Osk", [RELATIONS[8]])
        'Who is the mayor of Osk?'
    """
    who = "Who" if relations[-1].object == "person" else "What"
    return f"{who} is {phrase_of(thing, relations)}?"


def _name(picks: _Picks, kind: str, taken: set[str], longer: bool) -> str:
    """Draw a name without a word that another name has, but for trades and first names."""
    syllables = (3 if kind == "town" else 2) + longer
    while (word := _word(picks, syllables)) in taken:
        pass
    taken.add(word)
    if kind == "guild":
        return f"{picks.of(_TRADES)} of {word}"
    return f"{_word(picks, 2)} {word}" if kind == "person" else word


def _word(picks: _Picks, syllables: int) -> str:
    parts = [picks.of(_ONSETS) + picks.of(_VOWELS) for _ in range(syllables)]
    return "".join([*parts, picks.of(_CODAS)]).capitalize()
