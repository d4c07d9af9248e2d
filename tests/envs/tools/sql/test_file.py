"""A file's plain tables come over, the file stays as it was, a forged one is an error in words."""

import hashlib
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zerogym.envs.tools.sql import file
from zerogym.envs.tools.sql.guard import GuardedDatabase

SCRIPT = """
CREATE TABLE towns(id INTEGER PRIMARY KEY, "the name" VARCHAR(20) NOT NULL, code TEXT UNIQUE);
CREATE TABLE people(town INTEGER REFERENCES towns(id), nick TEXT, size REAL DEFAULT (random()),
    picture BLOB, PRIMARY KEY (town, nick), CHECK (size > -1));
CREATE INDEX by_size ON people(size);
CREATE INDEX tall ON people(size) WHERE size > 2;
CREATE TABLE doubled(a, b AS (a * 2));
CREATE VIEW everything AS SELECT * FROM towns, people;
CREATE TRIGGER spy AFTER INSERT ON towns BEGIN DELETE FROM people; END;
CREATE VIRTUAL TABLE notes USING fts5(text);
INSERT INTO towns VALUES (1, 'Öd', 'x'), (2, 'Au', NULL);
INSERT INTO people VALUES (1, 'Ann', 1.5, x'00ff'), (2, 'Bob', 2.5, NULL);
INSERT INTO doubled VALUES (4);
INSERT INTO notes VALUES ('hello');
"""
VIEWS = ["CREATE VIEW v0 AS SELECT 1 AS x"]
VIEWS += [f"CREATE VIEW v{i + 1} AS SELECT a.x FROM v{i} a, v{i} b" for i in range(40)]


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    def write(script: str, name: str = "a b?#%.db") -> Path:
        path = tmp_path / name
        connection = sqlite3.connect(path)
        connection.executescript(script)
        connection.close()
        return path

    return write


def forged(path: Path, *updates: str) -> None:
    """Change the schema behind SQLite's back."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema = ON")
    for update in updates:
        connection.execute(update)
    connection.commit()
    connection.close()


def test_tables_keys_and_rows_come_over(make: Callable[..., Path]) -> None:
    database = GuardedDatabase.of_file(make(SCRIPT))
    contents = {name: table.rows for name, table in database.contents().items()}
    assert contents == {
        "doubled": ((4,),),
        "people": ((1, "Ann", 1.5, "x'00ff'"), (2, "Bob", 2.5, None)),
        "towns": ((1, "Öd", "x"), (2, "Au", None)),
    }
    rows = database.query("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").rows
    schema = {str(name): str(sql) for name, sql in rows}
    assert set(schema) == {"towns", "people", "doubled", "by_size", "towns_code_unique"}
    assert '"the name" VARCHAR(20) NOT NULL' in schema["towns"]
    assert 'PRIMARY KEY ("town", "nick")' in schema["people"]
    assert 'FOREIGN KEY ("town") REFERENCES "towns" ("id")' in schema["people"]
    assert "random" not in schema["people"]


def test_a_writable_copy_leaves_the_file_and_its_folder_as_they_were(
    make: Callable[..., Path],
) -> None:
    path = make(SCRIPT)
    path.chmod(0o444)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    database = GuardedDatabase.of_file(path, writable=True)
    assert database.query("DELETE FROM people").error is None
    assert database.query("INSERT INTO towns VALUES (3, 'Bad', 'y')").error is None
    assert "UNIQUE" in str(database.query("INSERT INTO towns VALUES (4, 'Bad', 'y')"))
    assert database.contents()["people"].rows == ()
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert os.listdir(path.parent) == [path.name]


def test_other_encodings_and_an_empty_database(make: Callable[..., Path]) -> None:
    wide = make("PRAGMA encoding = 'UTF-16be'; CREATE TABLE t(x); INSERT INTO t VALUES ('ß');")
    assert GuardedDatabase.of_file(wide).query("SELECT x FROM t").rows == (("ß",),)
    assert GuardedDatabase.of_file(make("", "empty.db")).contents() == {}


def test_what_cannot_be_read_is_said(make: Callable[..., Path], tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    text.write_text("This is no database, although it is long enough. " * 50)
    pipe = tmp_path / "pipe.db"
    os.mkfifo(pipe)
    long = make(f"CREATE TABLE t(x); INSERT INTO t VALUES ('{'a' * 5000}');", "long.db")
    cases = {
        tmp_path / "missing.db": "not a file",
        tmp_path: "not a file",
        pipe: "not a file",
        text: "not a database",
        long: "too big",
    }
    for path, reason in cases.items():
        with pytest.raises(ValueError, match=reason):
            GuardedDatabase.of_file(path)


def test_a_log_that_was_not_written_back_is_not_ignored(make: Callable[..., Path]) -> None:
    path = make("PRAGMA journal_mode = WAL; CREATE TABLE t(x);")
    assert GuardedDatabase.of_file(path).contents()["t"].rows == ()
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO t VALUES (1)")
    connection.commit()
    with pytest.raises(ValueError, match="close its writer"):
        GuardedDatabase.of_file(path)
    connection.close()
    assert GuardedDatabase.of_file(path).contents()["t"].rows == ((1,),)


def test_a_writer_that_waits_is_no_hindrance_and_one_that_writes_is(
    make: Callable[..., Path],
) -> None:
    path = make("CREATE TABLE t(x);")
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA cache_size = 2")
    connection.execute("BEGIN EXCLUSIVE")
    # The lock is kept: what waited for it would end with an error.
    assert GuardedDatabase.of_file(path).contents()["t"].rows == ()
    connection.executemany("INSERT INTO t VALUES (?)", [("a" * 2000,)] * 100)
    with pytest.raises(ValueError, match="close its writer"):
        GuardedDatabase.of_file(path)
    connection.execute("ROLLBACK")
    connection.close()
    assert GuardedDatabase.of_file(path).contents()["t"].rows == ()


@pytest.mark.parametrize("cap", ["MAX_FILE", "MAX_VALUES", "MAX_TABLES"])
def test_caps(cap: str, make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = make("CREATE TABLE t(x); CREATE TABLE u(x, y); INSERT INTO u VALUES (1, 2), (3, 4)")
    monkeypatch.setattr(file, cap, 3 if cap == "MAX_VALUES" else 1)
    with pytest.raises(ValueError, match=r"the most|more than"):
        GuardedDatabase.of_file(path)


def test_views_that_unfold_without_end_are_never_unfolded(make: Callable[..., Path]) -> None:
    path = make("CREATE TABLE t(x); INSERT INTO t VALUES (1);" + ";".join(VIEWS))
    start = time.process_time()
    database = GuardedDatabase.of_file(path)
    assert list(database.contents()) == ["t"]
    assert database.query("SELECT * FROM v40").error is not None
    # A view that passes for a table would be unfolded when its columns are read.
    forged(path, "UPDATE sqlite_master SET type = 'table' WHERE name = 'v40'")
    with pytest.raises(ValueError, match="schema"):
        GuardedDatabase.of_file(path)
    swapped = make("CREATE TABLE t(x);" + ";".join(VIEWS), "swapped.db")
    forged(
        swapped,
        "UPDATE sqlite_master SET name = 'v40' WHERE name = 't'",
        "UPDATE sqlite_master SET name = 't' WHERE type = 'view' AND name = 'v40'",
    )
    with pytest.raises(ValueError, match="schema"):
        GuardedDatabase.of_file(swapped)
    assert time.process_time() - start < 5


def test_a_forged_view_is_refused_where_sqlite_does_not_check(
    make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(";".join(VIEWS) + ";CREATE VIEW w AS SELECT 1 AS x")
    forged(path, "UPDATE sqlite_master SET type = 'table' WHERE name IN ('v40', 'w')")
    connect = sqlite3.connect

    def trusting(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.execute("PRAGMA writable_schema = ON")  # as versions before 3.30 were
        return connection

    monkeypatch.setattr(file.sqlite3, "connect", trusting)
    start = time.process_time()
    with pytest.raises(ValueError, match="schema says table"):
        GuardedDatabase.of_file(path)
    assert time.process_time() - start < 2


def test_keys_that_the_rows_break_are_an_error(make: Callable[..., Path]) -> None:
    path = make("CREATE TABLE t(x); INSERT INTO t VALUES (NULL);")
    forged(path, "UPDATE sqlite_master SET sql = 'CREATE TABLE t(x NOT NULL)'")
    with pytest.raises(ValueError, match="cannot be built"):
        GuardedDatabase.of_file(path)


def test_damaged_files_give_an_error_or_a_database_in_bounded_time(
    make: Callable[..., Path], tmp_path: Path
) -> None:
    whole = bytearray(make(SCRIPT).read_bytes())
    rng = np.random.default_rng(0)
    damaged = tmp_path / "damaged.db"
    errors = 0
    start = time.process_time()
    for case in range(120):
        data = whole.copy()
        # Headers of pages and cells are where damage does most; the file's own header, too.
        for place in rng.integers(len(data) // 4096, size=4) * 4096 + rng.integers(120, size=4):
            data[int(place)] = int(rng.integers(256))
        damaged.write_bytes(data[: len(data) // 2] if case % 10 == 0 else data)
        try:
            database = GuardedDatabase.of_file(damaged)
        except ValueError as error:
            errors += 1
            assert str(damaged) in str(error)
        else:
            assert database.query("SELECT COUNT(*) FROM sqlite_master").error is None
    assert time.process_time() - start < 30
    assert 10 < errors < 120
