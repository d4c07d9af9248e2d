"""Tools of the search world: a search, pages to open, words to find in a page.

The search ranks by BM25 over the corpus of the problem and lists titles; or it simulates an engine
that writes documents about what it finds, some of them false (`noise.py`). The first search of an
episode may fail ("ReZero: Enhancing LLM search ability by trying one-more-time", 2025, arXiv
2504.11001), which a second one makes good.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.tools.search.corpus import Corpus
from zerogym.envs.tools.search.generated_corpus import Fact, write_facts
from zerogym.envs.tools.search.index import tokens
from zerogym.envs.tools.search.noise import false_facts, sentences, with_adverts
from zerogym.envs.tools.search.pages import Ground
from zerogym.envs.tools.search.questions import SearchProblem
from zerogym.envs.tools.search.tools import OpenPageTool
from zerogym.envs.tools.tool import Tool, ToolResult, one_text

_NOTHING = "No document was found. Try again, with fewer or other words; names are best."
_SHOWN = 80  # characters of a title
_MAX_FOUND = 10  # sentences that `find` shows


@dataclass
class SearchState:
    """The state of an episode.

    Attributes:
        searches: How many were made.
        read: The facts that each document states, by the ids of those that were shown.
        pages: Ids of the pages that were read, in the corpus or in a document that repeats them.
    """

    searches: int = 0
    read: dict[str, tuple[Fact, ...]] = field(default_factory=dict)
    pages: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Library:
    """The documents of a problem, as its tools see them.

    Attributes:
        problem: The problem.
        corpus: Its corpus, with its own pages.
        ground: The generated corpus below; None for documents from files.
        results: Documents that a search shows.
    """

    problem: SearchProblem
    corpus: Corpus
    ground: Ground | None
    results: int

    def facts(self, id: str) -> tuple[Fact, ...]:
        """Return what a document states, as far as that is known."""
        for page in self.problem.pages:
            if page.id == id:
                return page.facts
        if self.ground is None:
            return ()
        return self.ground.world.facts[self.corpus.document(id).title]

    def text(self, id: str) -> str:
        """Return the text of a page as it is shown, with adverts where there is noise.

        Raises:
            LookupError: If there is no such page, or it is a dead link.
        """
        document = self.corpus.document(id)
        if id in self.problem.dead:
            raise LookupError(f"The page {id!r} does not load.")
        if not self.problem.noise:
            return document.text
        rng = np.random.default_rng([self.problem.seed, zlib.crc32(id.encode())])
        return with_adverts(rng, document.text, self.problem.noise)


class Search(Tool):
    """Lists the titles of the documents that BM25 ranks best.

    Args:
        library: What is searched.
    """

    name = "search"
    description = (
        "Searches the documents for words and lists the ids and titles of the best ones. "
        "Names are the best words."
    )
    parameters = one_text("query", "words to look for", "Tolvan")
    body = "query"

    def __init__(self, library: Library) -> None:
        self._library = library

    def call(self, arguments: Mapping[str, Any], state: SearchState) -> ToolResult:
        """List the documents that were found, or report that none was."""
        state.searches += 1
        library = self._library
        first = library.problem.first if state.searches == 1 else ""
        if first == "irrelevant" and library.ground is not None:
            rng = np.random.default_rng(library.problem.seed)
            documents, own = library.ground.world.documents, library.problem.pages
            drawn = rng.choice(len(documents), library.results + len(own) + 1, replace=False)
            titles = {page.title for page in own}
            found = [(documents[i].id, documents[i].title) for i in drawn]
            found = [
                pair
                for pair in found
                if pair[1] not in titles and pair[0] not in library.problem.removed
            ][: library.results]
        elif first:
            found = []
        else:
            hits = library.corpus.search(arguments["query"], library.results)
            found = [(hit.id, hit.title) for hit in hits]
        if not found:
            return ToolResult(_NOTHING, ok=False)
        lines = [f"{i}. [{id}] {title[:_SHOWN]}" for i, (id, title) in enumerate(found, 1)]
        return ToolResult("\n".join(lines))


class SimulatedSearch(Tool):
    """Writes documents about the best match of a query; each is noisy with some probability.

    A useful document states the facts of the page, a noisy one false facts in their place. The
    same query brings other documents each time. Where several pages have the title of the best
    match, the documents are about them in turn.

    Args:
        library: What the engine knows.
    """

    name = "search"
    description = "Searches for words and shows documents. They may be wrong. Names are best."
    parameters = Search.parameters
    body = "query"

    def __init__(self, library: Library) -> None:
        self._library = library

    def call(self, arguments: Mapping[str, Any], state: SearchState) -> ToolResult:
        """Write documents, or report that nothing was found."""
        state.searches += 1
        library = self._library
        failed = state.searches == 1 and library.problem.first == "nothing"
        hits = [] if failed else library.corpus.search(arguments["query"], library.results)
        hits = [hit for hit in hits if hit.id not in library.problem.dead]
        if not hits or library.ground is None:
            return ToolResult(_NOTHING, ok=False)
        about = [hit for hit in hits if hit.title == hits[0].title]
        if state.searches == 1 and library.problem.first == "irrelevant":
            about = [hit for hit in hits if hit.title != hits[0].title]
            if not about:
                return ToolResult(_NOTHING, ok=False)
        lines = []
        for number in range(library.results):
            hit = about[number % len(about)]
            rng = np.random.default_rng([library.problem.seed, state.searches, number])
            facts = library.facts(hit.id)
            head = next(iter(sentences(library.corpus.document(hit.id).text)), "")
            head = f"{head} " if head.startswith("Edition") else ""
            if rng.random() < library.problem.noise:
                facts = false_facts(rng, library.ground, facts)
            else:
                state.pages.add(hit.id)
            id = f"s{state.searches}d{number + 1}"
            state.read[id] = facts
            lines.append(f"[{id}] {hit.title}: {head}{write_facts(rng, facts)}")
        return ToolResult("\n".join(lines))


class OpenPage(OpenPageTool):
    """Shows a page by its id, a long one in numbered parts.

    Args:
        library: What the pages are of.
    """

    name = "open"
    description = "Shows a page by its id, as search gives it; a long one in numbered parts."

    def __init__(self, library: Library) -> None:
        super().__init__(library.corpus)
        self._library = library

    def call(self, arguments: Mapping[str, Any], state: SearchState) -> ToolResult:
        """Show the title, the text, and where it goes on."""
        id = arguments["id"].strip()
        try:
            text = self._library.text(id)
        except LookupError as error:
            return ToolResult(f"Error: {error}", ok=False)
        result = super().call(arguments, state)
        if not result.ok:
            return result
        state.read[id] = self._library.facts(id)
        state.pages.add(id)
        if self._library.problem.noise:  # generated pages only: they have one part
            return ToolResult(f"{self._library.corpus.document(id).title}\n{text}")
        return result


class Find(Tool):
    """Shows the sentences of a page that hold any of some words.

    Args:
        library: What the pages are of.
    """

    name = "find"
    description = "Shows the sentences of a page that hold any of these words."
    parameters: ClassVar[Mapping[str, Any]] = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "of the page, as search gives it"},
            "words": {"type": "string", "description": "words to look for"},
        },
        "required": ["id", "words"],
        "additionalProperties": False,
        "examples": [{"id": "p1", "words": "founded year"}],
    }
    body = "words"

    def __init__(self, library: Library) -> None:
        self._library = library

    def call(self, arguments: Mapping[str, Any], state: SearchState) -> ToolResult:
        """Show the sentences, at most ten."""
        id = arguments["id"].strip()
        try:
            text = self._library.text(id)
        except LookupError as error:
            return ToolResult(f"Error: {error}", ok=False)
        sought = set(tokens(arguments["words"][:1000]))
        found = [said for said in sentences(text) if sought & set(tokens(said))][:_MAX_FOUND]
        if not found:
            return ToolResult("No sentence of the page has any of these words.", ok=False)
        shown = "\n".join(said[:1000] for said in found)
        state.read[id] = tuple(
            dict.fromkeys(
                (*state.read.get(id, ()), *(f for f in self._library.facts(id) if _says(shown, f)))
            )
        )
        state.pages.add(id)
        return ToolResult(shown)


def _says(text: str, fact: Fact) -> bool:
    ways = fact.relation.sentences
    return any(way.format(fact.subject, fact.object) in text for way in ways)
