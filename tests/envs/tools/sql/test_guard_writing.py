"""A writable copy takes changes to rows and tables and nothing else; what fails changes nothing."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

from helpers.guarded_database import PETS, ROWS, check_refusal
from zerogym.envs.tools.sql import guard
from zerogym.envs.tools.sql.guard import MAX_GROWTH, MAX_ROWS, GuardedDatabase

LONG = "'" + "a" * 3000 + "'"
NUMBERS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r{}) "
# name: (attack, control)
ATTACKS = {
    "attach": ("ATTACH DATABASE 'new.db' AS other", "UPDATE main.pets SET age = 1"),
    "vacuum into": ("VACUUM INTO 'copy.db'", "DELETE FROM pets WHERE id > 3"),
    "vacuum": ("VACUUM", "DELETE FROM pets"),
    "writable schema": ("PRAGMA writable_schema = ON", "PRAGMA table_info(pets)"),
    "schema row": (
        "UPDATE sqlite_master SET sql = 'CREATE TABLE pets(evil)'",
        "UPDATE pets SET name = (SELECT sql FROM sqlite_master)",
    ),
    "schema insert": (
        "INSERT INTO sqlite_schema VALUES ('view', 'v', 'v', 0, 'CREATE VIEW v AS SELECT 1')",
        "INSERT INTO pets SELECT 99, name, 1 FROM sqlite_schema",
    ),
    "schema delete": ("DELETE FROM sqlite_master", "DELETE FROM pets WHERE name = 'pet3'"),
    "journal": ("PRAGMA journal_mode = WAL", "PRAGMA table_info('pets')"),
    "page limit": ("PRAGMA max_page_count = 4294967294", "PRAGMA main.table_info(pets)"),
    "user version": ("PRAGMA user_version = 7", "UPDATE pets SET age = 7"),
    "trigger": (
        "CREATE TRIGGER t AFTER INSERT ON pets BEGIN DELETE FROM pets; END",
        "CREATE TABLE trigger_log(id)",
    ),
    "temporary trigger": (
        "CREATE TEMP TRIGGER t AFTER UPDATE ON pets BEGIN DELETE FROM pets; END",
        "CREATE TABLE t(temp)",
    ),
    "view": ("CREATE VIEW v AS SELECT * FROM pets", "CREATE TABLE v AS SELECT * FROM pets"),
    "index": ("CREATE INDEX i ON pets(name)", "CREATE TABLE i(name UNIQUE)"),
    "temporary table": ("CREATE TEMP TABLE mine(x)", "CREATE TABLE temp_mine(x)"),
    "temporary schema": ("CREATE TABLE temp.mine(x)", "CREATE TABLE main.mine(x)"),
    "virtual table": ("CREATE VIRTUAL TABLE f USING fts5(x)", "CREATE TABLE f(x, fts5)"),
    "shadowed module": ("CREATE TABLE dbstat(x)", "CREATE TABLE stats(x)"),
    "reserved name": ("CREATE TABLE sqlite_stat1(tbl, idx, stat)", "CREATE TABLE stat1(tbl, idx)"),
    "alter": ("ALTER TABLE pets RENAME TO cats", "CREATE TABLE cats AS SELECT * FROM pets"),
    "drop schema": ("DROP TABLE sqlite_master", "DROP TABLE pets"),
    "drop index": ("DROP INDEX pets", "DROP TABLE IF EXISTS main.pets"),
    "analyze": ("ANALYZE", "UPDATE pets SET age = age + 1"),
    "reindex": ("REINDEX", "UPDATE pets SET id = id + 1000"),
    "begin": ("BEGIN EXCLUSIVE", "REPLACE INTO pets VALUES (1, 'begin', 1)"),
    "commit": ("COMMIT", "INSERT INTO pets(name) VALUES ('commit')"),
    "savepoint": ("SAVEPOINT s", "INSERT INTO pets(name) VALUES ('savepoint')"),
    "second statement": (
        "DELETE FROM pets WHERE id = 1; DELETE FROM pets",
        "DELETE FROM pets WHERE id = 1; -- DELETE FROM pets",
    ),
    "default function": (
        "CREATE TABLE d(x, y DEFAULT (random()))",
        "CREATE TABLE d(x, y DEFAULT -1, z TEXT DEFAULT 'random()')",
    ),
    "default of a table called as": (
        'CREATE TABLE "as"(x DEFAULT (zeroblob(1000000000)))',
        'CREATE TABLE "as"(x DEFAULT 1)',
    ),
    "default clock": (
        "CREATE TABLE d(x, y DEFAULT CURRENT_TIMESTAMP)",
        "CREATE TABLE d(x, current_timestamp_of_y DEFAULT 0)",
    ),
    "hidden default": (
        "CREATE TABLE IF NOT EXISTS main.[as] (x, y /**/ DEFAULT -- x\n (randomblob(9)))",
        "CREATE TABLE IF NOT EXISTS main.[as] (x, y /**/ DEFAULT -- x\n NULL)",
    ),
    "computed columns": (
        f"CREATE TABLE g(c0,{','.join(f'c{i + 1} AS (c{i}+c{i})' for i in range(40))})",
        f"CREATE TABLE g(c0,{','.join(f'c{i + 1} INTEGER' for i in range(40))})",
    ),
    "check": ("CREATE TABLE c(x CHECK (x > random()))", "CREATE TABLE c(x NOT NULL)"),
    "returned clock": (
        "INSERT INTO pets(age) VALUES (1) RETURNING CURRENT_TIMESTAMP",
        "INSERT INTO pets(age) VALUES (1) RETURNING id, lower(age)",
    ),
    "large value": (
        f"INSERT INTO pets(name) VALUES ({LONG} || {LONG[:900]}' || {LONG[:900]}')",
        f"INSERT INTO pets(name) VALUES ({LONG})",
    ),
    "endless insert": (
        NUMBERS.format("") + "INSERT INTO pets(age) SELECT n FROM r",
        NUMBERS.format(" LIMIT 9") + "INSERT INTO pets(age) SELECT n FROM r",
    ),
    "endless table": (
        "CREATE TABLE many AS SELECT a.id FROM pets a, pets b, pets c, pets d",
        "CREATE TABLE many AS SELECT a.id FROM pets a, pets b",
    ),
    "large insert": (
        NUMBERS.format(" LIMIT 3000") + f"INSERT INTO pets(name) SELECT {LONG} FROM r",
        NUMBERS.format(" LIMIT 30") + f"INSERT INTO pets(name) SELECT {LONG} FROM r",
    ),
    "slow update": (
        "UPDATE pets SET age = (SELECT COUNT(*) FROM pets a, pets b, pets c)",
        "UPDATE pets SET age = (SELECT COUNT(*) FROM pets a)",
    ),
    "many returned": (
        NUMBERS.format(" LIMIT 1500") + "INSERT INTO pets(age) SELECT n FROM r RETURNING id",
        NUMBERS.format(f" LIMIT {MAX_ROWS}") + "INSERT INTO pets(age) SELECT n FROM r RETURNING id",
    ),
    "partial update": (
        "UPDATE OR FAIL pets SET id = max(0, id - 10)",
        "UPDATE OR IGNORE pets SET id = max(0, id - 10)",
    ),
    "own rollback": (
        "INSERT OR ROLLBACK INTO pets(id) VALUES (1000), (1)",
        "INSERT OR ROLLBACK INTO pets(id) VALUES (1000), (1001)",
    ),
    "10 MB": ("INSERT INTO pets(name) VALUES ('" + "x" * 10_000_000, "DELETE FROM pets"),
    "NUL": ("DELETE FROM pets\x00", "DELETE FROM pets"),
    "surrogate": ("UPDATE pets SET name = '\ud800'", "UPDATE pets SET name = '\U0001f600'"),
    "explain": ("EXPLAIN DELETE FROM pets", "DELETE FROM pets WHERE name = 'EXPLAIN' OR 1"),
}


@pytest.fixture
def database() -> GuardedDatabase:
    return GuardedDatabase(PETS, writable=True)


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_changes_nothing_and_control_works(
    name: str, database: GuardedDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    attack, control = ATTACKS[name]
    check_refusal(database, attack)
    allowed = database.query(control)
    assert allowed.error is None
    assert (database.writes == (control,)) == (not control.startswith("PRAGMA"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [n for n in ATTACKS if not ATTACKS[n][1].startswith("PRAGMA")])
def test_nothing_writes_to_a_database_that_is_not_writable(name: str) -> None:
    database = GuardedDatabase(PETS)
    before = database.contents()
    for statement in ATTACKS[name]:
        assert database.query(statement).error is not None
    assert database.contents() == before and database.writes == ()


def test_what_a_change_says(database: GuardedDatabase) -> None:
    assert str(database.query("UPDATE pets SET age = 0 WHERE id < 5")) == "5 rows changed."
    assert str(database.query("DELETE FROM pets WHERE id = 1")) == "1 row changed."
    assert str(database.query("DELETE FROM pets WHERE id = 1")) == "0 rows changed."
    assert str(database.query("CREATE TABLE cats(name TEXT UNIQUE)")) == "Done."
    assert str(database.query("INSERT INTO cats VALUES ('Tom') RETURNING name")) == "name\nTom"
    assert "UNIQUE" in str(database.query("INSERT INTO cats VALUES ('Kit'), ('Tom')"))
    assert database.query("SELECT COUNT(*) FROM cats").rows == ((1,),)
    assert str(database.query("DROP TABLE cats")) == "Done."
    assert database.query("SELECT * FROM cats").error is not None


def test_contents_are_equal_whatever_the_order_of_insertion() -> None:
    def filled(*values: str) -> GuardedDatabase:
        made = GuardedDatabase([("CREATE TABLE mixed(x)", ())], writable=True)
        for value in values:
            assert made.query(f"INSERT INTO mixed VALUES ({value})").error is None
        return made

    some = filled("2", "'b'", "NULL", "1.5", "'a'", "2")
    other = filled("'a'", "2", "1.5", "2", "'b'", "NULL")
    assert some.contents() == other.contents()
    assert some.contents()["mixed"].rows == ((None,), (1.5,), (2,), (2,), ("a",), ("b",))
    assert some.contents() != filled("'a'", "2", "1.5", "'b'", "NULL").contents()
    assert some.contents() != filled("'a'", "2", "1.5", "'2'", "'b'", "NULL").contents()


def test_copies_begin_where_the_original_is_and_go_their_own_way(
    database: GuardedDatabase,
) -> None:
    for sql in (
        "CREATE TABLE log(id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT)",
        "INSERT INTO log(text) VALUES ('a'), ('b')",
        "DELETE FROM log WHERE id = 2",
        "nonsense",
        "INSERT INTO log(text) SELECT name FROM pets WHERE id = 7",
    ):
        database.query(sql)
    assert len(database.writes) == 4
    for twin in (copy.deepcopy(database), pickle.loads(pickle.dumps(database))):
        assert twin.contents() == database.contents() and twin.writes == database.writes
        twin.query("DELETE FROM pets")
        assert twin.contents()["pets"].rows == ()
        assert len(database.contents()["pets"].rows) == ROWS
    assert database.contents()["log"].rows == ((1, "a"), (3, "pet7"))


def test_writes_that_do_not_run_are_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError, match="does not run again"):
        GuardedDatabase(PETS, True, ["DELETE FROM dogs"])


def test_size_is_bounded_over_many_statements(database: GuardedDatabase) -> None:
    database.query("CREATE TABLE big(x)")
    insert = NUMBERS.format(" LIMIT 200") + f"INSERT INTO big SELECT {LONG} FROM r"
    answers = [database.query(insert) for _ in range(10)]
    assert answers[0].error is None and answers[-1].error == "The database would grow too large."
    kept = 200 * sum(answer.error is None for answer in answers)
    assert len(database.contents()["big"].rows) == kept
    assert MAX_GROWTH * 4096 / 2 < 3000 * kept < MAX_GROWTH * 4096
    assert database.query("DELETE FROM big").error is None
    assert database.query(insert).error is None  # the room is there again


def test_number_of_changes_is_bounded(
    database: GuardedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "MAX_WRITES", 3)
    answers = [database.query(f"DELETE FROM pets WHERE id = {i}").error for i in range(5)]
    assert answers[:3] == [None] * 3 and None not in answers[3:]
    assert len(database.contents()["pets"].rows) == ROWS - 3
    assert database.query("SELECT COUNT(*) FROM pets").rows == ((ROWS - 3,),)


def test_triggers_of_the_builder_are_not_run_by_a_model() -> None:
    trigger = "CREATE TRIGGER t AFTER DELETE ON pets BEGIN DELETE FROM log; END"
    database = GuardedDatabase(
        [*PETS, ("CREATE TABLE log(x)", ()), ("INSERT INTO log VALUES (1)", ()), (trigger, ())],
        writable=True,
    )
    assert database.query("DELETE FROM pets").error is not None
    assert database.query("UPDATE pets SET age = 1").error is None
    assert len(database.contents()["log"].rows) == 1


def test_tables_that_sqlite_keeps_for_itself_are_read_only() -> None:
    database = GuardedDatabase(
        [("CREATE TABLE log(id INTEGER PRIMARY KEY AUTOINCREMENT, x)", ())], writable=True
    )
    assert database.query("INSERT INTO log(x) VALUES (1)").error is None
    for sql in ("UPDATE sqlite_sequence SET seq = 99", "DELETE FROM sqlite_sequence"):
        assert "may not be changed" in (database.query(sql).error or "")
    assert database.query("SELECT * FROM sqlite_sequence").rows == (("log", 1),)


SOUP = (
    "INSERT INTO REPLACE UPDATE DELETE FROM CREATE TABLE DROP SET VALUES ( ) , = pets new id name "
    "age x SELECT * WHERE OR IGNORE ROLLBACK FAIL RETURNING ON CONFLICT DO NOTHING DEFAULT AS "
    "UNIQUE PRIMARY KEY AUTOINCREMENT NOT NULL CHECK REFERENCES WITHOUT ROWID STRICT -3 'a' x'00' "
    'NULL abs count random() WITH RECURSIVE r(n) UNION ALL LIMIT 5 main . temp IF EXISTS [x] "y" '
    "sqlite_master ; BEGIN COMMIT GENERATED ALWAYS TRIGGER INDEX VIEW INTEGER TEXT"
)
STARTS = (
    "INSERT INTO pets VALUES (1, 'a', 2) ON CONFLICT", "INSERT OR", "UPDATE pets SET", "UPDATE OR",
    "DELETE FROM pets WHERE", "CREATE TABLE new(x,", "CREATE TABLE new AS SELECT", "DROP TABLE", "",
    "INSERT INTO pets(name) VALUES ('b') RETURNING", "WITH r AS (SELECT 5 AS x) DELETE FROM pets",
)  # fmt: skip


def test_random_writing_changes_what_it_says_and_can_be_repeated() -> None:
    rng, tokens = np.random.default_rng(0), SOUP.split()
    fine = 0
    for _ in range(3):
        database = GuardedDatabase(PETS, writable=True)
        for _ in range(300):
            before, writes = database.contents(), len(database.writes)
            soup = [tokens[int(i)] for i in rng.integers(len(tokens), size=int(rng.integers(4)))]
            sql = " ".join([STARTS[int(rng.integers(len(STARTS)))], *soup])
            if database.query(sql).error is not None or len(database.writes) == writes:
                assert database.contents() == before, sql
            fine += len(database.writes) > writes
        twin = copy.deepcopy(database)
        assert twin.contents() == database.contents() and twin.writes == database.writes
    assert fine > 20
