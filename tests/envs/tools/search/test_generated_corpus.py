"""A generated world answers its questions through search and open_page, and by no other way."""

import re

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


def test_four_hops_are_found_with_the_tools() -> None:
    rng, names = np.random.default_rng(0), list(WORLD.facts)
    right = 0
    for _ in range(150):
        start = exact = names[int(rng.integers(len(names)))]
        found: str | None = start
        for _ in range(4):
            facts = [fact for fact in WORLD.facts[exact] if fact.relation.object != "year"]
            fact = facts[int(rng.integers(len(facts)))]
            exact, found = fact.object, found and look_up(found, RELATIONS.index(fact.relation))
        right += found == exact
    assert right > 0.99 * 150


def test_the_documents_say_the_facts_and_nothing_else() -> None:
    assert len(WORLD.documents) == 640 and set(WORLD.facts) == {d.title for d in WORLD.documents}
    for document in WORLD.documents:
        facts = WORLD.facts[document.title]
        assert all(said(document.text, fact) for fact in facts)
        assert document.text.count(".") == len(facts)


def said(text: str, fact: Fact) -> bool:
    ways = fact.relation.sentences
    return sum(way.format(fact.subject, fact.object) in text for way in ways) == 1


def test_the_seed_is_the_world() -> None:
    def drawn(seed: int) -> CorpusWorld:
        return sample_corpus_world(np.random.default_rng(seed))

    assert drawn(0).documents == drawn(0).documents == corpus_of_seed(0).documents
    assert drawn(0).facts == drawn(0).facts
    titles = [{document.title for document in drawn(seed).documents} for seed in (0, 1)]
    assert len(titles[0] & titles[1]) < 32  # towns and rivers may share a syllable or two


def test_sizes_have_a_least() -> None:
    assert len(sample_corpus_world(np.random.default_rng(0), 40).documents) == 40
    with pytest.raises(ValueError, match="40"):
        sample_corpus_world(np.random.default_rng(0), 39)
