"""Level `monty`: what it runs, what it lacks, and that no attack gets out or over its budget."""

import os
import resource
import time
import tracemalloc

import pytest

from helpers.sandbox.attack_range import host, leaks
from helpers.sandbox.attacks import ATTACKS, Attack
from zerogym.envs.tools.sandbox import Limits, Result
from zerogym.envs.tools.sandbox.monty.monty import MISSING, probe_monty, run_python

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
    assert run("1").verdict == "ok"  # the interpreter and its threads are there before
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


def test_the_probe_holds() -> None:
    assert probe_monty() == (True, "a program runs; files, environment, memory and time are kept")


def test_the_probe_sees_what_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """A level that runs everything, and one that runs nothing."""
    from zerogym.envs.tools.sandbox.monty import monty

    for verdict, stdout in (("ok", "42\n"), ("error", ""), ("unavailable", "")):
        fake = Result(verdict, stdout=stdout)
        monkeypatch.setattr(monty, "run_python", lambda *_, fake=fake: fake)
        assert probe_monty()[0] is False
