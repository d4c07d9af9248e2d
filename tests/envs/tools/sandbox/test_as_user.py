"""Started as root: the tests of the sandbox once more, as an ordinary user.

The walls are others then. Where the interpreter, its packages or this repository lie behind a
folder that only root may pass, the tests see them at the same paths all the same: bubblewrap puts
an empty folder in the place of the closed one, and what is needed into that, read-only. Nothing
else changes: the same network, processes, users and files.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.sandbox.attack_range import needs_sandbox
from zerogym.envs.tools.sandbox.kernel.bubblewrap import find_programs

UID = "65534"
FILES = {  # and how many tests there are at least
    "test_attacks.py": 100,
    "test_sandbox.py": 60,
    "test_cpu_seconds.py": 15,
    "test_landlock.py": 120,
    "test_levels.py": 10,
    "warm/test_attacks.py": 200,
    "warm/test_life.py": 35,
    "warm/test_notebook.py": 4,
    "warm/test_session.py": 60,
    "warm/test_zygote.py": 85,
}
# Minutes together: these are proofs, and run the proofs of their files, too.
FIRST = "test_levels.py"  # the others are proofs
AGAIN = [name for name in FILES if "warm" in name or "landlock" in name]
pytestmark = [
    needs_sandbox,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user"),
]


def closed_folder(path: Path) -> Path | None:
    """The outermost folder on the way to a path that others may not pass."""
    way = [*reversed(path.parents), path]
    return next((folder for folder in way if not folder.stat().st_mode & 0o001), None)


def as_user(root: Path) -> list[str]:
    """The beginning of a command that runs as the other user and finds what it needs."""
    needed = {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), root.resolve()}
    behind = {path: closed for path in needed if (closed := closed_folder(path)) is not None}
    words = [find_programs().bwrap, "--dev-bind", "/", "/"]
    for closed in sorted(set(behind.values())):
        words += ["--perms", "0755", "--tmpfs", str(closed)]
    for path, closed in sorted(behind.items()):
        for folder in reversed(path.parents):
            if closed in folder.parents:
                words += ["--perms", "0755", "--dir", str(folder)]
        words += ["--ro-bind", str(path), str(path)]
    become = [f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--bounding-set=-all"]
    return [*words, "--", find_programs().setpriv, *become]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.proof] if name != FIRST else []) for name in FILES],
)
def test_the_same_holds_as_an_ordinary_user(root: Path, name: str) -> None:
    pytest_of_user = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    file = str(root / "tests/envs/tools/sandbox" / name)
    marked = "proof or not proof" if name in AGAIN else "not proof"
    done = subprocess.run(
        [*as_user(root), *pytest_of_user, "-m", marked, file],
        cwd=root,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    counts = {word: int(count) for count, word in re.findall(r"(\d+) (\w+)", done.stdout[-200:])}
    assert counts["passed"] >= FILES[name], counts


def test_the_other_user_is_an_ordinary_one(root: Path) -> None:
    said = subprocess.run(
        [*as_user(root), "sh", "-c", "id -u; grep CapEff /proc/self/status; cat /etc/shadow"],
        capture_output=True,
        text=True,
    )
    assert said.stdout.split() == [UID, "CapEff:", "0" * 16]
    assert "Permission denied" in said.stderr
