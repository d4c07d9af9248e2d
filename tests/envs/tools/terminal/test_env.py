"""Terminal-v0: its checks by hand, and the expert of each kind of job."""

import gzip
import io
import sqlite3
import tarfile

import pytest

from helpers.sandbox.attack_range import needs_sandbox
from helpers.tools.plans import check_expert, gaps
from zerogym.envs.tools.folder.folder import MAX_BYTES, Entry, Folder
from zerogym.envs.tools.terminal.env import JOBS, TerminalEnv
from zerogym.envs.tools.terminal.job import Check, Job


def archive(files: dict[str, bytes], mode: str = "w") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as made:  # type: ignore[call-overload]
        for path, content in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
    return file.getvalue()


def database(*statements: str) -> bytes:
    db = sqlite3.connect(":memory:")
    for statement in statements:
        db.execute(statement)
    db.commit()
    return db.serialize()


TABLE = "CREATE TABLE orders (id INTEGER, customer TEXT, amount INTEGER)"
FILES = {
    "a.txt": b"1\n",
    "a.gz": gzip.compress(b"one\n"),
    "bomb.gz": gzip.compress(b"0" * 50 * MAX_BYTES),
    "t.tar": archive({"./d/x": b"1", "y": b"2"}),
    "t.tgz": archive({"d/x": b"1", "y": b"2"}, "w:gz"),
    "shop.db": database(TABLE, "INSERT INTO orders VALUES (2, 'b', 5), (1, 'a', 7)"),
    "view.db": database(
        "CREATE VIEW orders AS WITH RECURSIVE t(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM t) "
        "SELECT id FROM t"
    ),
    "other.db": database("CREATE TABLE other (id)"),
}
ROWS = [[1, "a", 7], [2, "b", 5]]


@pytest.mark.parametrize(
    ("check", "holds"),
    [
        (Check("a.txt", "text", "1\n"), True),
        (Check("a.txt", "text", "1"), False),
        (Check("b.txt", "text", "1\n"), False),
        (Check("link", "text", "1\n"), False),
        (Check("b.txt", "gone"), True),
        (Check("a.txt", "gone"), False),
        (Check("link", "gone"), False),
        (Check("a.gz", "gzip", "one\n"), True),
        (Check("a.gz", "gzip", "two\n"), False),
        (Check("a.txt", "gzip", "1\n"), False),
        (Check("bomb.gz", "gzip", "0"), False),
        (Check("t.tar", "tar", {"d/x": "1", "y": "2"}), True),
        (Check("t.tar", "tar", {"d/x": "1"}), False),
        (Check("t.tgz", "tar", {"d/x": "1", "y": "2"}), False),
        (Check("a.txt", "tar", {}), False),
        pytest.param(Check("shop.db", "rows", ROWS), True, marks=needs_sandbox),
        pytest.param(Check("shop.db", "rows", ROWS[:1]), False, marks=needs_sandbox),
        pytest.param(Check("a.txt", "rows", []), False, marks=needs_sandbox),
        pytest.param(Check("other.db", "rows", []), False, marks=needs_sandbox),
        pytest.param(
            Check("view.db", "rows", []), False, marks=[needs_sandbox, pytest.mark.proof]
        ),  # it runs until its CPU seconds are spent
    ],
    ids=str,
)
def test_checks_by_hand(check: Check, holds: bool) -> None:
    folder = Folder(FILES)
    folder.entries["link"] = Entry("link", b"a.txt")
    assert check.holds(folder, "strong") is holds


@needs_sandbox
@pytest.mark.parametrize("kind", JOBS)
def test_the_expert_does_each_kind_of_job(kind: str) -> None:
    check_expert(TerminalEnv(2, category=kind), 1)


@needs_sandbox
@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=pytest.mark.proof) for kind in JOBS if kind != "logs"] + ["logs"],
)
def test_no_script_can_be_left_out(kind: str) -> None:
    env = TerminalEnv(1, category=kind)
    assert [score for _, score in gaps(env, 4)] == [0.0, 0.0, 0.0]


@pytest.mark.proof
@needs_sandbox
def test_the_expert_over_many_seeds() -> None:
    for seed in range(150):
        check_expert(TerminalEnv(seed % 7, "test" if seed % 2 else "train"), seed)


@needs_sandbox
def test_another_way_is_right_too_and_a_wrong_row_is_not() -> None:
    for amount, reward in (("int(amount)", 1.0), ("int(amount) + 1", 0.0)):
        env = TerminalEnv(0, category="database")
        env.reset(seed=2)
        job: Job = env._running().problem
        report = next(c.value for c in job.checks if c.path == "report.csv")
        least = job.steps[1].split("below ")[1].split()[0]
        script = f"""python3 -c '
import sqlite3
with sqlite3.connect("shop.db") as db:
    for line in open("more.csv").read().split()[1:]:
        number, who, amount = line.split(",")
        if int(amount) >= {least}:
            db.execute("INSERT INTO orders VALUES (?, ?, ?)", (int(number), who, {amount}))
    db.execute("DELETE FROM orders WHERE NOT amount >= {least}")
'
printf '{report}' > report.csv"""
        env.step(env.format.write(env.tools[0], {"script": script}))
        _, got, _, _, info = env.step("All is done. <answer>done</answer>")
        assert got == reward, info
        assert info["checks_passed"] == (1.0 if reward else 0.5)
        assert ("shop.db" in info["feedback"]) == (not reward)


def test_nothing_done_has_no_score_and_every_kind_comes() -> None:
    kinds = set()
    for seed in range(30):
        env = TerminalEnv(seed % 4)
        _, info = env.reset(seed=seed)
        kinds.add(info["category"])
        job: Job = env._running().problem
        folder = Folder(job.files)
        assert len(job.scripts) == len(job.steps) == 3
        missing = [c for c in job.checks if c.kind != "rows" and not c.holds(folder, "strong")]
        assert missing, "some file has to change"
    assert kinds == set(JOBS)
