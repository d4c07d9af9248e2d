"""A SQLite database for untrusted queries, which cannot harm, leave or stall it.

Every statement runs on a private in-memory copy behind five fences:

1. one statement, beginning with SELECT, WITH, VALUES or PRAGMA (of which only `table_info`), and
   not one that SQLite would unfold without end (`statements.py`);
2. an authorizer that allows reading the database's own tables and schema, and few functions
   (`access.py`);
3. SQLite's limits on the length of SQL, of values, of patterns, on depth and on program size;
4. a budget of SQLite instructions, so that a runaway query stops at the same instruction every
   time; a clock stands behind it, far above what the budget can take;
5. caps on rows and characters of the result.

A writable one also takes INSERT, REPLACE, UPDATE, DELETE, CREATE TABLE and DROP TABLE, each in a
transaction of its own: what fails changes nothing. Two more fences: the database may grow by
4 MiB, and change 1000 times.

Left out: transactions over several statements, enforcing foreign keys, full-text search, JSON,
dates (they depend on the clock), random numbers (they break determinism) and functions that only
some builds of SQLite have. The instruction budget counts the steps of this machine's SQLite: two
versions of SQLite may plan a query differently and stop a query near the budget differently.
"""

import sqlite3
import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from zerogym.envs.tools.sql.access import Access
from zerogym.envs.tools.sql.file import quoted, read_tables
from zerogym.envs.tools.sql.result import Result, Row, plain, sort_key
from zerogym.envs.tools.sql.statements import MAX_SQL

MAX_ROWS = 1000
MAX_RESULT = 64_000  # characters of all values of a result together
MAX_STEPS = 300_000  # SQLite instructions a query; full scans of our tables take a few thousand
MAX_SECONDS = 10.0  # the slowest known attack stops at MAX_STEPS after 0.4 s
MAX_GROWTH = 1024  # pages of 4096 bytes by which a writable database may grow
MAX_WRITES = 1000  # statements that change something, over the life of a database
_STEPS_A_CHECK = 200
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 4000,  # bytes of one value or row
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 4 * MAX_SQL,  # bytes
    sqlite3.SQLITE_LIMIT_COLUMN: 64,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 50,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 16,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 64,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 1,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}


class GuardedDatabase:
    """A private in-memory database for untrusted statements, which change it only if `writable`.

    It may be used from any thread (by one at a time), copied and pickled: a copy is built anew
    from the same statements.

    Args:
        statements: Trusted SQL that builds the database, with the rows of its parameters.
        writable: Whether statements may change it.
        writes: Statements to run on it at once, as `writes` of another database gives them.

    Raises:
        ValueError: If `writes` do not run.

    Attributes:
        writes: The statements that have changed it so far, in order: with them an equal one can
            be built.

    Example:
        >>> database = GuardedDatabase([("CREATE TABLE pets(id INTEGER, name TEXT)", ()),
        ...                             ("INSERT INTO pets VALUES (?, ?)", ((1, "Rex"),))])
        >>> database.query("SELECT name FROM pets").rows
        (('Rex',),)
        >>> database.query("DROP TABLE pets").error
        'Only one SELECT, WITH, VALUES or PRAGMA table_info statement can be run.'
        >>> mine = GuardedDatabase([("CREATE TABLE pets(id INTEGER, name TEXT)", ())], True)
        >>> print(mine.query("INSERT INTO pets VALUES (1, 'Rex'), (2, 'Tom')"))
        2 rows changed.
        >>> mine.contents()["pets"].rows
        ((1, 'Rex'), (2, 'Tom'))
    """

    def __init__(
        self,
        statements: Iterable[tuple[str, Iterable[Row]]],
        writable: bool = False,
        writes: Iterable[str] = (),
    ) -> None:
        self.statements = tuple((sql, tuple(rows)) for sql, rows in statements)
        self._access = Access(writable)
        self._steps_left, self._deadline = 0, 0.0
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False, cached_statements=0
        )
        weakref.finalize(self, self._connection.close)  # Python 3.13 warns of those left open
        self._connection.text_factory = lambda data: data.decode("utf-8", "replace")
        self._connection.execute("BEGIN")
        for sql, rows in self.statements:
            if rows:
                self._connection.executemany(sql, rows)
            else:
                self._connection.execute(sql)
        self._connection.execute("COMMIT")
        self._access.look(self._connection)
        self._lock()
        self.writes: tuple[str, ...] = ()
        for sql in writes:
            if error := self._run(sql, float("inf")).error:
                raise ValueError(f"{sql!r} does not run again: {error}")

    @classmethod
    def of_file(cls, path: str | Path, writable: bool = False) -> "GuardedDatabase":
        """A private copy of a SQLite file, which is opened for reading only and never changed.

        A copy, rather than the file itself: only plain tables come over, so that no view, trigger
        or virtual table of a stranger's file acts here, and the file may change or go away.

        Raises:
            ValueError: If the file cannot be read as a database, or is too large; see
                `read_tables`.
        """
        statements = read_tables(Path(path))
        try:
            return cls(statements, writable)
        except sqlite3.Error as error:  # the rows break the keys: only a forged file has such rows
            raise ValueError(f"the tables of {path} cannot be built: {error}") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.statements, self._access.writable, self.writes)

    def close(self) -> None:
        """Free the database; statements after this return an error."""
        self._connection.close()

    def query(self, sql: str) -> Result:
        """Run one statement; whatever it is, this returns, in bounded time."""
        return self._run(sql, MAX_SECONDS)

    def contents(self) -> dict[str, Result]:
        """All rows of every table, sorted: equal contents give equal results.

        The order in which rows were inserted, indexes and types of columns do not count. This is
        for graders: no budget and no cap but the size of the database stands in its way.
        """
        with self._trusted():
            names = self._connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' "
                "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
            )
            tables = {}
            for (name,) in names.fetchall():
                cursor = self._connection.execute(f"SELECT * FROM {quoted(name)}")
                columns = tuple(str(column[0]) for column in cursor.description)
                rows = (tuple(plain(value) for value in row) for row in cursor)
                tables[name] = Result(columns, tuple(sorted(rows, key=sort_key)))
            return tables

    def _run(self, sql: str, seconds: float) -> Result:
        if refused := self._access.begin(sql):
            return Result(error=refused)
        self._steps_left, self._deadline = MAX_STEPS, time.monotonic() + seconds
        try:
            return self._transact(sql) if self._access.writable else self._execute(sql)
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError) as error:
            return Result(error=self._explain(error))

    def _execute(self, sql: str) -> Result:
        """Run a statement and fetch its rows, as far as the caps allow."""
        with closing(self._connection.execute(sql)) as cursor:
            columns = tuple(str(column[0]) for column in cursor.description or ())
            rows: list[Row] = []
            size = 0
            while batch := cursor.fetchmany(50):
                for row in batch:
                    rows.append(tuple(plain(value) for value in row))
                    size += sum(len(str(value)) for value in row)
                if len(rows) > MAX_ROWS:
                    return Result(error=f"The result has more than {MAX_ROWS} rows: use LIMIT.")
                if size > MAX_RESULT:
                    return Result(error="The result is too long: select less of it.")
            return Result(columns, tuple(rows))

    def _transact(self, sql: str) -> Result:
        """Run a statement that may write; after an error all of it is rolled back."""
        before = self._connection.total_changes
        with self._trusted():
            self._connection.execute("BEGIN")
        done = False
        try:
            result = self._execute(sql)
            if self._access.wrote and len(self.writes) >= MAX_WRITES:
                result = Result(error=f"The database was changed {MAX_WRITES} times: no more.")
            done = result.error is None and self._connection.in_transaction
        finally:
            with self._trusted():
                if self._connection.in_transaction:  # OR ROLLBACK may have ended it
                    self._connection.execute("COMMIT" if done else "ROLLBACK")
        if not (done and self._access.wrote):
            return result
        self.writes += (sql,)
        if self._access.defining:
            with self._trusted():
                self._access.look(self._connection)
            return result
        changed = self._connection.total_changes - before
        return Result(result.columns, result.rows, changed=changed)

    @contextmanager
    def _trusted(self) -> Iterator[None]:
        """Run our own statements without authorizer and budget."""
        self._access.trusted = True
        try:
            yield
        finally:
            self._access.trusted = False

    def _lock(self) -> None:
        connection = self._connection
        # Sorting must not spill to files.
        connection.execute("PRAGMA temp_store = MEMORY")
        if self._access.writable:
            pages = connection.execute("PRAGMA page_count").fetchone()[0] + MAX_GROWTH
            connection.execute(f"PRAGMA max_page_count = {pages}")
            connection.execute("PRAGMA trusted_schema = OFF")
        else:  # nothing may be written even if the authorizer failed
            connection.execute("PRAGMA query_only = ON")
        for limit, value in _LIMITS.items():
            connection.setlimit(limit, value)
        connection.set_authorizer(self._access)
        connection.set_progress_handler(self._over_budget, _STEPS_A_CHECK)

    def _over_budget(self) -> int:
        if self._access.trusted:
            return 0
        self._steps_left -= _STEPS_A_CHECK
        if self._steps_left <= 0 or time.monotonic() > self._deadline:
            self._access.deny("The query was stopped: it takes too much work.")
            return 1
        return 0

    def _explain(self, error: Exception) -> str:
        if self._access.refusal:
            return self._access.refusal
        if isinstance(error, MemoryError):
            return "The query is too large."
        if "disk is full" in str(error):
            return "The database would grow too large."
        return f"{str(error)[:300].rstrip('.')}."
