"""Allow list of what the statement of a model may touch: SQLite's authorizer callback.

SQLite reports each table, column, function and action that a statement needs before it runs; what
is not on the list here is denied. Writing, where it is allowed at all, is to ordinary tables of the
database itself: no schema tables, no triggers, views, indexes, virtual or temporary tables, no
transactions, no files.

Left out: ALTER TABLE (SQLite rewrites the schema with functions of its own) and REINDEX.
"""

import sqlite3
from typing import Any

from zerogym.envs.tools.sql.statements import refusal, split_words, table_expressions

_SCHEMA_TABLES = frozenset({"sqlite_master", "sqlite_schema"})
_FUNCTIONS = (
    "abs avg coalesce count group_concat ifnull iif instr length like lower ltrim max min nullif "
    "replace round rtrim substr substring sum total trim typeof upper "
    "row_number rank dense_rank ntile lag lead first_value last_value"
)
FUNCTIONS = frozenset(_FUNCTIONS.split())
_CHANGES = (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)


class Access:
    """The authorizer of one connection.

    Attributes:
        refusal: Reason for the model why the current statement was refused; empty if it was not.
        wrote: Whether the current statement may change something.
        defining: Whether the current statement creates or drops a table.
        trusted: Whether the statement is our own and everything is allowed.

    Args:
        writable: Whether tables may be changed, created and dropped.
    """

    def __init__(self, writable: bool) -> None:
        self.writable = writable
        self.refusal = ""
        self.wrote = self.trusted = self.defining = False
        self._tables = self._modules = self._expressions = frozenset[str]()
        self._created = ""

    def look(self, connection: sqlite3.Connection) -> None:
        """Update the sets of tables and virtual-table modules."""
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self._tables = frozenset(name for (name,) in names) | _SCHEMA_TABLES
        modules = connection.execute("PRAGMA module_list")
        self._modules = frozenset(name for (name,) in modules)

    def begin(self, sql: str) -> str:
        """Prepare for a statement; return the reason if its text alone is refused, else ""."""
        self.wrote, self._created = False, ""
        self.refusal = refusal(sql, self.writable)
        if not self.refusal:
            words = split_words(sql)
            self.defining = words[0] in ("create", "drop")
            self._expressions = frozenset(table_expressions(words))
            for name in sorted(self._expressions):
                if name in self._modules or name.startswith(("pragma_", "sqlite_")):
                    self.deny(f"{name!r} cannot be the name of a common table expression.")
        return self.refusal

    def deny(self, reason: str) -> int:
        """Refuse the statement; the first reason is kept for the model."""
        self.refusal = self.refusal or reason
        return sqlite3.SQLITE_DENY

    def __call__(self, action: int, first: Any, second: Any, database: Any, trigger: Any) -> int:
        """Authorize one action; `trigger` is the trigger or view that causes it."""
        if self.trusted or action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            # A column-less read names tables and common table expressions alike; the names of
            # the latter were checked in `begin`.
            expression = second == "" and first.lower() in self._expressions
            if first in self._tables or expression or (self.defining and first == self._created):
                return sqlite3.SQLITE_OK
            return self.deny(f"There is no table {first!r} that may be read.")
        if action == sqlite3.SQLITE_FUNCTION:
            if second in FUNCTIONS:
                return sqlite3.SQLITE_OK
            return self.deny(f"The function {second}() may not be used.")
        if action == sqlite3.SQLITE_PRAGMA and first.lower() == "table_info":
            return sqlite3.SQLITE_OK
        if not self.writable:
            return self.deny("Only reading is allowed.")
        if trigger is not None or database != "main":
            return self.deny("Only tables of the database, without triggers, can be changed.")
        return self._authorize_write(action, first, second)

    def _authorize_write(self, action: int, first: Any, second: Any) -> int:
        self.wrote = True
        if action in _CHANGES:
            if first.startswith("sqlite_"):
                fine = self.defining  # CREATE and DROP keep the schema's own tables
            else:
                fine = first in self._tables and first not in self._modules
            return sqlite3.SQLITE_OK if fine else self.deny(f"{first!r} may not be changed.")
        if action == sqlite3.SQLITE_CREATE_TABLE:
            if first in self._modules or first.startswith("pragma_"):
                return self.deny(f"{first!r} cannot be the name of a table.")
            self._created = self._created or first
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_DROP_TABLE:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_CREATE_INDEX and second == self._created:
            return sqlite3.SQLITE_OK  # what UNIQUE and PRIMARY KEY bring with them
        return self.deny("Only rows can be changed, and tables created and dropped.")
