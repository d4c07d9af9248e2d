"""The tables of a SQLite file as statements that build them again; the file may be hostile.

A file is opened for reading only and as one that nobody changes, so that nothing is written
beside it either. Only ordinary tables are read: their columns with declared types, primary and
foreign keys, plain indexes, and rows. Everything else may run code when it is read, so it is
not read: views, triggers, virtual tables, generated columns, CHECK and DEFAULT. Names in the
file's schema must be what its text says, and reading has a budget.

Left out: WITHOUT ROWID and STRICT, indexes with expressions or conditions, and files with a
log or journal beside them that has not been written back.
"""

import re
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from zerogym.envs.tools.sql.result import Row
from zerogym.envs.tools.sql.statements import split_words

MAX_FILE = 64 * 2**20  # bytes
MAX_VALUES = 5_000_000
MAX_LENGTH = 4000  # bytes of one value or row, as for the queries that come later
MAX_TABLES = 500
MAX_SECONDS = 60.0
Statement = tuple[str, Iterable[Row]]


def read_tables(path: Path) -> list[Statement]:
    """Statements that build the ordinary tables of a SQLite file, with their rows.

    Args:
        path: Of a regular file of at most `MAX_FILE` bytes.

    Raises:
        ValueError: If there is no such file, it is no sound SQLite database, it is being
            written, or it is beyond one of the caps above.
    """
    try:
        if not path.is_file():
            raise ValueError(f"{path} is not a file")
        if (size := path.stat().st_size) > MAX_FILE:
            raise ValueError(f"{path} has {size} bytes, and {MAX_FILE} is the most")
        for log in (path.with_name(f"{path.name}-{kind}") for kind in ("wal", "journal")):
            if log.exists() and log.stat().st_size:
                raise ValueError(f"{path} has changes in {log.name}: close its writer first")
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            return _read(connection, time.monotonic() + MAX_SECONDS)
    except (sqlite3.Error, OverflowError, MemoryError) as error:
        raise ValueError(f"{path} cannot be read as a SQLite database: {error}") from None


def _read(connection: sqlite3.Connection, deadline: float) -> list[Statement]:
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"):
        connection.execute(f"PRAGMA {pragma}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2**20)  # a table's definition may be long
    names = _ordinary_tables(connection)
    definitions = [_definition(connection, name) for name in names]
    indexes = [index for name in names for index in _indexes(connection, name)]
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_LENGTH)
    statements: list[Statement] = []
    left = MAX_VALUES
    for name, (sql, columns) in zip(names, definitions, strict=True):
        cursor = connection.execute(f"SELECT {_list(columns)} FROM {quoted(name)}")
        rows: list[Row] = cursor.fetchmany(left // len(columns) + 1)
        left -= len(rows) * len(columns)
        if left < 0:
            raise sqlite3.DatabaseError(f"it has more than {MAX_VALUES} values")
        statements.append((sql, ()))
        if rows:
            marks = ", ".join("?" * len(columns))
            statements.append((f"INSERT INTO {quoted(name)} VALUES ({marks})", rows))
    return statements + [(index, ()) for index in indexes]


def _ordinary_tables(connection: sqlite3.Connection) -> list[str]:
    """Names of the tables that hold rows of their own.

    A row of the schema whose name is not the one in its text could make a view pass for a table.
    """
    found, virtual = [], []
    schema = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY rowid")
    for kind, name, sql in schema.fetchmany(20 * MAX_TABLES):
        words = split_words(sql or "")
        if words[1:2] == ["virtual"]:
            virtual.append(f"{name}_".lower())  # how the tables begin that it keeps its data in
        elif kind in ("table", "view"):
            head = [words[0], words[1], words[2].lstrip("\x00")] if len(words) > 2 else words
            if head != ["create", kind, name.lower()]:
                raise sqlite3.DatabaseError(f"the schema says {kind} {name[:40]!r} of {head[1:]}")
            if kind == "table" and not name.lower().startswith("sqlite_"):
                found.append(name)
    found = [name for name in found if not name.lower().startswith(tuple(virtual))]
    if len(found) > MAX_TABLES:
        raise sqlite3.DatabaseError(f"it has {len(found)} tables, and {MAX_TABLES} is the most")
    return found


def _definition(connection: sqlite3.Connection, name: str) -> tuple[str, list[str]]:
    """Return a CREATE TABLE with columns, types and keys, and the names of the columns."""
    info = connection.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
    if not info:
        raise sqlite3.DatabaseError(f"table {name[:40]!r} has no columns of its own")
    key = [column for _, column in sorted((row[5], row[1]) for row in info if row[5])]
    parts = []
    for _, column, kind, required, _, place in info:
        # A declared type stays unless it is more than words and lengths.
        bare = re.sub(r"[(),_ ]", "", kind)
        kind = kind if not bare or (bare.isascii() and bare.isalnum()) else ""
        part = f"{quoted(column)} {kind}".rstrip()
        part += " PRIMARY KEY" if place and len(key) == 1 else ""
        parts.append(part + (" NOT NULL" if required and not place else ""))
    if len(key) > 1:
        parts.append(f"PRIMARY KEY ({_list(key)})")
    links: dict[int, list[tuple[str, str, str | None]]] = {}
    foreign = connection.execute(f"PRAGMA foreign_key_list({quoted(name)})")
    for number, _, table, column, other, *_ in foreign:
        links.setdefault(number, []).append((table, column, other))
    for link in links.values():
        others = [other for *_, other in link if other is not None]
        target = f"{quoted(link[0][0])}" + (f" ({_list(others)})" if others else "")
        parts.append(f"FOREIGN KEY ({_list([c for _, c, _ in link])}) REFERENCES {target}")
    return f"CREATE TABLE {quoted(name)}({', '.join(parts)})", [row[1] for row in info]


def _indexes(connection: sqlite3.Connection, name: str) -> list[str]:
    """The indexes of a table that are on plain columns and on all rows."""
    made = []
    listed = connection.execute(f"PRAGMA index_list({quoted(name)})").fetchall()
    for _, index, unique, origin, partial in listed:
        info = connection.execute(f"PRAGMA index_info({quoted(index)})").fetchall()
        columns = [row[2] for row in info]
        if origin != "pk" and not partial and None not in columns:
            kind = "UNIQUE INDEX" if unique else "INDEX"
            called = f"{name}_{'_'.join(columns)}_unique" if origin == "u" else index
            made.append(f"CREATE {kind} {quoted(called)} ON {quoted(name)} ({_list(columns)})")
    return made


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _list(names: list[str]) -> str:
    return ", ".join(map(quoted, names))
