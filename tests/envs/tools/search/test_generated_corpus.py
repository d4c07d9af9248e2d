"""A generated world answers its questions through search and open_page, and by no other way."""

import re
from itertools import pairwise

import numpy as np
import pytest

from zerogym.envs.tools.search.generated_corpus import (
    RELATIONS,
    CorpusWorld,
    Fact,
    corpus_of_seed,
    sample_corpus_world,
)
from zerogym.envs.tools.search.tools import OpenPageTool, SearchTool

SEED = 3
WORLD = sample_corpus_world(np.random.default_rng(SEED))
SEARCH, OPEN = SearchTool(), OpenPageTool()


def look_up(subject: str, relation: int) -> str | None:
    """Find a fact by search and open_page alone."""
    found = SEARCH.call({"query": subject}, SEED).text
    for id, title in re.findall(r"^\d+\. \[(\w+)\] (.+?): ", found, re.MULTILINE):
        if title != subject:
            continue
        text = OPEN.call({"id": id}, SEED).text
        for sentence in RELATIONS[relation].sentences:
            pattern = re.escape(sentence).replace(r"\{0\}", re.escape(subject))
            if match := re.search(pattern.replace(r"\{1\}", r"(\w[\w ]*?)"), text):
                return match[1]
    return None


def test_the_expert_finds_four_hops_with_the_tools() -> None:
    rng = np.random.default_rng(0)
    right = 0
    for _ in range(500):
        question = WORLD.question(rng, 4)
        name: str | None = question.facts[0].subject
        for fact in question.facts:
            name = name and look_up(name, RELATIONS.index(fact.relation))
        right += name == question.answer
    assert right > 0.99 * 500


@pytest.mark.parametrize("hops", [1, 2, 4, 8])
def test_questions_are_walks_with_one_answer(hops: int) -> None:
    rng = np.random.default_rng(hops)
    years = 0
    for _ in range(200):
        question = WORLD.question(rng, hops)
        facts = question.facts
        assert len(facts) == hops and facts[-1].object == question.answer
        assert all(one.object == two.subject for one, two in pairwise(facts))
        met = [facts[0].subject, *(fact.object for fact in facts)]
        assert len(set(met)) == len(met)
        assert question.text.count(" of ") >= hops and facts[0].subject in question.text
        assert not any(name in question.text for name in met[1:])
        for fact in facts:  # one thing only stands in this relation to the subject
            same = [f for f in WORLD.facts[fact.subject] if f.relation is fact.relation]
            assert same == [fact]
        years += facts[-1].relation.object == "year"
    assert 40 < years < 160


def test_the_documents_say_the_facts_and_nothing_else() -> None:
    assert len(WORLD.documents) == 640 and set(WORLD.facts) == {d.title for d in WORLD.documents}
    for document in WORLD.documents:
        facts = WORLD.facts[document.title]
        assert all(said(document.text, fact) for fact in facts)
        assert document.text.count(".") == len(facts)


def said(text: str, fact: Fact) -> bool:
    ways = fact.relation.sentences
    return sum(way.format(fact.subject, fact.object) in text for way in ways) == 1


def test_no_document_answers_a_walk_of_two_or_more() -> None:
    rng = np.random.default_rng(5)
    texts = {document.title: document.text for document in WORLD.documents}
    short = 0
    for _ in range(300):
        question = WORLD.question(rng, 3)
        short += question.answer in texts[question.facts[0].subject]
    assert short <= 3  # a year may be the same by chance


def test_the_seed_is_the_world() -> None:
    def drawn(seed: int) -> CorpusWorld:
        return sample_corpus_world(np.random.default_rng(seed))

    assert drawn(0).documents == drawn(0).documents == corpus_of_seed(0).documents
    assert drawn(0).facts == drawn(0).facts
    titles = [{document.title for document in drawn(seed).documents} for seed in (0, 1)]
    assert len(titles[0] & titles[1]) < 32  # towns and rivers may share a syllable or two
    questions = [drawn(0).question(np.random.default_rng(2), 3) for _ in range(2)]
    assert questions[0] == questions[1]


def test_size_and_hops_have_ranges() -> None:
    small = sample_corpus_world(np.random.default_rng(0), 40)
    assert len(small.documents) == 40 and small.question(np.random.default_rng(0), 8).answer
    with pytest.raises(ValueError, match="40"):
        sample_corpus_world(np.random.default_rng(0), 39)
    for hops in (0, 9):
        with pytest.raises(ValueError, match="hops"):
            WORLD.question(np.random.default_rng(0), hops)
