"""A SQLite database that anyone may query and nobody can harm, leave or stall.

Every query runs on a private in-memory copy behind five fences:

1. one statement, beginning with SELECT, WITH, VALUES or PRAGMA (of which only `table_info`), and
   not one that SQLite would unfold without end (`sql_text`);
2. an authorizer that allows reading the database's own tables and schema, and the functions below;
3. SQLite's limits on the length of SQL, of values, of patterns, on depth and on program size;
4. a budget of SQLite instructions, so that a runaway query stops at the same instruction every
   time; a clock stands behind it, far above what the budget can take;
5. caps on rows and characters of the result.

Left out: anything that writes, full-text search, JSON, dates (they depend on the clock), random
numbers (they break determinism) and functions that only some builds of SQLite have. The
instruction budget counts what this machine's SQLite does: two versions of SQLite may plan a
query differently and stop a query near the budget differently.
"""

import sqlite3
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from zerogym.envs.tools.sql_text import MAX_SQL, refusal, split_words, table_expressions

Value = int | float | str | None
Row = tuple[Value, ...]

MAX_ROWS = 1000
MAX_RESULT = 64_000  # characters of all values of a result together
MAX_STEPS = 300_000  # SQLite instructions a query; full scans of our tables take a few thousand
MAX_SECONDS = 10.0  # the slowest attack we know stops at MAX_STEPS after 0.4 s
_STEPS_A_CHECK = 200
_SHOWN_ROWS, _SHOWN_CHARACTERS, _SHOWN_CELL = 20, 2000, 500
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
_SCHEMA_TABLES = frozenset({"sqlite_master", "sqlite_schema"})
_FUNCTIONS = (
    "abs avg coalesce count group_concat ifnull iif instr length like lower ltrim max min nullif "
    "replace round rtrim substr substring sum total trim typeof upper "
    "row_number rank dense_rank ntile lag lead first_value last_value"
)
FUNCTIONS = frozenset(_FUNCTIONS.split())


@dataclass(frozen=True)
class Result:
    """What a query gave.

    Attributes:
        columns: Names of the columns; empty after an error.
        rows: All rows; empty after an error.
        error: Why there is no result, in words; None if there is one.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    error: str | None = None

    def __str__(self) -> str:
        """The table as a model sees it: names, then the first rows, one a line."""
        if self.error is not None:
            return f"Error: {self.error}"
        lines, room = [" | ".join(map(_show, self.columns))], _SHOWN_CHARACTERS
        for row in self.rows[:_SHOWN_ROWS]:
            line = " | ".join(map(_show, row))
            room -= len(line)
            if room < 0:
                break
            lines.append(line)
        left = len(self.rows) - len(lines) + 1
        if left:
            lines.append(f"... and {left} more row{'s' if left > 1 else ''}")
        return "\n".join(lines) if self.rows else f"{lines[0]}\n(no rows)"


class GuardedDatabase:
    """A private in-memory database that answers queries and cannot be changed by them.

    It may be used from any thread (by one at a time), copied and pickled: a copy is built anew
    from the same statements.

    Args:
        statements: Trusted SQL that builds the database, with the rows of its parameters.

    Example:
        >>> database = GuardedDatabase([("CREATE TABLE pets(id INTEGER, name TEXT)", ()),
        ...                             ("INSERT INTO pets VALUES (?, ?)", ((1, "Rex"),))])
        >>> database.query("SELECT name FROM pets").rows
        (('Rex',),)
        >>> database.query("DROP TABLE pets").error
        'Only one SELECT, WITH, VALUES or PRAGMA table_info statement can be run.'
    """

    def __init__(self, statements: Iterable[tuple[str, Iterable[Row]]]) -> None:
        self._statements = tuple((sql, tuple(rows)) for sql, rows in statements)
        self._steps_left, self._deadline, self._refusal = 0, 0.0, ""
        self._expressions: frozenset[str] = frozenset()
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False, cached_statements=0
        )
        self._connection.text_factory = lambda data: data.decode("utf-8", "replace")
        self._build()
        names = self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self._tables = frozenset(name for (name,) in names) | _SCHEMA_TABLES
        self._modules = frozenset(
            name for (name,) in self._connection.execute("PRAGMA module_list")
        )
        self._lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._statements,)

    def close(self) -> None:
        """Free the database; queries after this return an error."""
        self._connection.close()

    def query(self, sql: str) -> Result:
        """Run one statement; whatever it is, this returns, in bounded time."""
        self._refusal = refusal(sql) or self._reject_names(sql)
        if self._refusal:
            return Result(error=self._refusal)
        self._steps_left, self._deadline = MAX_STEPS, time.monotonic() + MAX_SECONDS
        try:
            cursor = self._connection.execute(sql)
            try:
                return self._fetch(cursor)
            finally:
                cursor.close()
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError) as error:
            return Result(error=self._explain(error))

    def _build(self) -> None:
        self._connection.execute("BEGIN")
        for sql, rows in self._statements:
            if rows:
                self._connection.executemany(sql, rows)
            else:
                self._connection.execute(sql)
        self._connection.execute("COMMIT")

    def _lock(self) -> None:
        connection = self._connection
        # Sorting must not spill to files; nothing may be written even if the authorizer failed.
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA query_only = ON")
        for limit, value in _LIMITS.items():
            connection.setlimit(limit, value)
        connection.set_authorizer(self._authorize)
        connection.set_progress_handler(self._over_budget, _STEPS_A_CHECK)

    def _authorize(self, action: int, first: Any, second: Any, _db: Any, _trigger: Any) -> int:
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            # A column-less read names tables and common table expressions alike; the names of
            # the latter were checked in `_reject_names`.
            if first in self._tables or (second == "" and first.lower() in self._expressions):
                return sqlite3.SQLITE_OK
            return self._deny(f"There is no table {first!r} that may be read.")
        if action == sqlite3.SQLITE_FUNCTION:
            if second in FUNCTIONS:
                return sqlite3.SQLITE_OK
            return self._deny(f"The function {second}() may not be used.")
        if action == sqlite3.SQLITE_PRAGMA and first.lower() == "table_info":
            return sqlite3.SQLITE_OK
        return self._deny("Only reading is allowed.")

    def _deny(self, reason: str) -> int:
        self._refusal = self._refusal or reason
        return sqlite3.SQLITE_DENY

    def _over_budget(self) -> int:
        self._steps_left -= _STEPS_A_CHECK
        if self._steps_left <= 0 or time.monotonic() > self._deadline:
            self._refusal = "The query was stopped: it takes too much work."
            return 1
        return 0

    def _reject_names(self, sql: str) -> str:
        """Why the common table expressions of `sql` are refused; empty if they are not."""
        self._expressions = frozenset(table_expressions(split_words(sql)))
        for name in sorted(self._expressions):
            if name in self._modules or name.startswith(("pragma_", "sqlite_")):
                return f"{name!r} cannot be the name of a common table expression."
        return ""

    def _fetch(self, cursor: sqlite3.Cursor) -> Result:
        columns = tuple(str(column[0]) for column in cursor.description or ())
        rows: list[Row] = []
        size = 0
        while batch := cursor.fetchmany(50):
            for row in batch:
                rows.append(tuple(_plain(value) for value in row))
                size += sum(len(str(value)) for value in row)
            if len(rows) > MAX_ROWS:
                return Result(error=f"The result has more than {MAX_ROWS} rows: use LIMIT.")
            if size > MAX_RESULT:
                return Result(error="The result is too long: select less of it.")
        return Result(columns, tuple(rows))

    def _explain(self, error: Exception) -> str:
        if self._refusal:
            return self._refusal
        if isinstance(error, MemoryError):
            return "The query is too large."
        return f"{str(error)[:300].rstrip('.')}."


def _plain(value: Any) -> Value:
    """A value as number, text or None; a blob becomes SQL's hexadecimal form."""
    return f"x'{value.hex()}'" if isinstance(value, bytes) else value


def _show(value: Value) -> str:
    text = "NULL" if value is None else str(value)
    text = text if len(text) <= _SHOWN_CELL else f"{text[:_SHOWN_CELL]}..."
    return text.replace("\n", "\\n").replace("\r", "\\r")
