"""The killable worker: limits hold, nothing gets mixed up, and it comes back after every death."""

import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from zerogym.envs.workers import Worker, WorkerCrashed, WorkerError, WorkerTimeout
from zerogym.errors import ZerogymError

HERE = str(Path(__file__).parents[1])


PATIENCE = 60.0  # seconds that only what never comes takes: a busy machine may stall for some


def call(worker: Worker, name: str, *arguments: object, seconds: float = PATIENCE) -> Any:
    """Call one of the functions in tests/helpers/worker_functions.py."""
    return worker.call(f"helpers.worker_functions:{name}", *arguments, seconds=seconds)


@pytest.fixture
def worker() -> Iterator[Worker]:
    with Worker(memory_mib=512, import_path=[HERE]) as made:
        yield made


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _ends(pid: int, within: float = PATIENCE) -> bool:
    end = time.monotonic() + within
    while _alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not _alive(pid)


def test_values_come_back_as_json_gives_them(worker: Worker) -> None:
    values = [1, -2.5, None, True, "\ud800\x00ä", {"a": [1, {"b": []}]}, 10**300]
    assert call(worker, "echo", *values) == values
    assert call(worker, "echo", (1, 2), {3: 4}) == [
        [1, 2],
        {"3": 4},
    ]
    high, low, nothing = call(worker, "echo", math.inf, -math.inf, math.nan)
    assert (high, low) == (math.inf, -math.inf) and math.isnan(nothing)


def test_it_stays_warm(worker: Worker) -> None:
    pids = {call(worker, "pid") for _ in range(5)}
    assert len(pids) == 1 and os.getpid() not in pids


@pytest.mark.parametrize("function", ["loop", "power"])
def test_an_endless_call_is_killed_on_time_and_the_next_works(
    worker: Worker, function: str
) -> None:
    old = call(worker, "pid")
    start = time.monotonic()
    with pytest.raises(WorkerTimeout, match=f"{function} took longer than 0.3 s"):
        call(worker, function, seconds=0.3)
    assert time.monotonic() - start >= 0.3
    assert not _alive(old)
    assert call(worker, "pid") != old


def test_imports_do_not_count_as_the_calls_time(tmp_path: Path) -> None:
    (tmp_path / "slow_to_import.py").write_text("import time\ntime.sleep(1)\none = lambda: 1\n")
    with Worker(import_path=[str(tmp_path)]) as patient:
        assert patient.call("slow_to_import:one", seconds=0.9) == 1
    with (
        Worker(import_path=[str(tmp_path)], start_seconds=0.3) as hasty,
        pytest.raises(WorkerTimeout, match="longer"),
    ):
        hasty.call("slow_to_import:one", seconds=PATIENCE)


def test_memory_is_limited(worker: Worker) -> None:
    with pytest.raises(WorkerError) as caught:
        call(worker, "eat", seconds=20)
    assert caught.value.kind == "MemoryError"
    assert call(worker, "echo", 1) == [1]


@pytest.mark.parametrize("code", [0, 3])
def test_a_process_that_ends_is_replaced(worker: Worker, code: int) -> None:
    with pytest.raises(WorkerCrashed, match=f"exit code {code}"):
        call(worker, "leave", code)
    assert call(worker, "echo", 1) == [1]


def test_a_process_killed_between_calls_is_replaced(worker: Worker) -> None:
    pid = call(worker, "pid")
    os.kill(pid, signal.SIGKILL)
    assert _ends(pid)
    assert call(worker, "echo", 1) == [1]


def test_a_process_killed_during_a_call_is_a_crash(worker: Worker) -> None:
    with pytest.raises(WorkerCrashed, match="signal 11"):
        call(worker, "send_itself", int(signal.SIGSEGV))
    assert call(worker, "echo", 1) == [1]


@pytest.mark.parametrize(
    ("function", "arguments", "kind", "message"),
    [
        ("helpers.worker_functions:fail", ["lost"], "KeyError", "'lost'"),
        ("helpers.worker_functions:fail_without_words", [], "Unprintable", "cannot be shown"),
        ("helpers.worker_functions:leave_politely", [], "SystemExit", "3"),
        ("helpers.worker_functions:nothing", [], "AttributeError", "nothing"),
        ("no_such_module:f", [], "ModuleNotFoundError", "no_such_module"),
        ("helpers.worker_functions:what_json_cannot", ["set"], "TypeError", "set"),
        ("helpers.worker_functions:what_json_cannot", ["function"], "TypeError", "function"),
        ("helpers.worker_functions:what_json_cannot", ["cyclic"], "ValueError", "Circular"),
        ("helpers.worker_functions:what_json_cannot", ["long"], "ValueError", "digits"),
        ("helpers.worker_functions:long_text", [2**26], "ValueError", "bytes"),
        ("helpers.worker_functions:echo()", [], "AttributeError", "echo()"),
    ],
)
def test_errors_of_the_function_are_named_and_the_process_stays(
    worker: Worker, function: str, arguments: list[object], kind: str, message: str
) -> None:
    pid = call(worker, "pid")
    with pytest.raises(WorkerError) as caught:
        worker.call(function, *arguments, seconds=20)
    assert caught.value.kind == kind
    assert message in caught.value.message
    assert call(worker, "pid") == pid


def test_what_the_function_prints_disturbs_nothing(
    worker: Worker, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        assert call(worker, "chatter") == "done"
    assert capfd.readouterr().out == ""


def test_junk_in_the_pipe_is_a_crash(worker: Worker) -> None:
    with pytest.raises(WorkerCrashed):
        call(worker, "write_into_all_pipes", seconds=20)
    assert call(worker, "echo", 1) == [1]


def test_long_arguments_and_results_pass(worker: Worker) -> None:
    text = "a" * 5_000_000
    assert call(worker, "echo", text, seconds=20) == [text]


def test_wrong_arguments_are_refused_before_anything_is_sent(worker: Worker) -> None:
    with pytest.raises(TypeError):
        call(worker, "echo", object(), seconds=1)
    for seconds in (0, -1, math.nan, math.inf):
        with pytest.raises(ValueError, match="seconds"):
            call(worker, "echo", seconds=seconds)


def test_an_interrupted_call_does_not_answer_the_next(worker: Worker) -> None:
    call(worker, "echo")
    here = threading.get_ident()  # another thread's signal would not end the wait of this one
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.2, signal.pthread_kill, (here, signal.SIGINT)).start()
        call(worker, "sleep", 20)  # ends long after the signal, however late that comes
    assert call(worker, "echo", 7) == [7]


def test_threads_share_a_worker(worker: Worker) -> None:
    def one(number: int) -> object:
        if number % 5 == 0:
            with pytest.raises(WorkerTimeout):
                call(worker, "loop", seconds=0.1)
            return [number]
        return call(worker, "echo", number)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(20))) == [[n] for n in range(20)]


def test_the_child_outlives_the_thread_that_started_it(worker: Worker) -> None:
    with ThreadPoolExecutor(1) as pool:
        pid = pool.submit(call, worker, "pid").result()
    time.sleep(0.1)
    assert call(worker, "pid") == pid


def test_what_the_child_started_dies_with_it(worker: Worker) -> None:
    started = call(worker, "start_process")
    assert _alive(started)
    worker.close()
    assert _ends(started)


def test_it_ends_when_it_is_closed_or_forgotten() -> None:
    worker = Worker(import_path=[HERE])
    first = call(worker, "pid")
    worker.close()
    worker.close()
    assert not _alive(first)
    second = call(worker, "pid")
    del worker
    assert not _alive(second)


_PARENT = """
import os, sys
from zerogym.envs.workers import Worker
worker = Worker(import_path=[{here!r}])
print(worker.call("helpers.worker_functions:pid", seconds=5), flush=True)
{end}
"""


@pytest.mark.parametrize("end", ["", "os._exit(0)", "os.kill(os.getpid(), 9)", "raise SystemExit"])
def test_it_ends_with_its_parent(end: str) -> None:
    script = _PARENT.format(here=HERE, end=end)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr == ""
    assert _ends(int(done.stdout))


def test_it_ends_with_its_parent_even_when_it_is_busy() -> None:
    end = "worker.call('helpers.worker_functions:loop', seconds=600)"
    script = _PARENT.format(here=HERE, end=end)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        time.sleep(0.3)
        parent.kill()
    assert _ends(pid)


def test_a_forked_copy_has_a_process_of_its_own(worker: Worker) -> None:
    mine = call(worker, "pid")
    receive, send = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            other = call(worker, "pid")
            os.write(send, str(other).encode())
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    other = int(os.read(receive, 100))
    os.close(receive)
    os.close(send)
    assert other != mine
    assert _ends(other)  # with the copy
    assert call(worker, "pid") == mine


class WorkerEnv(gym.Env[int, int]):
    """Calls a worker, as an environment with an untrusted scorer would."""

    observation_space = gym.spaces.Discrete(100)
    action_space = gym.spaces.Discrete(100)

    def __init__(self) -> None:
        self.worker = Worker(import_path=[HERE])

    def reset(self, **_: object) -> tuple[int, dict[str, object]]:
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, object]]:
        (number,) = call(self.worker, "echo", int(action))
        return number, float(number), False, False, {}


def test_it_works_in_daemonic_processes_of_vector_environments() -> None:
    envs = gym.vector.AsyncVectorEnv([WorkerEnv, WorkerEnv])
    envs.reset()
    assert envs.step([3, 4])[1].tolist() == [3, 4]
    envs.close()


def test_settings_reach_the_child() -> None:
    with Worker(import_path=[HERE], environment={"PYTHONHASHSEED": "5"}) as worker:
        assert call(worker, "variable", "PYTHONHASHSEED") == "5"


def test_errors_share_a_base() -> None:
    assert all(issubclass(e, ZerogymError) for e in (WorkerCrashed, WorkerError, WorkerTimeout))
    assert issubclass(WorkerTimeout, TimeoutError)
