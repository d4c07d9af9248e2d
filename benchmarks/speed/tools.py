"""Calls of the SQL guard and of the search tools, beside bare SQLite.

    python -m zerogym.benchmarks.speed.tools [--calls 500] [--documents 20000]

Unit: milliseconds of CPU a call; the median, and the least, of calls taken in turns in the same
run. Each of ours stands below the same work without us: a query on a plain `sqlite3` connection,
building the same tables on one, FTS5 queries of the same words without snippets and without a
guard. The database and the question are those of zerogym/SQL-v0 at difficulty 2; the documents are
those of a generated world, repeated with other names. Goal: a point query takes at most 0.5 ms.
"""

import sqlite3
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from zerogym.benchmarks.speed.loops import in_turn, options, show
from zerogym.envs.tools.search.corpus import Corpus, Document
from zerogym.envs.tools.search.generated_corpus import sample_corpus_world
from zerogym.envs.tools.search.tools import OpenPageTool, SearchTool
from zerogym.envs.tools.sql.generation import World, flaw, sample_world
from zerogym.envs.tools.sql.guard import GuardedDatabase
from zerogym.envs.tools.sql.result import Row
from zerogym.envs.tools.sql.tool import SQLTool

Call = Callable[[], object]
Pair = tuple[str, Call, Call]  # what it is, without us, ours


def plain(statements: Iterable[tuple[str, Iterable[Row]]]) -> sqlite3.Connection:
    """A connection without a guard and the same tables."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("BEGIN")
    for sql, rows in statements:
        if rows:
            connection.executemany(sql, rows)
        else:
            connection.execute(sql)
    connection.execute("COMMIT")
    return connection


def sound_world(rng: np.random.Generator) -> World:
    """A world as the environment draws it: with a question that has an answer."""
    while flaw(world := sample_world(rng, 2), world.open()):
        pass
    return world


def database_calls(world: World) -> list[Pair]:
    """Point queries, the world's question, a change, and opening."""
    guarded = world.open()
    bare = plain(guarded.statements)
    writable = GuardedDatabase(guarded.statements, writable=True)
    tool = SQLTool(guarded)
    state = tool.new_state(0)
    table = world.tables[0]
    point = f"SELECT * FROM {table.name} WHERE id = 3"
    change = f"UPDATE {table.name} SET {table.columns[0].name} = 1 WHERE id = 3"

    def changed() -> object:
        writable.writes = ()  # the limit of changes is not what is measured
        return writable.query(change)

    def opened() -> None:
        world.open().close()

    def opened_bare() -> None:
        plain(guarded.statements).close()

    def rows(sql: str) -> Call:
        return lambda: bare.execute(sql).fetchall()

    return [
        ("point query, guarded", rows(point), lambda: guarded.query(point)),
        ("point query, tool sql", rows(point), lambda: tool.call({"query": point}, state)),
        ("question of the world", rows(world.gold), lambda: guarded.query(world.gold)),
        ("change of one row", rows(change), changed),
        ("opening a world", opened_bare, opened),
    ]


def many_documents(count: int) -> list[Document]:
    """Documents of worlds of several seeds, so that names stay rare."""
    documents: list[Document] = []
    seed = 0
    while len(documents) < count:
        world = sample_corpus_world(np.random.default_rng(seed), 2000)
        documents += [Document(f"w{seed}{d.id}", d.title, d.text) for d in world.documents]
        seed += 1
    return documents[:count]


def corpus_calls(documents: list[Document]) -> list[Pair]:
    """A name, a question with common words, and a page."""
    corpus = Corpus(documents)
    bare = sqlite3.connect(":memory:")
    bare.execute("CREATE VIRTUAL TABLE pages USING fts5(title, text)")
    bare.executemany("INSERT INTO pages VALUES (?, ?)", [(d.title, d.text) for d in documents])
    bare.execute("INSERT INTO pages(pages) VALUES ('optimize')")
    texts = {document.id: document.text for document in documents}
    search, page = SearchTool(corpus), OpenPageTool(corpus)
    last = documents[-1]
    name = last.title
    question = f"Who is the mayor of the birthplace of {name}?"

    def search_call(text: str) -> Call:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(text.rstrip("?").split()))
        sql = "SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT 5"
        return lambda: bare.execute(sql, (words,)).fetchall()

    def tool(text: str) -> Call:
        return lambda: search.call({"query": text}, 0)

    size = f"{len(documents):,} documents"
    return [
        (f"search a name, {size}", search_call(name), tool(name)),
        (f"search a question, {size}", search_call(question), tool(question)),
        ("open_page", lambda: texts[last.id], lambda: page.call({"id": last.id}, 0)),
    ]


def milliseconds(call: Call) -> float:
    """CPU time of a call."""
    start = time.process_time_ns()
    call()
    return (time.process_time_ns() - start) / 1e6


def rows(pairs: Iterable[Pair], calls: int) -> Iterator[tuple[str, ...]]:
    """Measure both calls of each pair in turn; yield the rows of the table."""
    for name, bare, ours in pairs:
        measures = {"bare": partial(milliseconds, bare), "ours": partial(milliseconds, ours)}
        taken = in_turn(measures, calls)
        floor, median = (statistics.median(times) for times in taken.values())
        figures = (f"{ms:.4f}" for ms in (floor, median, min(taken["ours"])))
        yield name, *figures, f"{median / floor:.1f}"


def main() -> None:
    """Measure and print the table."""
    arguments = options(
        __doc__,
        calls=(500, "calls of each kind"),
        documents=(20_000, "of the searched corpus"),
    )
    pairs = database_calls(sound_world(np.random.default_rng(0)))
    pairs += corpus_calls(many_documents(arguments.documents))
    columns = ("call", "ms, bare", "ms, ours", "ms, ours, least", "ratio of medians")
    show(columns, rows(pairs, arguments.calls), 100)


if __name__ == "__main__":
    main()
