"""Documents that can be searched and read page by page, in memory.

The ranking is BM25 as SQLite's FTS5 has it ("The Probabilistic Relevance Framework: BM25 and
Beyond", 2009, Robertson and Zaragoza), with k1 = 1.2 and b = 0.75. The score of a document D is the
sum over the words q of the query that stand in it of

    idf(q) * f(q, D) * (k1 + 1) / (f(q, D) + k1 * (1 - b + b * |D| / average length))
    idf(q) = ln((N - n(q) + 0.5) / (n(q) + 0.5)), and 1e-6 where that is not above 0

with f(q, D) how often q stands in title and text together, N documents of which n(q) hold q.
A word that more than half of the documents hold hardly matters: it counts only where nothing is
found without it, which makes questions with "the" and "of" several times faster.
Chinese, Japanese and Korean have no spaces between words: each of their characters counts as one.

Left out: word stems, synonyms, phrases, fields, and changing a corpus once it is made.
"""

import re
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from zerogym.errors import ZerogymError

MAX_QUERY = 1000  # characters of a query that are read
MAX_WORDS = 32  # different words of a query that are looked for
MAX_HITS = 50
PART = 2000  # characters of a part of a document, at most
_SNIPPET_WORDS = 24
_WORD = re.compile(r"[^\W_]+")
_ALONE = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af])")
_SEARCH = f"""
SELECT rowid, snippet(pages, 1, '', '', '...', {_SNIPPET_WORDS}), -bm25(pages) AS score FROM pages
WHERE pages MATCH ? ORDER BY score DESC, rowid LIMIT ?"""


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
        ZerogymError: If this Python's SQLite has no FTS5.

    Example:
        >>> corpus = Corpus([Document("a", "Rome", "The town of seven hills."),
        ...                  Document("b", "Pisa", "The town of the leaning tower.")])
        >>> corpus.search("Which town has a tower?")[0].id
        'b'
        >>> corpus.page("b")
        'The town of the leaning tower.'
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self.documents = tuple(map(_sound, documents))
        self._places = {document.id: place for place, document in enumerate(self.documents)}
        if not self.documents:
            raise ValueError("a corpus needs at least one document")
        if len(self._places) < len(self.documents) or "" in self._places:
            raise ValueError("documents need ids, each its own")
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False
        )
        weakref.finalize(self, self._connection.close)  # Python 3.13 warns of those left open
        self._common = _fill(self._connection, self.documents)

    def __len__(self) -> int:
        return len(self.documents)

    def __contains__(self, id: object) -> bool:
        return id in self._places

    def __deepcopy__(self, memo: dict[int, Any]) -> "Corpus":
        return self  # nothing in it can change

    def __reduce__(self) -> tuple[Any, ...]:
        return Corpus, (self.documents,)

    def search(self, query: str, k: int = 5) -> list[Hit]:
        """Return the `k` best documents (1 to 50) that hold a word of the query, the best first.

        A query is words and nothing else: signs separate words and have no meaning, capital
        letters and accents do not count. Equal scores keep the order of the documents.

        Raises:
            ValueError: If `k` is not in range.
        """
        if not 1 <= k <= MAX_HITS:
            raise ValueError(f"k must be from 1 to {MAX_HITS}, got {k}")
        found = words(query)
        if not found:
            return []
        rare = [word for word in found if word not in self._common]
        rows = (self._rows(rare, k) if rare else []) or self._rows(found, k)
        return [
            Hit(self.documents[row - 1].id, self.documents[row - 1].title, _line(snippet), score)
            for row, snippet, score in rows
        ]

    def _rows(self, found: list[str], k: int) -> list[tuple[int, str, float]]:
        # Quoted and in small letters, so that no word is an operator of FTS5.
        match = " OR ".join(f'"{word}"' for word in found)
        with self._lock:
            return self._connection.execute(_SEARCH, (match, k)).fetchall()

    def document(self, id: str) -> Document:
        """Return the document of an id.

        Raises:
            LookupError: If there is none.
        """
        if id not in self._places:
            raise LookupError(f"There is no document {id[:80]!r}.")
        return self.documents[self._places[id]]

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


def words(query: str) -> list[str]:
    """Return the different words of a query in their order, at most `MAX_WORDS`.

    Example:
        >>> words('Which "river" NEAR(x) which*')
        ['which', 'river', 'near', 'x']
    """
    found = _WORD.findall(_spaced(query[:MAX_QUERY]).lower())
    return list(dict.fromkeys(found))[:MAX_WORDS]


def _fill(connection: sqlite3.Connection, documents: Sequence[Document]) -> frozenset[str]:
    """Index the documents; return the words that more than half of them hold."""
    try:
        connection.execute("CREATE VIRTUAL TABLE pages USING fts5(title, text)")
    except sqlite3.OperationalError as error:
        raise ZerogymError(
            f"searching needs SQLite with FTS5, and SQLite {sqlite3.sqlite_version} of this Python "
            f"has none ({error}): a Python from python.org, conda or your system has it"
        ) from None
    rows = ((_spaced(document.title), _spaced(document.text)) for document in documents)
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO pages VALUES (?, ?)", rows)
    connection.execute("INSERT INTO pages(pages) VALUES ('optimize')")
    connection.execute("COMMIT")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5vocab(pages, row)")
    common = connection.execute("SELECT term FROM words WHERE doc * 2 > ?", (len(documents),))
    found = frozenset(word for (word,) in common)
    connection.execute("PRAGMA query_only = ON")
    return found


def _sound(document: Document) -> Document:
    """Return the document with text that can be encoded and a title of one line."""
    id, title, text = (
        value.encode("utf-8", "replace").decode("utf-8")
        for value in (document.id, document.title, document.text)
    )
    return Document(id, _line(title), text)


def _spaced(text: str) -> str:
    return _ALONE.sub(r" \1 ", text)


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
