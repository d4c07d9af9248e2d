"""A small guarded database, and the check that an attack on one is refused."""

import resource
import time

from zerogym.envs.tools.sql.guard import GuardedDatabase
from zerogym.envs.tools.sql.result import Row

MAX_SECONDS = 4.0  # of CPU time of this thread; the worst attack takes 0.4 s
MAX_KIB = 128 * 1024  # growth of the process
ROWS = 60
PETS: list[tuple[str, tuple[Row, ...]]] = [
    ("CREATE TABLE pets(id INTEGER PRIMARY KEY, name TEXT, age INTEGER)", ()),
    ("INSERT INTO pets VALUES (?, ?, ?)", tuple((i, f"pet{i}", i % 7) for i in range(ROWS))),
]


def check_refusal(database: GuardedDatabase, attack: str) -> None:
    """Run an attack on `PETS`: an error in bounded time and memory, and nothing is changed."""
    before = database.contents()
    schema = database.query("SELECT type, name, sql FROM sqlite_master")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.thread_time()
    result = database.query(attack)
    assert time.thread_time() - start < MAX_SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < MAX_KIB
    assert result.error is not None and result.rows == () and len(str(result)) < 1000
    assert database.contents() == before and database.writes == ()
    assert database.query("SELECT type, name, sql FROM sqlite_master") == schema
    _, (_, writable, _) = database.__reduce__()
    assert GuardedDatabase(PETS, writable).query(attack) == result  # the same message everywhere
