"""Every attack is refused in bounded time and leaves nothing behind; its tame twin works."""

import copy
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from helpers.guarded_database import PETS, ROWS, check_refusal
from zerogym.envs.tools.sql.guard import MAX_ROWS, GuardedDatabase
from zerogym.envs.tools.sql.statements import MAX_COPIES, copies, refusal, split_words

A = "'" + "a" * 900 + "'"


def nested(levels: int, outer: str) -> str:
    """A query inside a query inside ..., each naming the one inside as the pattern says."""
    query = "SELECT id AS x FROM pets"
    for _ in range(levels):
        query = outer.format(query)
    return query


def doubling(levels: int) -> str:
    """Common table expressions of which each names the one before twice."""
    steps = ["c0 AS (SELECT id FROM pets)"]
    steps += [f"c{i + 1} AS (SELECT 1 FROM c{i}, c{i} LIMIT 1)" for i in range(levels)]
    return f"WITH {', '.join(steps)} SELECT * FROM c{levels}"


# name: (attack, control); statements that write are in test_guard_writing.py
ATTACKS = {
    "attach": ("ATTACH DATABASE 'stolen.db' AS other", "SELECT name FROM main.pets"),
    "create view": ("CREATE TEMP VIEW v AS SELECT 1", "WITH v AS (SELECT 1) SELECT * FROM v"),
    "pragma file": ("PRAGMA database_list", "PRAGMA main.table_info('pets')"),
    "pragma off": ("PRAGMA query_only = OFF", "PRAGMA table_info(pets)"),
    "pragma table": ("SELECT * FROM pragma_database_list", "SELECT sql FROM sqlite_schema"),
    "statistics table": ("SELECT COUNT(*) FROM dbstat", "SELECT COUNT(*) FROM pets"),
    "statement table": ("SELECT * FROM sqlite_stmt", "SELECT * FROM sqlite_master"),
    "shadowed module": (
        "WITH dbstat AS (SELECT 1) SELECT COUNT(*) FROM dbstat",
        "WITH stats AS (SELECT 1) SELECT COUNT(*) FROM stats",
    ),
    "second statement": ("SELECT 1; DELETE FROM pets", "SELECT 1; -- DELETE FROM pets"),
    "replace": (
        f"SELECT length(replace(replace({A}, 'a', {A}), 'a', {A}))",
        f"SELECT length(replace({A}, 'a', 'bb'))",
    ),
    "concatenation": (
        f"WITH RECURSIVE r(s) AS (SELECT {A} UNION ALL SELECT s || s FROM r) SELECT s FROM r",
        f"SELECT length({A} || {A})",
    ),
    "group_concat": (
        f"SELECT group_concat(name || {A}) FROM pets",
        "SELECT group_concat(name) FROM pets",
    ),
    "endless recursion": (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9) "
        "SELECT SUM(n) FROM r",
    ),
    "big sort": (
        f"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) "
        f"SELECT {A} || n FROM r ORDER BY 1 DESC",
        f"SELECT {A} || id FROM pets ORDER BY 1 DESC LIMIT 2",
    ),
    "cartesian": (
        "SELECT COUNT(*) FROM pets a, pets b, pets c, pets d",
        "SELECT COUNT(*) FROM pets a, pets b",
    ),
    "many rows": ("SELECT a.id FROM pets a, pets b", "SELECT a.id FROM pets a, pets b LIMIT 1000"),
    "long rows": (f"SELECT {A} || a.id FROM pets a, pets b LIMIT 900", f"SELECT {A} FROM pets"),
    "like pattern": (
        f"SELECT COUNT(*) FROM pets a, pets b, pets c WHERE (a.name || {A} || c.id) "
        f"LIKE '{'%a' * 30}%b'",
        f"SELECT COUNT(*) FROM pets WHERE {A} LIKE '%a%a%a%b'",
    ),
    "long like pattern": (f"SELECT 'a' LIKE '{'%a' * 500}'", "SELECT 'a' LIKE '%a'"),
    "instr": (
        f"SELECT COUNT(*) FROM pets a, pets b, pets c WHERE instr({A} || c.id, {A} || b.name)",
        f"SELECT instr({A}, 'b')",
    ),
    "deep expression": (f"SELECT {'(' * 2000}1{')' * 1900}", f"SELECT {'(' * 10}1{')' * 10}"),
    "long sum": (f"SELECT {'+'.join(['1'] * 900)}", f"SELECT {'+'.join(['1'] * 20)}"),
    "compound": (" UNION ALL ".join(["SELECT 1"] * 100), " UNION ALL ".join(["SELECT 1"] * 5)),
    "columns": (f"SELECT {','.join(['1'] * 500)}", f"SELECT {','.join(['1'] * 20)}"),
    "joins": (
        f"SELECT 1 FROM {','.join(f'pets t{i}' for i in range(70))}",
        f"SELECT 1 FROM {','.join(f'pets t{i}' for i in range(3))} LIMIT 1",
    ),
    "doubling": (doubling(40), doubling(4)),
    "hidden doubling": (
        doubling(40).replace("c7,", '"C7",').replace("c9 ", "[c9] ").replace("c11,", "'c11',"),
        doubling(3).replace("c1,", '"C1",'),
    ),
    "copied expression": (
        nested(14, "SELECT iif(x,x,x) AS x FROM ({}) WHERE x IN (x,x,x,x,x)"),
        nested(3, "SELECT iif(x,x,x) AS x FROM ({}) WHERE x IN (x,x)"),
    ),
    "bracket names": (
        nested(14, 'SELECT x+x+x+x AS x, 1 AS "(", 1 AS "select" FROM ({})'),
        nested(2, 'SELECT x+x+x+x AS x, 1 AS "(", 1 AS "select" FROM ({})'),
    ),
    "megabyte": ("SELECT 1 -- " + "x" * 2**20, "SELECT 1 -- " + "x" * 2**10),
    "10 MB": ("(" * 10_000_000, "SELECT (1)"),
    "NUL": ("SELECT 1\x00; DROP TABLE pets", "SELECT 1"),
    "lone surrogate": ("SELECT '\ud800'", "SELECT '\U0001f600'"),
    "parameter": ("SELECT ?1000", "SELECT '?1000'"),
    "explain": ("EXPLAIN SELECT 1", "SELECT 'EXPLAIN'"),
    "explain delete": ("EXPLAIN DELETE FROM pets", "SELECT 'DELETE'"),
    "temporary schema": ("SELECT * FROM sqlite_temp_master", "SELECT * FROM sqlite_master"),
    "long program": (
        nested(2, f"SELECT x IN ({','.join(['x'] * 210)}) AS x FROM ({{}}) WHERE x"),
        nested(2, f"SELECT x IN ({','.join(['x'] * 9)}) AS x FROM ({{}}) WHERE x"),
    ),
    "empty": ("", "SELECT ''"),
    "comment": ("-- nothing", "-- something\nSELECT 1"),
    "open quote": ("SELECT 'abc", "SELECT 'abc'"),
}


@pytest.fixture
def database() -> GuardedDatabase:
    return GuardedDatabase(PETS)


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_is_refused_and_control_works(
    name: str, database: GuardedDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    attack, control = ATTACKS[name]
    check_refusal(database, attack)
    allowed = database.query(control)
    assert allowed.error is None and allowed.rows
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("statement", ["SELECT {} FROM pets", "UPDATE pets SET name = {}"])
def test_only_listed_functions_run(statement: str) -> None:
    database = GuardedDatabase(PETS, writable=statement.startswith("UPDATE"))
    for call in (
        "load_extension('evil')", "readfile('/etc/passwd')", "writefile('x', 'y')", "random()",
        "datetime('now')", "CURRENT_TIMESTAMP", "total_changes()", "sqlite_version()",
        "zeroblob(1000000000)", "randomblob(1000000000)", "printf('%1000000000d', 1)", "hex(name)",
        "'a' GLOB '*a*'", "'a' REGEXP '(a+)+$'", "name MATCH 'a'",
    ):  # fmt: skip
        check_refusal(database, statement.format(call))
    for call in ("lower('EVIL')", "replace('x', 'x', 'y')", "abs(-3)", "round(1.26, 1)", "'now'"):
        assert database.query(statement.format(call)).error is None


def test_budget_stops_at_the_same_instruction_every_time(database: GuardedDatabase) -> None:
    counting = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT {}) "
    counting += "SELECT COUNT(*) FROM r"

    def most(guarded: GuardedDatabase) -> int:
        low, high = 1, 200_000
        while high - low > 1:
            middle = (low + high) // 2
            fine = guarded.query(counting.format(middle)).error is None
            low, high = (middle, high) if fine else (low, middle)
        return low

    first = most(database)
    assert 1000 < first < 100_000
    assert most(GuardedDatabase(PETS)) == first


def test_row_cap_is_exact(database: GuardedDatabase) -> None:
    query = "SELECT a.id FROM pets a, pets b LIMIT {}"
    assert len(database.query(query.format(MAX_ROWS)).rows) == MAX_ROWS
    assert database.query(query.format(MAX_ROWS + 1)).error is not None


def test_text_of_a_result(database: GuardedDatabase) -> None:
    assert str(database.query("SELECT colour FROM pets")) == "Error: no such column: colour."
    assert str(database.query("SELECT NULL AS a, 2.5 AS b")) == "a | b\nNULL | 2.5"
    assert str(database.query("SELECT 'a\nb' AS a")) == "a\na\\nb"
    assert str(database.query("SELECT id FROM pets WHERE id < 0")) == "id\n(no rows)"
    many = str(database.query("SELECT id FROM pets ORDER BY id"))
    assert many.splitlines()[-2:] == ["19", "... and 40 more rows"]
    long = str(database.query(f"SELECT {A} AS a FROM pets"))
    assert len(long) < 3000 and long.endswith("more rows")
    assert str(database.query("SELECT CAST(x'ff41' AS TEXT) AS t")) == "t\n\ufffdA"


def test_usable_from_any_thread_and_after_copying(database: GuardedDatabase) -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(database.query, "SELECT COUNT(*) FROM pets").result().rows == ((ROWS,),)
    for twin in (copy.deepcopy(database), pickle.loads(pickle.dumps(database))):
        assert twin.query("SELECT COUNT(*) FROM pets").rows == ((ROWS,),)
        assert twin.query("DROP TABLE pets").error is not None
        twin.close()
        assert twin.query("SELECT 1").error is not None


def bound(sql: str) -> int:
    return copies(split_words(sql))


@pytest.mark.parametrize("name", ["one", '"select"', '"("', '")"', "[)]", "'select'"])
def test_bound_on_copies_is_not_below_what_sqlite_copies(name: str) -> None:
    assert bound(doubling(10)) >= 2**10
    assert bound(nested(5, "SELECT x+x+x AS x FROM ({})")) >= 3**5
    assert bound("WITH a AS (SELECT 1) SELECT * FROM a, 'a', [A], \"a\"") >= 4
    query = "SELECT id AS a0, id AS b0 FROM pets"
    for i in range(10):  # both columns double, under new names; strange ones stand between
        query = f"SELECT a{i}+b{i} a{i + 1}, 1 {name}, a{i}+b{i} b{i + 1} FROM ({query})"
    assert bound(query) >= 2**10


def test_bound_on_copies_refuses_late_and_early_enough() -> None:
    tripled = "SELECT x+x+x AS x FROM ({})"  # x is named four times a level
    assert refusal(nested(7, tripled)) == "" and 4**7 < MAX_COPIES < 4**8
    assert refusal(nested(8, tripled)) != ""
    ordinary = (
        "SELECT a.name, COUNT(*) FROM pets a JOIN pets b ON a.id = b.age WHERE a.age > 1 AND "
        "b.age < 5 AND a.id IN (SELECT id FROM pets WHERE age > (SELECT AVG(age) FROM pets)) "
        "GROUP BY a.name HAVING COUNT(*) > 1 ORDER BY a.name LIMIT 5"
    )
    assert bound(ordinary) < MAX_COPIES / 100


SOUP = (
    "SELECT FROM pets WHERE id name age AS ( ) , * + - || = < > AND OR NOT IN LIKE '%a' "
    "COUNT(*) SUM(id) GROUP BY ORDER LIMIT 3 UNION ALL WITH a RECURSIVE JOIN ON CASE WHEN "
    "THEN END NULL IS x'00' \"id\" [name] `age` 1e308 ; -- /* */ ' \" ? :x OVER PARTITION"
)


def test_random_token_soup_never_raises_nor_stalls(database: GuardedDatabase) -> None:
    rng, tokens = np.random.default_rng(0), SOUP.split()
    fine = 0
    start = time.thread_time()
    for _ in range(1000):
        soup = [tokens[int(i)] for i in rng.integers(len(tokens), size=int(rng.integers(1, 12)))]
        fine += database.query("SELECT " + " ".join(soup)).error is None
    assert time.thread_time() - start < 10
    assert fine > 0
    assert database.query("SELECT COUNT(*) FROM pets").rows == ((ROWS,),)
