"""Honest programs run in the sandbox, and its verdicts are right."""

import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helpers.sandbox.attack_range import PYTHON, alive, needs_sandbox, open_python, wait_for
from helpers.sandbox.controls import CONTROLS, FILES, INPUT, check_control
from zerogym.envs.tools.sandbox import Limits, Result, Sandbox
from zerogym.envs.tools.sandbox.execution import watch
from zerogym.envs.tools.sandbox.execution.spawner import spawn
from zerogym.envs.tools.sandbox.unprivileged.supervisor import OLDEST_ABI, abi

pytestmark = needs_sandbox


@pytest.mark.parametrize("name", CONTROLS)
def test_what_should_run_runs(sandbox: Sandbox, name: str) -> None:
    source, expected = CONTROLS[name]
    check_control(sandbox.run(python=source, stdin=INPUT, files=FILES), expected)


def test_a_shell_source_and_a_command(sandbox: Sandbox) -> None:
    assert sandbox.run(shell="echo $((2 + 3))").stdout == "5\n"
    assert sandbox.run(["echo", "a b", "$HOME"]).stdout == "a b $HOME\n"
    assert sandbox.run(["pwd"]).stdout == "/task\n"


@pytest.fixture(scope="module", params=["strong", "landlock"])
def at_level(request: pytest.FixtureRequest) -> Sandbox:
    if request.param == "landlock" and abi() < OLDEST_ABI:
        pytest.skip("the kernel has too little")
    return Sandbox(level=request.param, python=open_python())


@pytest.mark.parametrize(
    ("source", "code", "number"),
    [("exit 3", 3, None), ("kill -SEGV $$", 139, signal.SIGSEGV), ("nosuch", 127, None)],
)
def test_a_failing_program(
    at_level: Sandbox, source: str, code: int, number: signal.Signals | None
) -> None:
    result = at_level.run(shell=source)
    assert (result.verdict, result.exit_code, result.signal) == ("error", code, number)
    assert "Segmentation" not in result.stderr or at_level.level != "strong"  # our shell is silent


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


def test_files_come_back(at_level: Sandbox) -> None:
    result = at_level.run(
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
    assert 0.7 < result.cpu_s < 4 * 0.8, "not each by itself"


def test_cpu_seconds_between_two_looks_count(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "LOOKS_S", (10.0,))
    source = "import time\nwhile time.process_time() < 0.3: pass"
    result = sandbox.run(python=source, limits=Limits(cpu_s=0.1))
    assert (result.verdict, result.exit_code) == ("time", None)


def test_the_kernel_counts_cpu_seconds_too(sandbox: Sandbox) -> None:
    """A process alone is stopped by its own limit even if nobody looks."""
    source = "import resource; print(resource.getrlimit(resource.RLIMIT_CPU))"
    assert sandbox.run(python=source, limits=Limits(cpu_s=1.5)).stdout == "(2, 3)\n"


def test_sleeping_is_ended_by_the_clock(sandbox: Sandbox) -> None:
    result = sandbox.run(shell="echo before; sleep 1000", limits=Limits(wall_s=1))
    assert (result.verdict, result.stdout, result.stderr) == ("time", "before\n", "")
    assert "clock" in result.reason
    assert 1 <= result.wall_s < 60


def test_what_was_printed_before_the_end_is_kept(sandbox: Sandbox) -> None:
    result = sandbox.run(python="print('x' * 9)\nwhile True: pass", limits=Limits(cpu_s=0.5))
    assert (result.verdict, result.stdout) == ("time", "x" * 9 + "\n")


def test_output_is_capped(sandbox: Sandbox) -> None:
    result = sandbox.run(shell="head -c 3000 /dev/zero", limits=Limits(output_kib=2))
    assert (result.verdict, len(result.stdout), result.stdout_truncated) == ("output", 2048, True)
    result = sandbox.run(shell="head -c 2048 /dev/zero >&2", limits=Limits(output_kib=2))
    assert (result.verdict, len(result.stderr), result.stderr_truncated) == ("ok", 2048, False)


def test_peak_memory_is_measured(sandbox: Sandbox) -> None:
    # It stays for fifty looks: on a busy machine the watcher may miss some.
    source = "import time\nkept = bytearray(100 * 2 ** 20)\ntime.sleep(1)"
    assert 100 < sandbox.run(python=source).peak_mib < 150


def test_a_process_alone_gets_an_error_at_its_limit(sandbox: Sandbox) -> None:
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


def test_calls_side_by_side(at_level: Sandbox) -> None:
    """A limit on processes that counted those of other calls would fail them at random."""
    source = "import os\nif os.fork() == 0: os._exit(0)\nos.wait(); print(os.getpid())"
    limits, count = Limits(processes=3), 60 if at_level.level == "strong" else 12
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: at_level.run(python=source, limits=limits), range(count)))
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
    """It may be visible inside, and then its environment is, too."""
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


WRONG = [
    *({}, {"python": "1", "shell": "1"}, {"argv": "echo"}),
    *({"argv": argv} for argv in ([], ["a\0b"], ["x" * 200_000])),
    *({"python": "1", "files": {name: ""}} for name in ("main.py", "../out", "/out", "a//b", "")),
    {"python": "1", "files": {"a\0b": ""}},
    {"python": "1", "files": {"a": bytes(70 * 2**20)}},
    {"python": "1", "collect": ["a/../../b"]},
]


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_arguments_are_the_callers(sandbox: Sandbox, arguments: dict[str, object]) -> None:
    with sandbox.zygote() as zygote:
        for run in (sandbox.run, zygote.run):
            with pytest.raises(ValueError):
                run(**arguments)  # type: ignore[arg-type]


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


def test_another_interpreter(sandbox: Sandbox) -> None:
    assert Sandbox(python=PYTHON).run(python="print(1)").stdout == "1\n"


def test_where_the_host_is_short_of_memory_the_program_goes_first(sandbox: Sandbox) -> None:
    assert sandbox.run(shell="cat /proc/self/oom_score_adj").stdout == "1000\n"


def test_outputs_can_be_opened_by_name(sandbox: Sandbox) -> None:
    source = "echo out > /dev/stdout; echo err > /dev/stderr; cat /dev/stdin"
    with sandbox.zygote() as zygote:
        for run in (sandbox.run, zygote.run):
            result = run(shell=source, stdin="in")
            assert (result.verdict, result.stdout, result.stderr) == ("ok", "out\nin", "err\n")
