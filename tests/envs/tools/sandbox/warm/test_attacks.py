"""No attack gets out of a warm sandbox, none breaks its server, and the next call runs."""

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.sandbox.attack_range import (
    ATTACKS,
    LIMITS,
    MOST_MIB,
    WAIT_S,
    Host,
    host,
    leaks,
    needs_sandbox,
)
from helpers.sandbox.attacks import Attack
from zerogym.envs.tools.sandbox import Result, Sandbox
from zerogym.envs.tools.sandbox.execution import process_tree

pytestmark = needs_sandbox
OVERHEAD_S = 6.0  # on a busy machine, beside the limit on the clock

# What only a warm sandbox has: a first process that stays, and calls that come before and after.
ON_THE_SERVER = (
    Attack("kill the server", "os.kill(1, 9)\nos.kill(1, 15)\nos.kill(1, 2)\nos.kill(1, 6)"),
    Attack("stop the server", "os.kill(1, 19)\nos.kill(1, 20)\nos.kill(1, 21)"),
    Attack(
        "send every signal to the server",
        "for _ in range(20):\n    for number in range(1, 65):\n        os.kill(1, number)",
    ),
    Attack(
        "be signalled for to the server",
        """
import fcntl
for number in (0, 9, 19, 34):
    mine, other = socket.socketpair()
    fcntl.fcntl(mine, fcntl.F_SETOWN, 1)
    fcntl.fcntl(mine, 10, number)  # F_SETSIG
    fcntl.fcntl(mine, fcntl.F_SETFL, os.O_ASYNC)
    other.send(b"x")
""",
    ),
    Attack(
        "open the server's memory and files",
        """
for name in ("mem", "environ", "maps", "fd", "cwd", "root", "exe", "task/1/mem", "fdinfo", "io",
             "map_files", "auxv", "pagemap", "stack", "syscall", "clear_refs", "ns/pid"):
    path = "/proc/1/" + name
    try:
        os.readlink(path) if os.path.islink(path) else opens(path) or os.listdir(path)
    except OSError:
        continue
    if opens(path) or os.path.isdir(path) and os.listdir(path): won(path)
""",
    ),
    Attack("trace the server", "if errno_of('ptrace', 16, 1, 0, 0) != 1: won()"),
    Attack(
        "take the server's descriptors",
        "descriptor = os.pidfd_open(1)\n"
        "for number in range(64):\n"
        "    if errno_of('pidfd_getfd', descriptor, number, 0) != 1: won()",
    ),
    Attack(
        "speak for the server",
        """
for number in range(3, 256):
    try:
        os.write(number, b"1 kept 0 0")
        socket.socket(fileno=os.dup(number)).send(b"2 kept 0 0")
    except OSError:
        pass
""",
    ),
    Attack("look into the server's modules", "print(sys.modules['__main__'].__dict__.get('main'))"),
    Attack("leave a handler", "signal.signal(18, lambda *_: os._exit(0))\nos.kill(os.getpid(), 18)",
           ("ok", "error")),
    Attack(
        "orphans by the hundred",
        """
for _ in range(100):
    pid = os.fork()
    if pid == 0:
        try:
            os.fork()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
""",
    ),
    Attack("close everything", "os.closerange(0, 256)", ("ok", "error")),
)  # fmt: skip
EVERY = (*ATTACKS, *ON_THE_SERVER)


def source(attack: Attack, one: Host) -> str:
    """The attack as a source, with what it is told as its argument."""
    return f"import sys\nsys.argv = {['', json.dumps(one.targets)]!r}\n{attack.program}"


def check(result: Result) -> None:
    """What holds for every attack."""
    assert result.verdict != "unavailable", result
    assert result.wall_s < LIMITS.wall_s + OVERHEAD_S
    assert result.cpu_s < LIMITS.cpu_s * (os.cpu_count() or 1) + 4
    assert result.peak_mib < MOST_MIB
    assert len(result.stdout) <= LIMITS.output_kib * 1024
    assert sum(map(len, result.files.values())) <= LIMITS.output_kib * 1024


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox()


@pytest.mark.parametrize("attack", EVERY, ids=lambda attack: attack.name)
def test_a_zygote_holds(sandbox: Sandbox, attack: Attack) -> None:
    limits = replace(LIMITS, wall_s=WAIT_S) if "time" in attack.verdicts else LIMITS
    with host() as one, leaks(one), sandbox.zygote(LIMITS) as zygote:
        collect = ["result", f"folder/{Path(str(one.targets['secret'])).name}"]
        result = zygote.run(python=source(attack, one), collect=collect, limits=limits)
        assert one.escapes(result) == [], result  # nothing of it is left, before the zygote ends
        check(result)
        assert result.verdict in attack.verdicts, result
        if attack.verdicts == ("ok",):
            assert result.stdout.rstrip().endswith("tried"), "the attack itself is broken"
        after = zygote.run(["sh", "-c", "rm -rf /task/* /tmp/* /dev/shm/*; echo next /proc/[0-9]*"])
        assert "everything is lost" not in result.reason + after.reason
    if after.verdict != "memory":  # what it left fills the folders
        assert after.stdout.startswith("next /proc/1 "), after
        assert len(after.stdout.split()) == 3, after


# Bombs take seconds each; each also goes through a zygote, above.
BOMBS_SLOWLY = [
    pytest.param(
        attack, marks=[] if attack.verdicts == ("ok",) else [pytest.mark.proof], id=attack.name
    )
    for attack in EVERY
]


@pytest.mark.parametrize("attack", BOMBS_SLOWLY)
def test_a_session_holds(sandbox: Sandbox, attack: Attack) -> None:
    """A cell may leave processes, which rest; they end with the session."""
    limits = replace(LIMITS, wall_s=WAIT_S) if "time" in attack.verdicts else LIMITS
    with host() as one, leaks(one):
        with sandbox.session(LIMITS) as session:
            collect = ["result", f"folder/{Path(str(one.targets['secret'])).name}"]
            result = session.run(source(attack, one), collect=collect, limits=limits)
            check(result)
            after = session.run("print('next')", limits=limits)
            check(after)
            session.run("import os; os._exit(0)")
            last = session.run("print('last')")
            assert "everything is lost" not in result.reason + after.reason + last.reason
            assert one.escapes(last) == []
        assert one.escapes(result) == one.escapes(after) == [], result
    if last.verdict != "memory":
        assert last.stdout == "last\n", last


# Ways to run on between two cells, when all have been stopped.
RESTLESS = {
    "each wakes the other": """
first = os.getpid()
for _ in range(3):
    if os.fork() == 0:
        while True:
            for pid in range(2, 20):
                try: os.kill(pid, 18)
                except OSError: pass
""",
    "a group is woken": """
if os.fork() == 0:
    while True:
        for pid in (0, -1, -os.getpgid(0)):
            try: os.kill(pid, 18)
            except OSError: pass
""",
    "other ways to signal": """
if os.fork() == 0:
    while True:
        for number, arguments in ((200, (os.getppid(), 18)), (129, (os.getppid(), 18, 0)),
                                  (234, (os.getppid(), os.getppid(), 18))):
            libc.syscall(number, *arguments)
""",
    "a clock wakes it": """
class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("notify", ctypes.c_int),
                ("rest", ctypes.c_char * 48)]
timer = ctypes.c_int()
signal.signal(18, lambda *_: None)
made = libc.syscall(222, 1, ctypes.byref(Event(None, 18, 0)), ctypes.byref(timer))
libc.syscall(223, timer, 0, (ctypes.c_long * 4)(0, 1000000, 0, 1000000), 0)
threading.Thread(target=lambda: all(True for _ in iter(int, 1)), daemon=True).start()
""",
    "a file wakes it": """
import fcntl
signal.signal(29, lambda *_: None)
for one in (0, 1, 2):
    for change in ((fcntl.F_SETOWN, os.getpid()), (10, 18), (fcntl.F_SETFL, os.O_ASYNC)):
        try: fcntl.fcntl(one, *change)
        except OSError: pass
threading.Thread(target=lambda: all(True for _ in iter(int, 1)), daemon=True).start()
""",
    "many threads": """
def spin(): all(True for _ in iter(int, 1))
for _ in range(12): threading.Thread(target=spin, daemon=True).start()
""",
    "orphans": """
if os.fork() == 0:
    os.setpgid(0, 0)
    for _ in range(4):
        if os.fork() == 0:
            os.setpgid(0, 0)
            if os.fork() == 0:
                while True: pass
            time.sleep(0.01)
            os._exit(0)
    os._exit(0)
""",
}  # fmt: skip


@pytest.mark.parametrize("name", RESTLESS)
def test_nothing_runs_between_cells(sandbox: Sandbox, name: str) -> None:
    with sandbox.session(replace(LIMITS, cpu_s=5)) as session:
        session.run("import ctypes, os, signal, socket, threading, time\nlibc = ctypes.CDLL(None)")
        result = session.run(RESTLESS[name] + "\ntime.sleep(0.3)")
        assert result.verdict == "ok", result
        assert result.cpu_s > 0.02, "the attack itself is broken"
        assert session._live is not None
        before = process_tree.use(session._live.started.pid, 2**40).cpu_s
        time.sleep(0.7)
        assert process_tree.use(session._live.started.pid, 2**40).cpu_s - before < 0.03
        assert session.run("6 * 7").stdout == "42\n"


@pytest.mark.parametrize("kind", ["NOFILE", "NPROC", "CPU", "FSIZE", "DATA"])
@pytest.mark.parametrize("mode", ["zygote", "session"])
def test_the_servers_limits_cannot_be_lowered(sandbox: Sandbox, mode: str, kind: str) -> None:
    act = f"import resource\nresource.prlimit(1, resource.RLIMIT_{kind}, (0, 0))"
    with sandbox.zygote(LIMITS) as zygote, sandbox.session(LIMITS) as session:
        results = [
            zygote.run(python=source) if mode == "zygote" else session.run(source)
            for source in (act, *["print('next')"] * 4)
        ]
    assert "PermissionError" in results[0].stderr
    assert [result.stdout for result in results[1:]] == ["next\n"] * 4
