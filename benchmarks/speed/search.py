"""Search in many documents, beside bm25s and SQLite's FTS5.

    python -m zerogym.benchmarks.speed.search [--documents 100000] [--queries 100]

Unit: milliseconds of CPU a query for the five best documents; medians over queries that each way
answers in turn in the same run. The documents are those of generated worlds. Queries have one to
three words: `rare` ones, which fewer than 20 documents hold; `common` ones, which a tenth to a half
of the documents hold; `mixed`, one of the first and two of the second. `corpus` is `Corpus.search`
with its snippets, `index` the ranking alone, on the same words as the peers. Without bm25s
(`pip install bm25s`) its column is empty. The last column counts queries whose five best scores are
those of FTS5 (to 1e-6).
"""

import importlib
import importlib.util
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from zerogym.benchmarks.speed.loops import options, progress, show
from zerogym.benchmarks.speed.tools import many_documents
from zerogym.envs.tools.search.corpus import Corpus, Document
from zerogym.envs.tools.search.index import BM25Index, tokens

Query = list[str]
BEST = 5


def queries(texts: Sequence[Query], count: int) -> dict[str, list[Query]]:
    """Draw queries of three kinds by how many documents hold their words."""
    holding: dict[str, int] = {}
    for text in texts:
        for word in set(text):
            holding[word] = holding.get(word, 0) + 1
    rare = sorted(word for word, held in holding.items() if held < 20)
    common = sorted(word for word, held in holding.items() if 0.1 <= held / len(texts) <= 0.5)
    rng = np.random.default_rng(0)

    def some(words: list[str], number: int) -> Query:
        return [words[i] for i in rng.choice(len(words), number, replace=False)]

    return {
        "rare": [some(rare, 1 + i % 3) for i in range(count)],
        "mixed": [some(rare, 1) + some(common, 2) for _ in range(count)],
        "common": [some(common, 1 + i % 3) for i in range(count)],
    }


def fts5(documents: Sequence[Document]) -> Callable[[Query], list[float]]:
    """The scores of the best documents by FTS5."""
    bare = sqlite3.connect(":memory:")
    bare.execute("CREATE VIRTUAL TABLE pages USING fts5(title, text)")
    bare.executemany("INSERT INTO pages VALUES (?, ?)", [(d.title, d.text) for d in documents])
    bare.execute("INSERT INTO pages(pages) VALUES ('optimize')")
    sql = "SELECT bm25(pages) FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT ?"

    def search(query: Query) -> list[float]:
        match = " OR ".join(f'"{word}"' for word in query)
        return [-score for (score,) in bare.execute(sql, (match, BEST))]

    return search


def bm25s_search(texts: Sequence[Query]) -> Callable[[Query], object] | None:
    """The retrieval of bm25s, if it is installed."""
    if importlib.util.find_spec("bm25s") is None:
        return None
    retriever: Any = importlib.import_module("bm25s").BM25(method="robertson", k1=1.2, b=0.75)
    retriever.index(list(texts), show_progress=False)

    def search(query: Query) -> object:
        return retriever.retrieve([query], k=BEST, show_progress=False, n_threads=0)

    return search


def milliseconds(call: Callable[[], Any]) -> float:
    """CPU time of a call."""
    start = time.process_time_ns()
    call()
    return (time.process_time_ns() - start) / 1e6


def rows(
    kinds: Mapping[str, list[Query]],
    ways: Mapping[str, Callable[[Query], Any] | None],
    exact: Callable[[Query], list[float]],
    scores: Callable[[Query], list[float]],
) -> Iterator[tuple[str, ...]]:
    """Measure all ways in turn; yield the rows of the table."""
    for kind, drawn in kinds.items():
        taken: dict[str, list[float]] = {name: [] for name, way in ways.items() if way}
        same = 0
        for query in drawn:
            for name in taken:
                way = ways[name]
                assert way is not None
                taken[name].append(milliseconds(partial(way, query)))
            same += bool(np.allclose(scores(query), exact(query), rtol=1e-6))
        median = {name: statistics.median(times) for name, times in taken.items()}
        figures = [f"{median[name]:.3f}" if name in median else "" for name in ways]
        ratio = f"{median['bm25s'] / median['index']:.1f}" if "bm25s" in median else ""
        yield kind, *figures, ratio, f"{same} of {len(drawn)}"


def main() -> None:
    """Measure and print the table."""
    arguments = options(
        __doc__, documents=(100_000, "of the corpus"), queries=(100, "of each kind")
    )
    progress("drawing documents")
    documents = many_documents(arguments.documents)
    texts = [tokens(f"{document.title} {document.text}") for document in documents]
    progress("building indexes")
    index = BM25Index(f"{document.title} {document.text}" for document in documents)
    corpus = Corpus(documents)
    exact = fts5(documents)
    ways: dict[str, Callable[[Query], Any] | None] = {
        "index": lambda query: index.search(query, BEST),
        "corpus": lambda query: corpus.search(" ".join(query), BEST),
        "bm25s": bm25s_search(texts),
        "FTS5": exact,
    }
    found = rows(
        queries(texts, arguments.queries),
        ways,
        exact,
        lambda query: [score for _, score in index.search(query, BEST)],
    )
    columns = ("words", *(f"ms, {name}" for name in ways), "bm25s / index", "scores of FTS5")
    show(columns, found, 100, f"{arguments.documents:,} documents")


if __name__ == "__main__":
    main()
