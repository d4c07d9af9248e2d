"""Level `monty`: what it runs, what it lacks, and that no attack gets out or over its budget."""

import os
import resource
import subprocess
import sys
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import pytest

from helpers.sandbox.attack_range import host, leaks
from helpers.sandbox.attacks import ATTACKS, Attack
from zerogym.envs.tools.sandbox import Limits, Result
from zerogym.envs.tools.sandbox.monty import workers
from zerogym.envs.tools.sandbox.monty.monty import MEMORY_MIB, MISSING, probe_monty, run_python

pytest.importorskip("pydantic_monty")

LIMITS = Limits(cpu_s=0.3, wall_s=1.5, memory_mib=32, output_kib=64)
LATE_S = 4.0  # on a busy machine
# The parts of the attacks' prelude that exist here; the rest fails where it is used.
PRELUDE = """
T = {targets!r}
def won(*what):
    print(T["won"], *what)
def show(path):
    try:
        with open(path, "rb") as file:
            print(file.read(100000))
    except OSError as error:
        print(path, error)
def opens(path, flags=0):
    try:
        open(path, "rb+" if flags else "rb")
        return True
    except OSError:
        return False
import json, os, sys, time
"""
PATHS = """
import os, pathlib
secret = T["secret"]
for name in (secret, "/task/.." + secret, "../" * 9 + secret[1:], "link", "/proc/self/environ"):
    for read in (lambda: open(name).read(), lambda: pathlib.Path(name).read_text(),
                 lambda: os.listdir(os.path.dirname(name)), lambda: os.stat(name),
                 lambda: [*os.scandir(os.path.dirname(name))]):
        try:
            found = read()
            print(found)
            if name != "link": won(name)
        except OSError as error:
            print(error)
for write in (lambda: open(T["canary"], "w"), lambda: os.remove(T["canary"]),
              lambda: os.mkdir(T["folder"] + "/made"), lambda: open("in.txt", "a"),
              lambda: os.symlink(secret, "link"), lambda: os.rename("in.txt", "out.txt")):
    try:
        write()
        won("written")
    except (OSError, AttributeError) as error:
        print(error)
print("tried")
"""


def run(source: str, stdin: bytes = b"", limits: Limits = LIMITS, **files: bytes) -> Result:
    return run_python(source, stdin, files, limits)


CONTROLS = {
    "print(6 * 7)": "42\n",
    "import math\nprint(math.comb(10, 3), 2**100)": f"120 {2**100}\n",
    "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(15))": "610\n",
    "class P:\n    def __init__(self, x):\n        self.x = x\nprint(P(3).x)": "3\n",
    "import re\nprint(re.findall(r'\\d+', 'a1b22'))": "['1', '22']\n",
    "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    print(e)": "division by zero\n",
    "import json\nprint(json.dumps({'a': [1, None]}))": '{"a": [1, null]}\n',
    "match [1, 2]:\n    case [a, b]:\n        print(a + b)": "3\n",
    "print(sorted({3: 'x', 1: 'y'}), f'{3.14159:.2f}', 'é')": "[1, 3] 3.14 é\n",
    "if __name__ == '__main__':\n    print('main')  # no end of line": "main\n",
    "x = 5\nx": "",  # the value of a last expression is not shown
    "": "",
}


@pytest.mark.parametrize("source", CONTROLS)
def test_what_should_run_runs(source: str) -> None:
    result = run(source)
    assert (result.verdict, result.stdout, result.exit_code) == ("ok", CONTROLS[source], 0), result
    assert result.level == "monty" and result.stderr == ""


def test_input_and_files_are_given() -> None:
    source = "print(input('name? '), input(), open('in.txt').read(), open('/task/in.txt').read())"
    result = run_python(source, b"a\nb\r\n", {"in.txt": b"c"}, LIMITS)
    assert (result.verdict, result.stdout) == ("ok", "name? a b c c\n"), result
    deep = run_python("print(open('a/b/c').read())", b"", {"a/b/c": b"1", "a/d": b""}, LIMITS)
    assert deep.stdout == "1\n"
    with pytest.raises(ValueError, match="relative"):
        run_python("1", b"", {"../out": b""}, LIMITS)


def test_an_error_is_shown_as_python_does() -> None:
    result = run(
        "import sys\nprint('before')\nprint('e', file=sys.stderr)\ndef f():\n    [][1]\nf()"
    )
    assert (result.verdict, result.exit_code, result.stdout) == ("error", 1, "before\n")
    assert result.stderr.startswith("e\nTraceback (most recent call last):")
    assert "line 6, in <module>" in result.stderr and "line 5, in f" in result.stderr
    assert result.stderr.rstrip().endswith("IndexError: list index out of range")
    assert result.reason == "IndexError: list index out of range"
    assert "line 2" in run("x = 1\nif x\n").stderr
    assert run("assert 1 == 2").stderr.rstrip().endswith("AssertionError")


# What MISSING says to a model, and programs that show it.
LACKS = {
    "numpy, fractions, statistics, heapq, operator, string, enum, io or threading": [
        f"import {name}"
        for name in ("numpy", "fractions", "statistics", "heapq", "operator", "string", "enum",
                     "io", "threading")
    ],
    "no inheritance (not even from Exception)": [
        "class A:\n    pass\nclass B(A):\n    pass",
        "class E(Exception):\n    pass",
    ],
    "no property, staticmethod or classmethod": [
        f"class A:\n    @{name}\n    def f(self):\n        return 1"
        for name in ("property", "staticmethod", "classmethod")
    ],
    "super()": ["class A:\n    def f(self):\n        super()\nA().f()"],
    "not __len__ or __lt__": [
        f"class A:\n    def {name}(self, *a):\n        return 1\n{use}"
        for name, use in {"__len__": "len(A())", "__lt__": "A() < A()"}.items()
    ],
    "no `yield`": ["def f():\n    yield 1\nf()"],
    "a generator expression is a list": ["next(i for i in [1])"],
    "no `del` statement": ["x = 1\ndel x"],
    "no bytearray": ["bytearray(1)"],
    "no globals(), no callable()": ["globals()", "callable(1)"],
    "no sys.stdin": ["import sys\nsys.stdin"],
    "no EOFError (RuntimeError instead)": ["EOFError", "input()"],
    "no sys.exit": ["import sys\nsys.exit()"],
    "files can be read, not written": ["open('in.txt', 'w')", "open('new.txt', 'w')"],
    "no environment": ["import os\nos.environ['PATH']"],
    "no network": ["import socket"],
    "no other program": ["import subprocess", "import os\nos.system('ls')"],
    "more than 4300 digits": ["str(10**5000)"],
    "calls nest at most 1000 deep": ["def f(n):\n    return n and f(n - 1)\nf(1100)"],
}  # fmt: skip


@pytest.mark.parametrize("claim", LACKS)
def test_what_the_description_lacks_is_missing(claim: str) -> None:
    assert claim in " ".join(MISSING.split())
    for source in LACKS[claim]:
        assert run(source, **{"in.txt": b""}).verdict == "error", source


def test_what_the_description_lists_is_there() -> None:
    listed = MISSING.partition("It has ")[2].partition(" and a")[0].replace("\n", " ")
    names = [name.strip() for name in listed.split(",")]
    assert len(names) >= 14
    result = run("\n".join(f"import {name}" for name in names))
    assert result.verdict == "ok", result.stderr
    assert run("def f(n):\n    return n and f(n - 1)\nf(900)\nstr(10**4200)").verdict == "ok"


def test_nothing_stays_between_calls() -> None:
    """Also in the worker that ran the call before: more calls than workers."""
    writer = (
        "import math, sys, json, random\nleft = 1\ndef print2():\n    pass\nlen = None\n"
        "try:\n    math.left = 1\nexcept Exception:\n    pass\n"
        "try:\n    sys.argv.append('left')\nexcept Exception:\n    pass\n"
        "try:\n    json.dumps = None\nexcept Exception:\n    pass\n"
        "random.seed(5)\n"
    )
    reader = (
        "import math, sys, json, random\nfound = []\n"
        "for name in ('left', 'print2', '_lines'):\n"
        "    try:\n        found.append((name, eval(name)))\n    except NameError:\n        pass\n"
        "print(found, len(sys.argv), hasattr(math, 'left'), json.dumps(1), random.random())"
    )
    first = run(reader).stdout
    for _ in range(2 * (os.cpu_count() or 1) + 2):
        assert run(writer, b"secret line\n").verdict == "ok"
        assert run(reader).stdout == first
    assert first.startswith("[('_lines', [])] 1 False 1 0.")


ENDS = {
    "while True: pass": "time",
    "try:\n    while True: pass\nexcept BaseException: pass": "time",
    "x = 7\nwhile True: x = x * x": "time",
    "sum(range(10**12))": "time",
    "import time\ntime.sleep(1000)": "time",
    "import time\nwhile True: time.sleep(0.01)": "time",
    "import asyncio\nasyncio.run(asyncio.sleep(1000))": "time",
    "10**10**8": "memory",
    "x = []\nwhile True: x.append([1] * 1000)": "memory",
    "x = 'a'\nwhile True: x = x + x": "memory",
    "[0] * 10**12": "memory",
    "f'{5:>1000000000}'": "memory",
    "{i: i for i in range(10**9)}": "memory",
    "while True: print('x' * 1000)": "output",
    "print('x' * 10_000_000)": "output",
    "import sys\nwhile True: print('x' * 1000, file=sys.stderr)": "output",
    "def f(): return f()\nf()": "error",
    "class A:\n    def __repr__(self): return repr(self)\nrepr(A())": "error",
    "import re\nprint(re.match('(a+)+$', 'a' * 64 + 'b'))": "ok",
    "import re\nre.match(r'(.*)*(.*)*(.*)*\\1x', 'a' * 4000)": "error",
    "int('9' * 10_000_000)": "error",
    "import json\njson.loads('[' * 1_000_000)": "error",
    "a = []\nfor i in range(50): a = [a, a]\na": "ok",
    "x = []\nx.append(x)\nx": "ok",
    "raise ValueError('a' * 10_000_000)": "error",
    f"def {'f' * 50_000}(): return {'f' * 50_000}()\n{'f' * 50_000}()": "memory",
    "(" * 100_000 + ")" * 100_000: "error",
    "-" * 100_000 + "1": "error",
    "x = " + "1 + " * 100_000 + "1": "error",
    "x = 1\n" * 1_700_000: "memory",
    "#" * 10_000_000: "ok",
    "print('" + "a" * 2_000_000 + "')": "output",
    "a\0b": "error",
    "print('\ud800')": "error",
    "print('\\ud800')": "ok",
    "\x1b[2J\x07": "error",
    "x = \\": "error",
    "'''": "error",
    "exit()": "error",
    "raise SystemExit(3)": "error",
    "raise KeyboardInterrupt": "error",
}  # fmt: skip


@pytest.mark.parametrize("source", ENDS, ids=lambda source: repr(source[:40]))
def test_hostile_sources_end_in_their_limits(source: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = run(source)
    assert result.verdict == ENDS[source], result
    assert result.wall_s < LIMITS.wall_s + LATE_S
    assert result.cpu_s < LIMITS.cpu_s + 0.5
    assert len(result.stdout) <= LIMITS.output_kib * 1024 >= len(result.stderr)
    assert result.stdout_truncated or result.stderr_truncated or result.verdict != "output"
    assert (result.exit_code is None) == (result.verdict in ("time", "memory", "output"))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 3 * LIMITS.memory_mib * 1024, "the launcher grew"
    assert run("print(1)").stdout == "1\n", "and the next call runs"


def test_no_object_of_the_programs_is_made_outside() -> None:
    tracemalloc.start()
    try:
        assert run("[[] for _ in range(100_000)]").verdict == "ok"
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_the_clock_ends_what_uses_no_cpu() -> None:
    result = run("import time\nprint('a')\ntime.sleep(0.2)\nwhile True: time.sleep(0.05)")
    assert (result.verdict, result.stdout) == ("time", "a\n")
    assert result.cpu_s < 0.2


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc")
def test_the_workers_themselves_stay_in_their_memory() -> None:
    """Whatever the limit says: the launcher may hold half of it as the text of an error."""
    result = run("x = []\nwhile True: x.append(bytes(10000))", limits=Limits(memory_mib=4096))
    assert result.verdict == "memory"
    peaks = []
    for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        status = Path(f"/proc/{pid}/status").read_text()
        if "Name:\tmonty" in status:
            peaks.append(int(status.partition("VmHWM:")[2].split()[0]) / 1024)
    assert peaks and MEMORY_MIB == 64 and max(peaks) < MEMORY_MIB + 24


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_no_attack_gets_out(attack: Attack) -> None:
    with host() as one, leaks(one):
        before = time.monotonic()
        result = run(PRELUDE.format(targets=one.targets) + attack.source)
        assert one.escapes(result) == [], result
        assert result.verdict != "unavailable"
        assert time.monotonic() - before < LIMITS.wall_s + LATE_S


def test_no_path_leads_out() -> None:
    with host() as one, leaks(one):
        source = PRELUDE.format(targets=one.targets) + PATHS
        for files in ({}, {"in.txt": b"in", "folder/deep.txt": b""}):
            result = run_python(source, b"", files, LIMITS)
            assert one.escapes(result) == [], result
            assert result.stdout.endswith("tried\n"), result


def test_the_workers_have_no_environment() -> None:
    """For the day on which the interpreter has a hole."""
    if not Path("/proc/self/environ").exists():
        pytest.skip("no /proc")
    source = (
        "import os\n"
        "from zerogym.envs.tools.sandbox.monty.monty import run_python\n"
        "from zerogym.envs.tools.sandbox import Limits\n"
        "run_python('1', b'', {}, Limits())\n"
        "children = open(f'/proc/self/task/{os.getpid()}/children').read().split()\n"
        "assert children\n"
        "for pid in children:\n"
        "    assert b'LEAK' not in open(f'/proc/{pid}/environ', 'rb').read()\n"
        "print('known')"
    )
    environment = {**os.environ, "LEAK": "secret"}
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True)
    assert done.stdout == b"known\n", done.stderr


def test_calls_from_threads_do_not_mix() -> None:
    with ThreadPoolExecutor(8) as threads:
        results = threads.map(
            lambda number: run(f"print(input(), {number})", b"%d" % number), range(200)
        )
    assert [result.stdout for result in results] == [f"{n} {n}\n" for n in range(200)]


def test_killing_one_call_leaves_the_others() -> None:
    with ThreadPoolExecutor(4) as threads:
        bad = [threads.submit(run, "while True: print('x' * 1000)") for _ in range(6)]
        good = [threads.submit(run, "print(sum(range(1000)))") for _ in range(60)]
    assert {one.result().verdict for one in bad} == {"output"}
    assert {one.result().stdout for one in good} == {"499500\n"}


def test_a_dead_worker_is_no_fault_of_the_program_and_is_replaced() -> None:
    """Killed from outside while it runs a program: `killed`, not `error`."""
    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(run, "while True: pass", limits=Limits(cpu_s=20, wall_s=20))
        until = time.monotonic() + 10
        while not workers._running and time.monotonic() < until:
            time.sleep(0.01)
        (one,) = workers._running
        time.sleep(0.1)
        os.kill(one.pid, 9)
        result = future.result(timeout=10)
    assert (result.verdict, result.exit_code) == ("killed", None), result
    assert run("print(1)").stdout == "1\n"


def test_without_the_interpreter_it_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_pool", None)
    monkeypatch.setenv("MONTY_BIN", "/nowhere/monty")
    result = run("print(1)")
    assert result.verdict == "unavailable" and result.reason.startswith("the interpreter failed")
    assert probe_monty()[0] is False
    monkeypatch.setattr(workers, "_pool", None)
    monkeypatch.setitem(sys.modules, "pydantic_monty", cast("None", None))
    result = run("print(1)")
    assert result.verdict == "unavailable" and "zerogym[tools]" in result.reason


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_it_runs_after_a_fork_and_leaves_the_parents_workers() -> None:
    """In the child and in a child of the child, with files and input, and with its limits."""
    assert run("print(1)").stdout == "1\n"
    child = os.fork()
    if child == 0:
        grandchild = 0 if _works_after_a_fork() else 1
        if grandchild == 0 and (pid := os.fork()):
            grandchild = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        elif grandchild == 0:
            grandchild = 0 if _works_after_a_fork() else 1
        os._exit(grandchild)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for _ in range(2 * (os.cpu_count() or 1)):
        assert run("print(1)").stdout == "1\n"


def _works_after_a_fork() -> bool:
    source = "print(input(), open('in.txt').read())"
    limits = Limits(cpu_s=0.3, wall_s=10)
    found = run_python(source, b"one\n", {"in.txt": b"two"}, limits)
    endless = run_python("while True: pass", b"", {}, limits)
    surrogate = run_python("print('\ud800')", b"", {}, limits)
    shown = (found.verdict, found.stdout, found.level, endless.verdict)
    return shown == ("ok", "one two\n", "monty", "time") and surrogate.verdict != "unavailable"


def test_the_probe_holds() -> None:
    assert probe_monty() == (True, "a program runs; files, environment, memory and time are kept")


def test_the_probe_sees_what_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """A level that runs everything, and one that runs nothing."""
    from zerogym.envs.tools.sandbox.monty import monty

    for verdict, stdout in (("ok", "42\n"), ("error", ""), ("unavailable", "")):
        fake = Result(verdict, stdout=stdout)
        monkeypatch.setattr(monty, "run_python", lambda *_, fake=fake: fake)
        assert probe_monty()[0] is False


def test_it_is_fast() -> None:
    """1,000 calls a second is the aim; a busy machine gets time."""
    run("print(6 * 7)")
    fastest = min(_milliseconds() for _ in range(300))
    assert fastest < 1.0, f"{fastest:.2f} ms a call"


def _milliseconds() -> float:
    begin = time.perf_counter()
    run("print(6 * 7)")
    return (time.perf_counter() - begin) * 1e3
