"""Rubric of a search with citations: named entities, supported facts, a chain to the answer.

"Chaining the Evidence: Robust Reinforcement Learning for Deep Search Agents with Citation-Aware
Rubric Rewards" (2026, arXiv 2601.06021; CaRR). A rubric is one fact of the question's walk with its
hidden entities. It counts if the final text names all of them, a cited document that was read
states the fact, and it is linked to the answer: by a chain of rubrics that count, each with a
hidden entity in common with the next. In the paper a language model judges the first two; here the
facts of every document are known, so that all three are exact.

Left out: what C-GRPO makes of the share within a group, which is `advantage="c_grpo"`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from zerogym.envs.tools.search.generated_corpus import Fact
from zerogym.envs.tools.search.index import tokens

_CITED = re.compile(r"\[([^\[\]\n]{1,80})\]")
MAX_CITED = 20  # different documents that are read, as in the paper's code


def connected(
    rubrics: Sequence[Iterable[str]], counts: Sequence[bool], ends: Iterable[str]
) -> list[bool]:
    """Return which rubrics count and are linked to the answer by others that count.

    Args:
        rubrics: The hidden entities of each, the answer being one.
        counts: Whether each is named and supported.
        ends: Where chains end: the answer, or what it is computed from.

    Example:
        >>> connected([{"Osk"}, {"Osk", "Mir"}, {"Mir", "1734"}], [True, False, True], ["1734"])
        [False, False, True]
    """
    entities = [frozenset(rubric) for rubric in rubrics]
    reached, grown = set(ends), True
    linked = [False] * len(entities)
    while grown:
        grown = False
        for place, own in enumerate(entities):
            if counts[place] and not linked[place] and own & reached:
                linked[place] = grown = True
                reached |= own
    return linked


def rubric_share(
    facts: Sequence[Fact], ends: Iterable[str], reply: str, read: Mapping[str, Iterable[Fact]]
) -> float:
    """Return the share of the facts of a walk that a final text proves, from 0 to 1.

    Args:
        facts: The walk; all objects are hidden, and the question names a subject that is none.
        ends: The objects that the answer is or follows from.
        reply: The final text; ids of documents stand in brackets.
        read: The facts that each document states, by the ids of those that were read.
    """
    if not facts:
        return 0.0
    stated = {fact for id in cited(reply) for fact in read.get(id, ())}
    said = f" {' '.join(tokens(_CITED.sub(' ', reply)))} "
    objects = {fact.object for fact in facts}
    hidden = [{fact.subject, fact.object} & objects for fact in facts]
    counts = [
        fact in stated and all(f" {' '.join(tokens(name))} " in said for name in names)
        for fact, names in zip(facts, hidden, strict=True)
    ]
    return sum(connected(hidden, counts, ends)) / len(facts)


def cited(reply: str) -> list[str]:
    """Return the different ids in brackets, in order, at most `MAX_CITED`.

    Example:
        >>> cited("Osk [p7], on the Mir [p12][p7].")
        ['p7', 'p12']
    """
    return list(dict.fromkeys(id.strip() for id in _CITED.findall(reply)))[:MAX_CITED]


def without_citations(text: str) -> str:
    """Return a text without what stands in brackets."""
    return _CITED.sub(" ", text)
