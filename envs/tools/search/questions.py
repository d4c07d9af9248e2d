"""Questions over a generated corpus, and the few pages that are rewritten for each of them.

A corpus is drawn once and kept (`ground_of`); a question changes a handful of its pages
(`EditedCorpus`). All facts on the walk from the named thing to the answer are drawn anew for each
question: what another episode has shown does not help, and the same question has another answer in
another problem (`twin`). One thing may be wrong with the sources, which is the category:

- `plain`: nothing;
- `missing`: a page of the walk is lost, or does not state the fact;
- `conflict`: a page has two editions that disagree, and the later one counts;
- `misspelt`: one letter of the name in the question is wrong ("Beyond Ten Turns: Unlocking
  Long-Horizon Agentic Search with Large-Scale Asynchronous RL", 2025, arXiv 2508.07976, makes facts
  of its questions vague; the misspelling is our choice);
- `ambiguous`: two people have this name, and the question states a further fact of the right one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

import numpy as np

from zerogym.envs.tools.search.corpus import Corpus, Document, EditedCorpus
from zerogym.envs.tools.search.generated_corpus import (
    FIRST_YEAR,
    LAST_YEAR,
    MAX_HOPS,
    RELATIONS_OF,
    CorpusWorld,
    Fact,
    Relation,
    question_in_words,
    sample_corpus_world,
    write_facts,
)

T = TypeVar("T")

MISSING = "not in the documents"
SHARES = {"plain": 0.3, "missing": 0.1, "conflict": 0.2, "misspelt": 0.2, "ambiguous": 0.2}
_CORPORA = 16  # of each size of at most `_LARGE` documents; of larger ones there is one
_LARGE = 5000
_LETTERS = "aeioulnrstmdk"


@dataclass(frozen=True)
class Ground:
    """A generated corpus with its facts.

    Attributes:
        world: Facts and documents.
        corpus: The documents, indexed.
        ids: Of the page of each thing, by its name.
        names: Of each kind of thing.
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


@dataclass(frozen=True)
class Pose:
    """The part of a problem that the text of its question fixes.

    Attributes:
        start: The named thing.
        written: Its name as the question has it, which may be misspelt.
        relations: The steps of the walk.
        category: What is wrong with the sources.
        known: A further fact of the start; None if the name is enough.
    """

    start: str
    written: str
    relations: tuple[Relation, ...]
    category: str
    known: Fact | None = None


@dataclass(frozen=True)
class SearchProblem:
    """A question, its answer, and the pages that are rewritten for it.

    Attributes:
        question, answer, category: Of the problem.
        base: Seed and size of the generated corpus; or the path of documents from files.
        pages: Pages that replace those of the corpus or are added to it.
        removed: Ids of pages that are lost.
        dead: Ids of pages that are found and cannot be opened.
        facts: The walk, as far as the documents state it.
        visits: The expert's searches, each with the ids of the pages that it opens then.
        evidence: Ids of the pages that state the walk's facts.
        first: What the first search of an episode finds: "" (as always), `nothing`, `irrelevant`.
        seed: Of what the tools draw.
        noise: The probability of noise in what they show, from 0 to 1.
        pose: What a twin shares with this problem; None for a question from a file.
    """

    question: str
    answer: str
    category: str
    base: tuple[int, int] | str
    pages: tuple[Page, ...] = ()
    removed: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    visits: tuple[tuple[str, tuple[str, ...]], ...] = ()
    evidence: tuple[str, ...] = ()
    first: str = ""
    seed: int = 0
    noise: float = 0.0
    pose: Pose | None = None


@lru_cache(maxsize=32)
def ground_of(seed: int, documents: int) -> Ground:
    """Return the corpus of a seed and a size; a process draws it once."""
    world = sample_corpus_world(np.random.default_rng([seed, documents]), documents)
    names: dict[str, list[str]] = {kind: [] for kind in RELATIONS_OF}
    for name, facts in world.facts.items():
        names[facts[0].relation.subject].append(name)
    ids = {document.title: document.id for document in world.documents}
    return Ground(world, Corpus(world.documents), ids, names)


def edited(problem: SearchProblem, corpus: Corpus) -> Corpus:
    """Return the corpus of a problem: the pages of a question in place of those of the corpus."""
    pages = [Document(page.id, page.title, page.text) for page in problem.pages]
    return EditedCorpus(corpus, pages, problem.removed) if pages or problem.removed else corpus


def sample_problem(
    rng: np.random.Generator,
    documents: int,
    hops: int,
    category: str | None = None,
    dead_links: float = 0.0,
    first_failure: float = 0.0,
) -> SearchProblem:
    """Draw a problem.

    Args:
        rng: The source of all choices.
        documents: About how many the corpus has.
        hops: Facts on the walk, 1 to 8.
        category: What is wrong with the sources; None draws it by `SHARES`.
        dead_links: The probability that a page of the walk has a copy that cannot be opened.
        first_failure: The probability that the first search finds nothing, or nothing relevant.
    """
    seed = int(rng.integers(_CORPORA)) if documents <= _LARGE else 0
    category = category or str(rng.choice(list(SHARES), p=list(SHARES.values())))
    pose = _pose(rng, ground_of(seed, documents), min(hops, MAX_HOPS), category)
    problem = fill(rng, (seed, documents), pose, dead_links)
    if rng.random() < first_failure:
        problem = replace(problem, first=("nothing", "irrelevant")[int(rng.integers(2))])
    return problem


def twin(problem: SearchProblem, rng: np.random.Generator) -> SearchProblem:
    """Return a problem with the same question in which all facts of the walk are drawn anew."""
    if problem.pose is None or isinstance(problem.base, str):
        raise ValueError("a question from a file has no twin")
    return fill(rng, problem.base, problem.pose)


def _pose(rng: np.random.Generator, ground: Ground, hops: int, category: str) -> Pose:
    of_person = category in ("misspelt", "ambiguous")
    start = _pick(rng, ground.names["person"] if of_person else list(ground.world.facts))
    kind = ground.world.facts[start][0].relation.subject
    to_year = bool(rng.integers(2))
    relations: list[Relation] = []
    for hop in range(hops):
        years = [relation for relation in RELATIONS_OF[kind] if relation.object == "year"]
        others = [relation for relation in RELATIONS_OF[kind] if relation.object != "year"]
        last = to_year and hop == hops - 1 and years  # a river has no year
        relations.append(_pick(rng, years if last else others))
        kind = relations[-1].object
    known = None
    if category == "ambiguous":
        facts = ground.world.facts[start]
        known = _pick(rng, [fact for fact in facts if fact.relation is not relations[0]])
    written = _misspelt(rng, start) if category == "misspelt" else start
    return Pose(start, written, tuple(relations), category, known)


def fill(
    rng: np.random.Generator,
    base: tuple[int, int],
    pose: Pose,
    dead_links: float = 0.0,
) -> SearchProblem:
    """Draw the facts of a walk, and write the pages that state them."""
    ground = ground_of(*base)
    met = {pose.start} | ({pose.known.object} if pose.known else set())
    walk: list[Fact] = []
    name = pose.start
    for relation in pose.relations:
        name_next = _object(rng, ground, relation, met)
        walk.append(Fact(name, relation, name_next))
        name = name_next
    new_ids = iter(f"p{len(ground.ids) + number}" for number in range(1, 99))
    pages = [_rewritten(rng, ground, ground.ids[fact.subject], fact) for fact in walk]
    evidence = [page.id for page in pages]
    opened = [[page.id] for page in pages]
    removed: list[str] = []
    broken = int(rng.integers(len(walk)))
    if pose.category == "missing":
        stated = tuple(fact for fact in pages[broken].facts if fact != walk[broken])
        lost, text = rng.random() < 0.5, write_facts(rng, stated)
        removed = [pages[broken].id] if lost else []
        # No page beyond the break is rewritten: no plan leads there.
        pages = pages[:broken] + [replace(pages[broken], facts=stated, text=text)] * (not lost)
        opened = [*opened[:broken], [] if lost else opened[broken]]
        walk, evidence = walk[:broken], evidence[:broken]
    elif pose.category == "conflict":
        first, second = sorted(int(year) for year in rng.choice(np.arange(1901, 2000), 2, False))
        true, wrong = walk[broken], _object(rng, ground, walk[broken].relation, met)
        false = replace(true, object=wrong)
        old = _rewritten(rng, ground, next(new_ids), false, f"Edition of {first}. ")
        pages[broken] = _rewritten(rng, ground, evidence[broken], true, f"Edition of {second}. ")
        pages.append(old)
        opened[broken] = [old.id, evidence[broken]]
    elif pose.known is not None:
        namesake = _namesake(rng, ground, next(new_ids), pose, walk[0], met)
        pages.append(namesake)
        opened[0] = [namesake.id, evidence[0]]
    titles = {page.id: page.title for page in pages}
    dead = [
        Page(next(new_ids), titles[ids[-1]], (), "")
        for ids in opened
        if ids and dead_links and rng.random() < dead_links
    ]
    subjects = [pose.written, *(fact.object for fact in walk)][: len(opened)]
    id_of = _exchanged(rng, [*pages, *dead])
    return SearchProblem(
        question=_in_words(pose),
        answer=MISSING if pose.category == "missing" else walk[-1].object,
        category=pose.category,
        base=base,
        pages=tuple(replace(page, id=id_of[page.id]) for page in [*pages, *dead]),
        removed=tuple(removed),
        dead=tuple(id_of[page.id] for page in dead),
        facts=tuple(walk),
        visits=tuple(
            (subject, tuple(id_of[id] for id in ids))
            for subject, ids in zip(subjects, opened, strict=True)
        ),
        evidence=tuple(id_of[id] for id in evidence),
        seed=int(rng.integers(2**31)),
        pose=pose,
    )


def _exchanged(rng: np.random.Generator, pages: Sequence[Page]) -> dict[str, str]:
    """Exchange the ids of pages with one title at random: an id says nothing about its page."""
    id_of: dict[str, str] = {}
    for title in dict.fromkeys(page.title for page in pages):
        ids = [page.id for page in pages if page.title == title]
        id_of |= dict(zip(ids, _shuffled(rng, ids), strict=True))
    return id_of


def _object(rng: np.random.Generator, ground: Ground, relation: Relation, met: set[str]) -> str:
    """Draw the object of a fact, which the walk has not met, and note it as met."""
    while (drawn := random_object(rng, ground, relation)) in met:
        pass
    met.add(drawn)
    return drawn


def random_object(rng: np.random.Generator, ground: Ground, relation: Relation) -> str:
    """Draw any object of a fact: a year, or the name of a thing."""
    if relation.object == "year":
        return str(int(rng.integers(FIRST_YEAR, LAST_YEAR)))
    return _pick(rng, ground.names[relation.object])


def _rewritten(
    rng: np.random.Generator, ground: Ground, id: str, fact: Fact, head: str = ""
) -> Page:
    """Write the page of a thing anew, with this fact in place of the one of its kind."""
    old = ground.world.facts[fact.subject]
    facts = tuple(fact if other.relation is fact.relation else other for other in old)
    return Page(id, fact.subject, facts, head + write_facts(rng, facts))


def _namesake(
    rng: np.random.Generator, ground: Ground, id: str, pose: Pose, first: Fact, met: set[str]
) -> Page:
    """Write the page of another person of the same name, of whom no fact is the same."""
    own = {fact.object for fact in ground.world.facts[pose.start]} | {first.object}
    facts = tuple(
        Fact(pose.start, relation, _object(rng, ground, relation, met | own))
        for relation in RELATIONS_OF["person"]
    )
    return Page(id, pose.start, facts, write_facts(rng, facts))


def _in_words(pose: Pose) -> str:
    start = pose.written
    if pose.known is not None:
        noun = pose.known.relation.phrase.removeprefix("the ").removesuffix(" of {}")
        start = f"{start} ({noun}: {pose.known.object})"
    return question_in_words(start, pose.relations)


def _misspelt(rng: np.random.Generator, name: str) -> str:
    """Replace one letter of the last word of a name, but the first letter."""
    place = int(rng.integers(name.rindex(" ") + 2, len(name)))
    letter = _pick(rng, [letter for letter in _LETTERS if letter != name[place]])
    return name[:place] + letter + name[place + 1 :]


def _pick(rng: np.random.Generator, options: Sequence[T]) -> T:
    return options[int(rng.integers(len(options)))]


def _shuffled(rng: np.random.Generator, options: Sequence[T]) -> list[T]:
    return [options[int(place)] for place in rng.permutation(len(options))]
