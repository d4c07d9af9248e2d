"""Level landlock: no attack gets out but those named here, and what should run runs."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from helpers.sandbox.attack_range import (
    LIMITS,
    alive,
    check_bounds,
    host,
    most_while,
    open_python,
    shoot,
    wait_for,
)
from helpers.sandbox.attacks import ATTACKS, SHARED, Attack
from helpers.sandbox.controls import CONTROLS, FILES, INPUT, check_control
from zerogym.envs.tools.sandbox import Sandbox
from zerogym.envs.tools.sandbox.kernel.seccomp import ARCHITECTURES
from zerogym.envs.tools.sandbox.unprivileged.supervised import OTHERS
from zerogym.envs.tools.sandbox.unprivileged.supervisor import OLDEST_ABI, abi

ROOT = os.geteuid() == 0
KNOWN = os.uname().machine in ARCHITECTURES
pytestmark = pytest.mark.skipif(abi() < OLDEST_ABI or not KNOWN, reason="the kernel has too little")

# What is known to succeed, and why. Nothing is read, changed or reached by it.
ONLY_VISIBLE = {
    "see the repository": "Landlock does not cover the question whether a path exists",
    "read accounts and settings": "the same",
    "see the launcher": "the same, in a /proc that shows all processes and opens none",
    "change rights and times": "the calls answer 'done' and do nothing; SHARED looks at a file",
}
# Budgets that are only bounded. Files are counted by walking, and a disk may be so slow that the
# CPU seconds are over first; processes of a user are counted between two looks.
SLOW = ("make many files", "make many folders", "hide files in folders that cannot be read")
# `multiprocessing` has locks in /dev/shm, which is the host's.
WITHOUT_LOCKS = (
    "import multiprocessing as m\n"
    "def work(pipe): pipe.send(6 * 7)\n"
    "if __name__ == '__main__':\n"
    "    mine, other = m.Pipe()\n"
    "    p = m.get_context('fork').Process(target=work, args=(other,))\n"
    "    p.start(); print(mine.recv()); p.join()\n"
)
HONEST = {
    **{name: pair for name, pair in CONTROLS.items() if name not in ("processes", "work folder")},
    "work folder": (
        "import os; open('x', 'w').write('1'); print(open(os.environ['HOME'] + '/x').read())",
        "1\n"),
    "a process and a pipe": (WITHOUT_LOCKS, "42\n"),
    "copies of files": (
        "import os, shutil; open('a', 'w').write('x'); shutil.copy2('a', 'b')\n"
        "os.utime('b'); os.chmod('b', 0o600); print(open('b').read())", "x\n"),
    "a limit of its own": (
        "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (20, 20)); print('set')", "set\n"),
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def folder() -> Iterator[Path]:
    """A place for the temporary folders of these tests only."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory() as made:
        os.chmod(made, 0o711)
        tempfile.tempdir = made
        yield Path(made)
        tempfile.tempdir = before


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox(level="landlock", python=open_python())


@pytest.mark.proof
@pytest.mark.parametrize("attack", [*ATTACKS, *SHARED], ids=lambda attack: attack.name)
def test_the_level_holds(sandbox: Sandbox, folder: Path, attack: Attack) -> None:
    with host() as one:
        result = shoot(sandbox, attack, one)
        named = ["it says so"] if attack.name in ONLY_VISIBLE else []
        assert one.escapes(result) == named, result
    assert list(folder.glob("zerogym-*")) == []
    assert result.level == "landlock"
    assert result.verdict in (*attack.verdicts, *(("time",) if attack.name in SLOW else ())), result
    check_bounds(result, attack)


@pytest.mark.parametrize("name", HONEST)
def test_what_should_run_runs(sandbox: Sandbox, name: str) -> None:
    source, expected = HONEST[name]
    check_control(sandbox.run(python=source, stdin=INPUT, files=FILES), expected)


def test_a_command_that_cannot_be_run(sandbox: Sandbox) -> None:
    for argv, code in ((["no-such-program"], 127), (["./x"], 126), (["/etc"], 126)):
        result = sandbox.run(argv, files={"x": "no program"})
        assert (result.verdict, result.exit_code) == ("error", code)
        assert result.stderr


def test_the_state_of_the_program_from_outside(sandbox: Sandbox) -> None:
    with host() as one:
        running = threading.Thread(
            target=sandbox.run,
            args=(["sh", "-c", "sleep 1; :", one.mark],),
        )
        running.start()
        assert wait_for(lambda: len(programs(one.mark)) == 1)
        (pid,) = programs(one.mark)
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        assert Path(f"/proc/{pid}/oom_score_adj").read_text() == "1000\n"
        running.join()
    status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    held = ["CapInh", "CapPrm", "CapEff", "CapAmb", *(["CapBnd"] if ROOT else [])]
    assert {int(status[name][0], 16) for name in held} == {0}
    assert (status["NoNewPrivs"], status["Seccomp"]) == (["1"], ["2"])
    if ROOT:
        assert len({*status["Uid"], *status["Gid"]}) == 1 and int(status["Uid"][0]) > 60000
        assert status["Groups"] == []


def test_no_more_processes_than_allowed(sandbox: Sandbox) -> None:
    """Exact where the program has a uid of its own; between two looks where it has the user's."""
    (attack,) = (attack for attack in ATTACKS if attack.name == "fork without end")
    with host() as one:
        most, result = most_while(lambda: len(alive(one.mark)), lambda: shoot(sandbox, attack, one))
    if ROOT:
        assert LIMITS.processes <= most <= LIMITS.processes + 2
    else:
        assert most <= LIMITS.processes + OTHERS + 16  # of others that ended meanwhile
        assert result.verdict in ("memory", "time")


Launched = tuple["subprocess.Popen[str]", str]
LAUNCHER = """
import sys
from zerogym.envs.tools.sandbox import Limits, Sandbox
sandbox = Sandbox(level="landlock", python=sys.argv[2])
print(sandbox.run(["sh", "-c", "(setsid sleep 1000 &) ; sleep 1000; :", sys.argv[1]],
                  limits=Limits(wall_s=900)))
"""


def at_home(folder: str) -> list[int]:
    """Processes whose home lies in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"HOME={folder}/".encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found


def home_of(pid: int) -> str:
    """The temporary folder of a program."""
    return os.path.dirname(os.path.realpath(f"/proc/{pid}/cwd"))


@pytest.fixture
def launcher(root: Path) -> Iterator[Launched]:
    """Another launcher, with a program that sleeps."""
    mark = f"mark-{os.urandom(8).hex()}"
    with tempfile.TemporaryDirectory() as made:  # one that is killed leaves its folder there
        os.chmod(made, 0o711)
        path = os.pathsep.join([str(root / "src"), *sys.path])
        launched = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, mark, open_python()],
            env={**os.environ, "PYTHONPATH": path, "TMPDIR": made},
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert wait_for(lambda: len(programs(mark)) == 1)
            yield launched, mark
        finally:
            launched.kill()
            launched.communicate()
            for pid in at_home(made):  # so that a failing test leaves nothing
                os.kill(pid, signal.SIGKILL)


def programs(mark: str) -> list[int]:
    """The shells among the processes with a word in their arguments."""
    return [pid for pid in alive(mark) if Path(f"/proc/{pid}/comm").read_text() == "sh\n"]


def test_a_launcher_that_is_killed_leaves_no_process(launcher: Launched) -> None:
    process, mark = launcher
    folder = home_of(programs(mark)[0])
    # the shell and, as soon as it has begun them, two that sleep: one in a session of its own
    assert wait_for(lambda: len(at_home(folder)) == 3)
    process.kill()
    process.wait()
    assert wait_for(lambda: at_home(folder) == [])


def test_a_supervisor_that_is_killed_is_a_failure_of_the_sandbox(launcher: Launched) -> None:
    process, mark = launcher
    (program,) = programs(mark)
    folder = home_of(program)
    stat = Path(f"/proc/{program}/stat").read_text()
    os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGKILL)
    said = process.communicate(timeout=60)[0]
    assert "unavailable" in said and "supervisor" in said
    assert wait_for(lambda: alive(mark) == [])  # the program ends with it
    if ROOT:  # and all others, by their uid
        assert at_home(folder) == []
