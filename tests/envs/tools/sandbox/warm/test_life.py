"""Warm sandboxes begin, end, and fail without leaving anything, whoever holds them."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helpers.sandbox.attack_range import needs_sandbox, wait_for
from zerogym.envs.tools.sandbox import Limits, Result, Sandbox, Session, Zygote
from zerogym.envs.tools.sandbox.execution import process_tree
from zerogym.envs.tools.sandbox.warm import live
from zerogym.envs.tools.sandbox.warm.live import Setup

pytestmark = needs_sandbox


@pytest.fixture(params=["zygote", "session"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def make(sandbox: Sandbox, kind: str, **arguments: Any) -> Zygote | Session:
    made: Zygote | Session = getattr(sandbox, kind)(**arguments)
    return made


def run(warm: Zygote | Session, source: str, limits: Limits | None = None) -> Result:
    """Run Python in either kind."""
    if isinstance(warm, Zygote):
        return warm.run(python=source, limits=limits)
    return warm.run(source, limits=limits)


def show(warm: Zygote | Session, what: str) -> str:
    """The output of a call that prints something."""
    result = run(warm, f"print({what})")
    assert result.verdict == "ok", result
    return result.stdout.strip()


def below() -> set[int]:
    """All processes that this one has started.

    Those of tests before this one may end meanwhile, as what they left open may be closed: the
    tests look for what is new.
    """
    return set(process_tree.descendants(os.getpid())[1:])


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_nothing_starts_before_the_first_call(sandbox: Sandbox, kind: str) -> None:
    before = below()
    with make(sandbox, kind) as warm:
        assert below() <= before
        assert show(warm, "6 * 7") == "42"
        assert below() - before
    assert below() <= before


def test_closing_twice_and_going_on(sandbox: Sandbox, kind: str) -> None:
    warm = make(sandbox, kind)
    warm.close()
    show(warm, "open('x', 'w').write('1')")
    spent = warm.cpu_s
    warm.close()
    warm.close()
    assert show(warm, "__import__('os').path.exists('x')") == "False"
    assert warm.cpu_s >= spent
    warm.close()


def test_what_nobody_holds_ends(sandbox: Sandbox, kind: str) -> None:
    before = below()
    warm = make(sandbox, kind)
    show(warm, "1")
    assert below() - before
    del warm
    gc.collect()
    assert below() <= before


def test_descriptors_do_not_leak(sandbox: Sandbox, kind: str) -> None:
    with make(sandbox, kind) as warm:
        show(warm, "1")
    count = descriptors()
    for _ in range(3):
        with make(sandbox, kind) as warm:
            show(warm, "1")
            opened = descriptors()
            for _ in range(20):
                show(warm, "1")
            assert descriptors() <= opened
    assert descriptors() <= count


LAUNCHER = """
import os, sys, time
from zerogym.envs.tools.sandbox import Sandbox
from zerogym.envs.tools.sandbox.execution import process_tree
session, zygote = Sandbox().session(), Sandbox().zygote()
session.run("import subprocess; subprocess.Popen(['sleep', '1000'])")
zygote.run(["true"])
print(*process_tree.descendants(os.getpid())[1:], flush=True)
{end}
"""


@pytest.mark.proof
@pytest.mark.parametrize("end", ["time.sleep(1000)", "sys.exit()", "os._exit(0)", "1 / 0"])
def test_with_the_launcher_all_ends(root: Path, end: str) -> None:
    launcher = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER.format(end=end)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), *sys.path])},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert launcher.stdout is not None
    inside = [Path(f"/proc/{pid}") for pid in map(int, launcher.stdout.readline().split())]
    assert len(inside) >= 6
    if "sleep" in end:
        launcher.kill()
    launcher.communicate()
    assert wait_for(lambda: not any(path.exists() for path in inside))


def test_from_many_threads(sandbox: Sandbox) -> None:
    """One call at a time in each, many side by side."""
    sessions = [sandbox.session() for _ in range(6)]
    for session in sessions:
        session.run("count = 0")
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: sessions[n % 6].run("count += 1"), range(120)))
    assert {result.verdict for result in results} == {"ok"}
    assert {session.run("count").stdout for session in sessions} == {"20\n"}
    for session in sessions:
        session.close()


def _in_child(warm: Session, outbox: "multiprocessing.SimpleQueue[str]") -> None:
    try:
        warm.run("1")
    except RuntimeError as error:
        outbox.put(str(error))
    warm.close()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # Python 3.12, threads are there
def test_a_forked_process_leaves_it_alone(sandbox: Sandbox) -> None:
    context = multiprocessing.get_context("fork")
    outbox = context.SimpleQueue()
    with sandbox.session() as session:
        session.run("x = 5")
        child = context.Process(target=_in_child, args=(session, outbox))
        child.start()
        child.join(60)
        assert "belongs to the process that made it" in outbox.get()
        assert session.run("x").stdout == "5\n"


def test_a_first_process_that_ends(sandbox: Sandbox, kind: str) -> None:
    """From outside; nothing inside can. The call is over, and the next starts anew."""
    with make(sandbox, kind) as warm:
        show(warm, "1")
        assert warm._live is not None
        os.kill(warm._live.started.inside, signal.SIGKILL)
        result = run(warm, "1")
        assert (result.verdict, result.exit_code) == ("killed", 137)
        assert "everything is lost" in result.reason
        assert show(warm, "2") == "2"


@pytest.mark.proof
def test_a_first_process_that_does_not_answer(
    sandbox: Sandbox, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "END_S", 0.5)
    before = below()
    with make(sandbox, kind) as warm:
        show(warm, "1")
        assert warm._live is not None
        os.kill(warm._live.started.inside, signal.SIGSTOP)
        assert run(warm, "1", Limits(wall_s=0.2)).verdict == "time"
        assert below() <= before, "all of it has been ended"
        assert show(warm, "2") == "2"


HOSTILE_SERVER = """
import socket, sys, time, os
s = socket.socket(fileno=int(sys.argv[1]))
s.send(b'ready')
while True:
    words, fds, _, _ = socket.recv_fds(s, 99, 9)
    if not words: break
    {act}
"""


@pytest.mark.parametrize(
    ("act", "verdict"),
    [
        ("s.send(b'garbage')", "killed"),
        ("s.send(b'1 kept 0 0' * 9)", "killed"),
        ("s.send(b'x' * 100_000)", "killed"),
        ("s.send(b'-1 kept 0 0')", "killed"),
        ("s.send(b'1 kept 0 0 \\xff')", "killed"),
        ("os._exit(0)", "killed"),
        ("s.send(b'0 lost 0 0'); s.send(b'1 kept 0 0')", "ok"),
        ("socket.send_fds(s, [b'1 kept 0 0'], fds)", "ok"),
        ("s.send(b'1 kept 3 0')", "error"),
        ("s.send(b'1 kept 0 999999999999999')", "ok"),
        ("s.send(b'7 kept 0 0')", "killed"),
        ("pass", "time"),
        ("[s.send(b'0 kept 0 0') for _ in iter(int, 1)]", "killed"),
    ],
)
def test_the_launcher_trusts_no_word(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, act: str, verdict: str
) -> None:
    def command(setup: Setup, control: int) -> list[str]:
        return [setup.python, "-S", "-c", HOSTILE_SERVER.format(act=act), str(control)]

    monkeypatch.setattr(live, "_command", command)
    monkeypatch.setattr(live, "END_S", 0.5)
    count, before = descriptors(), below()
    with sandbox.session() as session:
        result = session.run("1", limits=Limits(wall_s=1.0))
    assert result.verdict == verdict, result
    assert result.wall_s < 10
    assert descriptors() <= count and below() <= before


@pytest.mark.parametrize("program", ["/usr/bin/true", "/usr/bin/cat", "/no/such/python"])
def test_an_interpreter_that_does_not_start(sandbox: Sandbox, kind: str, program: str) -> None:
    """A failure before the server is ready is the sandbox's own."""
    warm = make(sandbox, kind)
    warm._setup = replace(warm._setup, python=program)
    before = below()
    result = run(warm, "1")
    assert (result.verdict, result.exit_code) == ("unavailable", None)
    assert result.reason.startswith("the sandbox failed")
    assert below() <= before
    warm._setup = replace(warm._setup, python=sandbox.python)
    assert show(warm, "1") == "1", "it tries again"
    warm.close()


def test_all_calls_share_a_budget(sandbox: Sandbox, kind: str) -> None:
    with make(sandbox, kind, total_cpu_s=0.5) as warm:
        spend = "import time\nt = time.process_time()\nwhile time.process_time() < t + 0.2: pass"
        verdicts = [run(warm, spend).verdict for _ in range(4)]
        assert verdicts[0] == "ok" and verdicts[-1] == "time"
        result = run(warm, "1")
        assert (result.verdict, result.stdout, result.cpu_s) == ("time", "", 0.0)
        assert f"all 0.5 CPU seconds of the {kind} are spent" in result.reason
        assert warm.cpu_s < 1
    with pytest.raises(ValueError, match="total_cpu_s"):
        make(sandbox, kind, total_cpu_s=0)
    with make(sandbox, kind) as warm, pytest.raises(ValueError, match="memory_mib of a call is at"):
        run(warm, "1", Limits(memory_mib=9999))


def test_random_numbers_come_from_the_seed(sandbox: Sandbox, kind: str) -> None:
    drawn = []
    for seed in (1, 1, 2):
        with make(sandbox, kind, seed=seed) as warm:
            drawn.append([show(warm, "__import__('random').random()") for _ in range(2)])
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0][0] != drawn[0][1]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_forked_in_the_middle_of_a_call_can_close_it(sandbox: Sandbox) -> None:
    """Nobody there would ever let go of the lock."""
    with sandbox.zygote() as zygote:
        zygote.run(["true"])
        thread = threading.Thread(target=zygote.run, args=(["sleep", "0.3"],))
        thread.start()
        assert wait_for(zygote._lock.locked)
        pid = os.fork()
        if pid == 0:
            signal.alarm(60)
            zygote.close()
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        thread.join()
        assert zygote.run(["echo", "on"]).stdout == "on\n"


def test_files_wait_for_the_next_try(sandbox: Sandbox) -> None:
    session = sandbox.session()
    session._setup = replace(session._setup, python="/usr/bin/true")
    session.put({"a": "kept"})
    assert session.run("1").verdict == "unavailable"
    session._setup = replace(session._setup, python=sandbox.python)
    assert session.run("print(open('a').read())").stdout == "kept\n"
    session.close()
