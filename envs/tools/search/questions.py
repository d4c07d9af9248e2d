"""Questions over a generated corpus, and the few pages that are rewritten for each of them.

A corpus is drawn once and kept (`ground_of`); a question changes a handful of its pages
(`EditedCorpus`). All facts on the walk from the named thing to the answer are drawn anew for each
question: what another episode has shown does not help, and the same question has another answer in
another problem (`twin`). The category is what makes the question hard:

- `plain`: nothing but its length;
- `missing`: a page of the walk is lost, or does not state the fact;
- `conflict`: a page has two editions that disagree, and the later one counts;
- `misspelt`: one letter of the name in the question is wrong ("Beyond Ten Turns: Unlocking
  Long-Horizon Agentic Search with Large-Scale Asynchronous RL", 2025, arXiv 2508.07976, makes facts
  of its questions vague; the misspelling is our choice);
- `ambiguous`: two people have this name, and the question states a further fact of the right one;
- `difference`: the years between two facts, for which there is a calculator ("Tool-Star: Empowering
  LLM-Brained Multi-Tool Reasoner via Reinforcement Learning", 2025, arXiv 2505.16410, trains on
  questions that need a search and a computation).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from zerogym.envs.tools.search.corpus import Corpus, Document, EditedCorpus
from zerogym.envs.tools.search.generated_corpus import (
    RELATIONS_OF,
    Fact,
    Relation,
    phrase_of,
    question_in_words,
    write_facts,
)
from zerogym.envs.tools.search.pages import (
    Ground,
    Page,
    exchanged,
    ground_of,
    misspelt,
    namesake,
    new_object,
    pick,
    rewritten,
)

MISSING = "not in the documents"
SHARES = {
    "plain": 0.25,
    "missing": 0.1,
    "conflict": 0.2,
    "misspelt": 0.15,
    "ambiguous": 0.15,
    "difference": 0.15,
}
_CORPORA = 16  # of each size of at most `_LARGE` documents; of larger ones there is one
_LARGE = 5000
MAX_HOPS = 8


@dataclass(frozen=True)
class Pose:
    """The part of a problem that the text of its question fixes.

    Attributes:
        start: The named thing.
        written: Its name as the question has it, which may be misspelt.
        relations: The steps of the walk.
        category: What makes it hard.
        known: A further fact of the start; None if the name is enough.
        second: The other named thing of a difference, else "".
        year: The fact about it that is a year.
    """

    start: str
    written: str
    relations: tuple[Relation, ...]
    category: str
    known: Fact | None = None
    second: str = ""
    year: Relation | None = None

    @property
    def question(self) -> str:
        """The question in words."""
        start = self.written
        if self.known is not None:
            noun = self.known.relation.phrase.removeprefix("the ").removesuffix(" of {}")
            start = f"{start} ({noun}: {self.known.object})"
        if self.year is None:
            return question_in_words(start, self.relations)
        one, two = phrase_of(start, self.relations), phrase_of(self.second, [self.year])
        return f"How many years lie between {one} and {two}?"


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
        ends: The objects of the facts that the answer follows from.
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
    ends: tuple[str, ...] = ()
    visits: tuple[tuple[str, tuple[str, ...]], ...] = ()
    evidence: tuple[str, ...] = ()
    first: str = ""
    seed: int = 0
    noise: float = 0.0
    pose: Pose | None = None


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
        hops: Facts to find, 1 to 8; a difference has at least 2.
        category: What makes it hard; None draws it by `SHARES`.
        dead_links: The probability that a page of the walk has a copy that cannot be opened.
        first_failure: The probability that the first search finds nothing, or nothing relevant.
    """
    seed = int(rng.integers(_CORPORA)) if documents <= _LARGE else 0
    category = category or str(rng.choice(list(SHARES), p=list(SHARES.values())))
    pose = pose_of(rng, ground_of(seed, documents), min(hops, MAX_HOPS), category)
    problem = fill(rng, (seed, documents), pose, dead_links)
    if rng.random() < first_failure:
        problem = replace(problem, first=("nothing", "irrelevant")[int(rng.integers(2))])
    return problem


def twin(problem: SearchProblem, rng: np.random.Generator) -> SearchProblem:
    """Return a problem with the same question in which all facts of the walk are drawn anew."""
    if problem.pose is None or isinstance(problem.base, str):
        raise ValueError("a question from a file has no twin")
    return fill(rng, problem.base, problem.pose)


def pose_of(rng: np.random.Generator, ground: Ground, hops: int, category: str) -> Pose:
    """Draw a question of a category, but none of the facts that answer it."""
    difference = category == "difference"
    hops = max(1, hops - difference)
    dated = [kind for kind, own in RELATIONS_OF.items() if any(r.object == "year" for r in own)]
    of_person = category in ("misspelt", "ambiguous")
    kind = "person" if of_person else pick(rng, dated) if difference else ""
    start = pick(rng, ground.names[kind])
    kind = ground.world.facts[start][0].relation.subject
    to_year = difference or bool(rng.integers(2))
    relations: list[Relation] = []
    for left in range(hops - 1, -1, -1):
        years = [relation for relation in RELATIONS_OF[kind] if relation.object == "year"]
        others = [relation for relation in RELATIONS_OF[kind] if relation.object != "year"]
        if difference and left == 1:
            others = [relation for relation in others if relation.object in dated]
        # A river has no year.
        relations.append(pick(rng, years if to_year and not left and years else others))
        kind = relations[-1].object
    known, second, year = None, "", None
    if category == "ambiguous":
        facts = ground.world.facts[start]
        known = pick(rng, [fact for fact in facts if fact.relation is not relations[0]])
    if difference:
        while (second := pick(rng, ground.names[pick(rng, dated)])) == start:
            pass
        own = RELATIONS_OF[ground.world.facts[second][0].relation.subject]
        year = next(relation for relation in own if relation.object == "year")
    written = misspelt(rng, start) if category == "misspelt" else start
    return Pose(start, written, tuple(relations), category, known, second, year)


@dataclass
class _Sources:
    """The facts and pages of a question while they are drawn.

    Attributes:
        rng, ground, pose: As given.
        met: Names and years that the question or its facts have.
        walk: The facts.
        pages: One a fact, then those that are in the way.
        opened: Ids of the pages that the expert opens, by fact.
        removed: Ids of lost pages.
        numbers: Of new pages.
    """

    rng: np.random.Generator
    ground: Ground
    pose: Pose
    met: set[str]
    walk: list[Fact]
    pages: list[Page]
    opened: list[list[str]]
    removed: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)

    def new_id(self) -> str:
        return f"p{len(self.ground.ids) + 1 + next(self.numbers)}"


def fill(
    rng: np.random.Generator,
    base: tuple[int, int],
    pose: Pose,
    dead_links: float = 0.0,
) -> SearchProblem:
    """Draw the facts that answer a question, and write the pages that state them."""
    ground = ground_of(*base)
    met = {pose.start, pose.second} | ({pose.known.object} if pose.known else set())
    walk: list[Fact] = []
    for relation in pose.relations:
        name = walk[-1].object if walk else pose.start
        walk.append(Fact(name, relation, new_object(rng, ground, relation, met)))
    ends = [walk[-1].object]
    if pose.year is not None:
        walk.append(Fact(pose.second, pose.year, new_object(rng, ground, pose.year, met)))
        ends.append(walk[-1].object)
    pages = [rewritten(rng, ground, ground.ids[fact.subject], fact) for fact in walk]
    found = _Sources(rng, ground, pose, met, walk, pages, [[page.id] for page in pages])
    if pose.category in _TROUBLES:
        _TROUBLES[pose.category](found)
    if pose.category == "missing":
        answer = MISSING
    elif pose.year is None:
        answer = ends[0]
    else:
        answer = str(abs(int(ends[0]) - int(ends[1])))
    titles = {page.id: page.title for page in found.pages}
    dead = [
        Page(found.new_id(), titles[ids[-1]], (), "")
        for ids in found.opened
        if ids and dead_links and rng.random() < dead_links
    ]
    every = [*found.pages, *dead]
    id_of = exchanged(rng, every)
    subjects = [pose.written, *(fact.subject for fact in walk[1:])]
    stated = len(found.walk)
    return SearchProblem(
        question=pose.question,
        answer=answer,
        category=pose.category,
        base=base,
        pages=tuple(replace(page, id=id_of[page.id]) for page in every),
        removed=tuple(found.removed),
        dead=tuple(id_of[page.id] for page in dead),
        facts=tuple(found.walk),
        ends=tuple(ends),
        visits=tuple(
            (subject, tuple(id_of[id] for id in ids))
            for subject, ids in zip(subjects, found.opened, strict=False)
        ),
        evidence=tuple(id_of[ids[-1]] for ids in found.opened[:stated]),
        seed=int(rng.integers(2**31)),
        pose=pose,
    )


def _lose(found: _Sources) -> None:
    """Take away a page of the walk, or the sentence that states the fact."""
    broken = int(found.rng.integers(len(found.walk)))
    page, fact = found.pages[broken], found.walk[broken]
    stated = tuple(other for other in page.facts if other != fact)
    text = write_facts(found.rng, stated)
    lost = bool(found.rng.random() < 0.5)
    # No page beyond the break is rewritten: no plan leads there.
    found.pages = found.pages[:broken]
    found.opened = found.opened[: broken + 1]
    if lost:
        found.removed, found.opened[broken] = [page.id], []
    else:
        found.pages.append(replace(page, facts=stated, text=text))
    found.walk = found.walk[:broken]


def _contradict(found: _Sources) -> None:
    """Write an older edition of a page of the walk, with a false fact."""
    place = int(found.rng.integers(len(found.walk)))
    true, id = found.walk[place], found.pages[place].id
    drawn = found.rng.choice(np.arange(1901, 2000), 2, replace=False)  # after all other years
    old, new = (f"Edition of {year}. " for year in sorted(drawn.tolist()))
    wrong = new_object(found.rng, found.ground, true.relation, found.met)
    false = rewritten(found.rng, found.ground, found.new_id(), replace(true, object=wrong), old)
    found.pages[place] = rewritten(found.rng, found.ground, id, true, new)
    found.pages.append(false)
    found.opened[place] = [false.id, id]


def _double(found: _Sources) -> None:
    """Write the page of another person of the name in the question."""
    page = namesake(found.rng, found.ground, found.new_id(), found.pose.start, found.met)
    found.pages.append(page)
    found.opened[0] = [page.id, found.pages[0].id]


_TROUBLES: dict[str, Callable[[_Sources], None]] = {
    "missing": _lose,
    "conflict": _contradict,
    "ambiguous": _double,
}
