"""Documents that can be searched and read part by part, in memory.

`index.py` has the ranking. Left out: changing a corpus once it is made.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from zerogym.envs.tools.search.index import WORD, BM25Index, fold, tokens

MAX_QUERY = 1000  # characters of a query that are read
MAX_WORDS = 32  # different words of a query that are looked for
MAX_HITS = 50
PART = 2000  # characters of a part of a document, at most
_SNIPPET_WORDS = 24
_LEAD = 4  # words of a snippet before the first that was looked for
_MAX_PLACES = 1000  # of such words in a text that are tried as a beginning


@dataclass(frozen=True)
class Document:
    """A document: its id, its title (one line) and its text."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Hit:
    """A document that a search found.

    Attributes:
        id, title: The document's.
        snippet: About 24 words of its text, in one line, around words of the query.
        score: BM25, the higher the better; 0 or more.
    """

    id: str
    title: str
    snippet: str
    score: float


class Corpus:
    """A collection of documents that never changes.

    It may be used from any thread. A copy is the corpus itself.

    Args:
        documents: In the order that decides between equal scores. Characters that are no text
            (lone surrogates) become question marks.

    Raises:
        ValueError: If there is no document, two have the same id, or an id is empty.

    Example:
        >>> corpus = Corpus([Document("a", "Rome", "The town of seven hills."),
        ...                  Document("b", "Pisa", "The town of the leaning tower.")])
        >>> corpus.search("Which town has a tower?")[0].id
        'b'
        >>> corpus.page("b")
        'The town of the leaning tower.'
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = tuple(map(_sound, documents))
        self._places = {document.id: place for place, document in enumerate(self._documents)}
        if not self._documents:
            raise ValueError("a corpus needs at least one document")
        if len(self._places) < len(self._documents) or "" in self._places:
            raise ValueError("documents need ids, each its own")
        self._index = BM25Index(f"{document.title} {document.text}" for document in self._documents)

    @property
    def documents(self) -> tuple[Document, ...]:
        """All documents, in order."""
        return self._documents

    def __len__(self) -> int:
        return len(self._documents)

    def __contains__(self, id: object) -> bool:
        return id in self._places

    def __deepcopy__(self, memo: dict[int, Any]) -> "Corpus":
        return self  # nothing in it can change

    def __reduce__(self) -> tuple[Any, ...]:
        return Corpus, (self.documents,)

    def search(self, query: str, k: int = 5) -> list[Hit]:
        """Return the `k` best documents (1 to 50) that hold a word of the query, the best first.

        A query is words and nothing else: signs separate words and have no meaning, capital
        letters and accents do not count. Equal scores keep the order of the documents. Words of
        more than half of the documents count only where nothing is found without them.

        Raises:
            ValueError: If `k` is not in range.
        """
        if not 1 <= k <= MAX_HITS:
            raise ValueError(f"k must be from 1 to {MAX_HITS}, got {k}")
        found = words(query)
        rare = [word for word in found if not self._index.is_common(word)]
        return [
            Hit(document.id, document.title, _snippet(document.text, set(found)), score)
            for document, score in self._ranked(rare, k) or self._ranked(found, k)
        ]

    def _ranked(self, found: list[str], k: int) -> list[tuple[Document, float]]:
        return [(self._documents[place], score) for place, score in self._index.search(found, k)]

    def document(self, id: str) -> Document:
        """Return the document of an id.

        Raises:
            LookupError: If there is none.
        """
        if id not in self._places:
            raise LookupError(f"There is no document {id[:80]!r}.")
        return self._documents[self._places[id]]

    def parts(self, id: str) -> int:
        """Return the number of parts of a document, at least 1."""
        return len(_cut(self.document(id).text))

    def page(self, id: str, part: int = 1) -> str:
        """Return a part of a document, numbered from 1, of at most `PART` characters.

        The parts one after the other are the whole text.

        Raises:
            LookupError: If there is no such document or part.
        """
        cut = _cut(self.document(id).text)
        if not 1 <= part <= len(cut):
            raise LookupError(f"The document {id!r} has parts 1 to {len(cut)}, not {part}.")
        return cut[part - 1]


class EditedCorpus(Corpus):
    """A corpus with a few documents replaced, which costs nothing but those.

    The ranking keeps the numbers of the corpus below (how many documents hold a word, their average
    length). New documents come last where scores are equal.

    Args:
        corpus: What is edited; it stays as it is.
        replaced: Documents to add. One with the id of an old document takes its place.
        removed: Ids of documents to leave out.
    """

    def __init__(
        self, corpus: Corpus, replaced: Iterable[Document], removed: Iterable[str] = ()
    ) -> None:
        self._corpus = corpus
        self._new = {document.id: document for document in map(_sound, replaced)}
        self._removed = frozenset(removed)
        self._gone = (self._removed | set(self._new)) & corpus._places.keys()
        self._index = corpus._index

    @property
    def documents(self) -> tuple[Document, ...]:
        """All documents: those of the corpus below that are left, then the new ones."""
        old = (document for document in self._corpus.documents if document.id not in self._gone)
        return (*old, *self._new.values())

    def __len__(self) -> int:
        return len(self._corpus) - len(self._gone) + len(self._new)

    def __contains__(self, id: object) -> bool:
        return id in self._new or (id in self._corpus and id not in self._gone)

    def __reduce__(self) -> tuple[Any, ...]:
        return EditedCorpus, (self._corpus, tuple(self._new.values()), self._removed)

    def document(self, id: str) -> Document:
        """Return the document of an id.

        Raises:
            LookupError: If there is none.
        """
        if id in self._new:
            return self._new[id]
        if id not in self:
            raise LookupError(f"There is no document {id[:80]!r}.")
        return self._corpus.document(id)

    def _ranked(self, found: list[str], k: int) -> list[tuple[Document, float]]:
        old = self._corpus._ranked(found, k + len(self._gone))
        new = [(document, self._score(found, document)) for document in self._new.values()]
        both = [pair for pair in old if pair[0].id not in self._gone]
        both += [pair for pair in new if pair[1] > 0]
        return sorted(both, key=lambda pair: -pair[1])[:k]

    def _score(self, found: list[str], document: Document) -> float:
        return self._index.score(found, f"{document.title} {document.text}")


def words(query: str) -> list[str]:
    """Return the different words of a query in their order, at most `MAX_WORDS`.

    Example:
        >>> words('Which "river" NEAR(x) which*')
        ['which', 'river', 'near', 'x']
    """
    return list(dict.fromkeys(tokens(query[:MAX_QUERY])))[:MAX_WORDS]


def _sound(document: Document) -> Document:
    """Return the document with text that can be encoded and a title of one line."""
    id, title, text = (
        value.encode("utf-8", "replace").decode("utf-8")
        for value in (document.id, document.title, document.text)
    )
    return Document(id, _line(title), text)


def _snippet(text: str, found: set[str]) -> str:
    """Return the words of a text around those that were looked for, in one line."""
    spans = [match.span() for match in WORD.finditer(text)]
    places = [i for i, (a, b) in enumerate(spans) if fold(text[a:b]) in found][:_MAX_PLACES]
    start, most = 0, 0
    for first in places:
        window = spans[first : first + _SNIPPET_WORDS]
        different = len({fold(text[a:b]) for a, b in window} & found)
        if different > most:
            start, most = first, different
    start = max(0, min(start - _LEAD, len(spans) - _SNIPPET_WORDS))
    end = start + _SNIPPET_WORDS
    begin = spans[start][0] if start else 0
    stop = spans[end - 1][1] if end < len(spans) else len(text)
    before, after = "..." if start else "", "..." if end < len(spans) else ""
    return f"{before}{_line(text[begin:stop])}{after}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> list[str]:
    """Cut a text into parts, after a space or a new line where there is one."""
    parts, start = [], 0
    while len(text) - start > PART:
        end = max(text.rfind(sign, start + PART // 2, start + PART) for sign in (" ", "\n")) + 1
        end = end or start + PART
        parts.append(text[start:end])
        start = end
    return [*parts, text[start:]]
