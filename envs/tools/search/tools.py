"""The tools that search a corpus and read its documents part by part.

Left out: opening a document by its title, and searching inside one document.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from zerogym.envs.tools.search.corpus import MAX_HITS, Corpus
from zerogym.envs.tools.search.corpus_files import read_corpus
from zerogym.envs.tools.search.generated_corpus import corpus_of_seed
from zerogym.envs.tools.tool import Tool, ToolResult, one_text

_SHOWN = 80  # characters of a query, a title or an id that are repeated
_HINT = "Try fewer or other words; names are best."


class _CorpusTool(Tool):
    """The base of both tools: a corpus, which is given or drawn from the seed.

    The state is the seed of the episode; a corpus does not change.
    """

    def __init__(self, corpus: Corpus | str | Path | None = None) -> None:
        self._corpus = read_corpus(corpus) if isinstance(corpus, str | Path) else corpus

    def new_state(self, seed: int) -> int:
        """Return the seed, from which a generated corpus is made."""
        return seed

    def _found(self, seed: int) -> Corpus:
        return self._corpus or corpus_of_seed(seed)


class SearchTool(_CorpusTool):
    """Finds documents by words, ranked by BM25, and shows id, title and a few words of each.

    Args:
        corpus: What is searched; a folder of text files or a file of JSON lines (`read_corpus`);
            None for the 640 documents of a world that the episode's seed draws (`corpus_world`).
        k: How many documents are shown, 1 to 50.

    Example:
        >>> from zerogym.envs.tools.search.corpus import Document
        >>> corpus = Corpus([Document("p1", "Tolvan", "Tolvan lies on the Mir."),
        ...                  Document("p2", "Mir", "The Mir rises near Osk.")])
        >>> print(SearchTool(corpus).call({"query": "where does the Mir rise?"}, 0).text)
        1. [p2] Mir: The Mir rises near Osk.
        2. [p1] Tolvan: Tolvan lies on the Mir.
        >>> print(OpenPageTool(corpus).call({"id": "p2"}, 0).text)
        Mir
        The Mir rises near Osk.
    """

    name = "search"
    description = (
        "Searches the documents for words and shows the best ones, each with its id, its title "
        "and some of its text. Read a whole document with open_page."
    )
    parameters = one_text("query", "words to look for", "mayor of Tolvan")
    body = "query"

    def __init__(self, corpus: Corpus | str | Path | None = None, k: int = 5) -> None:
        super().__init__(corpus)
        if not 1 <= k <= MAX_HITS:
            raise ValueError(f"k must be from 1 to {MAX_HITS}, got {k}")
        self._k = k

    def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
        """List the documents that were found, or report that none was."""
        hits = self._found(state).search(arguments["query"], self._k)
        if not hits:
            query = " ".join(arguments["query"][:_SHOWN].split())
            return ToolResult(f"No document has any of these words: {query!r}. {_HINT}", ok=False)
        return ToolResult(
            "\n".join(
                f"{place}. [{hit.id}] {hit.title[:_SHOWN]}: {hit.snippet[:500]}"
                for place, hit in enumerate(hits, 1)
            )
        )


class OpenPageTool(_CorpusTool):
    """Shows a document, or a part of a long one: at most 2000 characters.

    Args:
        corpus: As for `SearchTool`, and the same one.
    """

    name = "open_page"
    description = "Shows a document by its id, as search gives it; long ones in numbered parts."
    parameters: ClassVar[Mapping[str, Any]] = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "of the document"},
            "part": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1_000_000,
                "default": 1,
                "description": "number of the part, from 1",
            },
        },
        "required": ["id"],
        "additionalProperties": False,
        "examples": [{"id": "p1"}],
    }
    body = "id"

    def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
        """Show the title, the text, and where it goes on."""
        corpus = self._found(state)
        id, part = arguments["id"].strip(), int(arguments.get("part", 1))
        try:
            document, text, parts = corpus.document(id), corpus.page(id, part), corpus.parts(id)
        except LookupError as error:
            return ToolResult(f"Error: {error} Ids are what search shows in brackets.", ok=False)
        title = document.title[:_SHOWN] + (f" (part {part} of {parts})" if parts > 1 else "")
        more = f"\n(It goes on in part {part + 1}.)" if part < parts else ""
        return ToolResult(f"{title}\n{text}{more}")
