"""Programs of models in CodeTriplet: cheating, misbehaving, found in replies, proposed."""

import importlib.util
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helpers.sandbox.attack_range import needs_sandbox
from zerogym.envs.tools.code_triplet import calls
from zerogym.envs.tools.code_triplet.calls import call
from zerogym.envs.tools.code_triplet.env import CodeTripletEnv
from zerogym.envs.tools.code_triplet.induction import find_program, judge
from zerogym.envs.tools.code_triplet.problems import draw_problem
from zerogym.envs.tools.code_triplet.validation import FORBIDDEN, validate
from zerogym.envs.tools.sandbox import Result, Sandbox, SandboxUnavailable

SHOWN = [[[[1, 2, 3]], [2, 4, 6]], [[[7]], [14]], [[[5, 0]], [10, 0]]]
HIDDEN = [[[[9, 9]], [18, 18]], [[[4, 1]], [8, 2]], [[[]], []]]
HONEST = "def f(xs):\n    return [2 * x for x in xs]"

# Each reproduces the shown pairs, and tries to pass without doubling the hidden inputs.
LISTED = 'f = lambda xs: {"[1, 2, 3]": [2, 4, 6], "[7]": [14], "[5, 0]": [10, 0]}.get(str(xs), [])'
CHEATS = {
    "a table": LISTED,
    "the input": "def f(xs): return xs",
    "exit 0": "import sys\ndef f(xs): sys.exit(0)",
    "exit 0 at once": "def f(xs): return xs\nraise SystemExit(0)",
    "hard exit with fakes": "import os\nprint('= [2, 4, 6]\\n' * 6, flush=True)\nos._exit(0)\n"
    "def f(xs): return xs",
    "fakes at exit": "import atexit\natexit.register(print, '= [18, 18]')\ndef f(xs): return xs",
    "fakes on the descriptor": "import os\ndef f(xs):\n    os.write(1, b'= [18, 18]\\n' * 9)\n"
    "    return xs",
    "another print": "import builtins\nold = print\n"
    "builtins.print = lambda *a, **k: old('correct')\ndef f(xs): return xs",
    "another repr": "def repr(value): return 'True'\ndef f(xs): return xs",
    "another json": "import json\njson.dumps = lambda *a: '1.0'\ndef f(xs): return xs",
    "equal to everything": "class E(list):\n    __eq__ = lambda s, o: True\n"
    "    __hash__ = None\ndef f(xs): return E(xs)",
    "a repr that says ok": "class E:\n    __repr__ = lambda s: '= ok\\n1.0 Correct.'\n"
    "def f(xs): return E()",
    "frames": "import sys\ndef f(xs):\n    frame = sys._getframe()\n    seen = []\n"
    "    while frame:\n"
    "        seen += [v for v in frame.f_globals.values() if isinstance(v, list) and v != xs]\n"
    "        seen += [v for v in frame.f_locals.values() if isinstance(v, list) and v != xs]\n"
    "        frame = frame.f_back\n    return seen[-1] if seen else xs",
    "all objects": "import gc\ndef f(xs):\n    found = [o for o in gc.get_objects() if "
    "type(o) is list and len(o) == len(xs) and o != xs and all(type(i) is int for i in o)]\n"
    "    return found[0] if found else xs",
    "its own source": "def f(xs):\n    text = open('/task/main.py').read()\n"
    "    return [18, 18] if '[18' in text.replace('[18' + ', 18] if', '') else xs",
    "files and environment": "import os, glob\ndef f(xs):\n    for name in glob.glob('/task/*'):\n"
    "        if name[-7:] != 'main.py':\n            return eval(open(name).read())\n"
    "    return eval(os.environ.get('EXPECTED', 'xs'))",
    "a class as list": "_written = ['= [2, 4, 6]'] * 6\nclass list_(list):\n    append = print\n"
    "def f(xs): return xs",
    "the caller swallowed by a text": 'def f(xs): return xs\nprint("= [18, 18]\\n" * 6)\n"""',
    "the caller in an if": "def f(xs): return xs\nprint('= [18, 18]\\n' * 6)\nif False:",
    "the caller as a comment": "def f(xs): return xs\nprint('= [18, 18]\\n' * 6)\n#",
    "a child that prints": "import os, time\nif os.fork() == 0:\n    time.sleep(0.2)\n"
    "    print('= [18, 18]\\n' * 6)\n    os._exit(0)\ndef f(xs): return xs",
    "a thread that prints": "import threading\n"
    "threading.Timer(0.1, print, ['= [18, 18]']).start()\ndef f(xs): return xs",
    "tuples": "def f(xs): return tuple(2 * x for x in xs)",
    "texts": "def f(xs): return str([2 * x for x in xs])",
    "floats": "def f(xs): return [2.0 * x for x in xs]",
    "a changed argument": "def f(xs):\n    xs[:] = [2 * x for x in xs]",
}
MISBEHAVING = {
    "no f": ("def g(xs): return xs", "no function f"),
    "empty": ("", "no function f"),
    "words": ("Double each element.", "no function f"),
    "no Python": ("def f(xs) return xs", "SyntaxError"),
    "NUL": ("def f(xs):\n    return '\x00'", "wrong"),
    "lone surrogate": ("def f(xs):\n    return '\ud800'", ""),
    "raises": ("def f(xs): return xs[99]", "f raises IndexError"),
    "too few parameters": ("def f(): return 1", "f raises TypeError"),
    "endless recursion": ("def f(xs): return f(xs)", "f raises RecursionError"),
    "endless": ("def f(xs):\n    while True: pass", "it was ended"),
    "asleep": ("import time\ndef f(xs): time.sleep(99)", "it was ended"),
    "memory": ("def f(xs): return [0] * 10**9", ""),
    "output": ("def f(xs):\n    while True: print('x' * 9999)", "output"),
    "processes": ("import os\ndef f(xs):\n    while True: os.fork()", ""),
    "files": ("def f(xs):\n    for n in range(10**6): open(str(n), 'w')", ""),
    "long output": ("def f(xs): return [0] * 2000", "returns"),
    "control characters": ("def f(xs): return '\\x1b[2J\\n= 1'", "returns"),
}


@pytest.fixture(autouse=True)
def _short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "LIMITS", replace(calls.LIMITS, cpu_s=0.5, wall_s=30))


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox()


@needs_sandbox
def test_honest_programs_pass(sandbox: Sandbox) -> None:
    for source in (
        HONEST,
        "f = lambda xs: [2 * x for x in xs]",
        "import math\n\ndef g(x):\n    return x + x\n\ndef f(xs):\n    return list(map(g, xs))",
        f"{HONEST}\n\nif __name__ == '__main__':\n    print(f([1, 2]))\n    print('= [1]')",
        "def f(xs):\n    print('junk', xs, end='')\n    return [2 * x for x in xs]",
        "from __future__ import annotations\n" + HONEST,
    ):
        assert judge(sandbox, source, SHOWN, HIDDEN) == "", source


@needs_sandbox
@pytest.mark.parametrize("name", CHEATS)
def test_cheating_gains_nothing(sandbox: Sandbox, name: str) -> None:
    assert judge(sandbox, CHEATS[name], SHOWN, HIDDEN) != ""


@needs_sandbox
@pytest.mark.parametrize("name", MISBEHAVING)
def test_misbehaving_scores_nothing(
    sandbox: Sandbox, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "asleep":  # nothing but the clock ends it
        monkeypatch.setattr(calls, "LIMITS", replace(calls.LIMITS, wall_s=2))
    source, said = MISBEHAVING[name]
    fault = judge(sandbox, source, SHOWN, HIDDEN)
    assert fault and said in fault and len(fault) < 600, fault


def test_expected_outputs_are_never_in_the_sandbox() -> None:
    sources: list[str] = []

    class Recorder:
        def run(self, **arguments: Any) -> Result:
            assert set(arguments) == {"python", "limits"}
            sources.append(arguments["python"])
            return Result("ok")

    rng = np.random.default_rng(0)
    for _ in range(30):
        data = draw_problem(rng, 2.0, "induction").data
        judge(Recorder(), "def f(xs): ...", data["shown"], data["hidden"])  # type: ignore[arg-type]
        for arguments, output in data["shown"] + data["hidden"]:
            assert repr(arguments)[1:-1] in sources[-1]
            if not isinstance(output, int) and len(output) > 1 and output not in arguments:
                assert repr(output) not in sources[-1]
    assert len(sources) == 30


@pytest.mark.parametrize(
    "reply",
    [
        f"<answer>{HONEST}</answer>",
        f"<answer>\n{HONEST}\n</answer>",
        f"<answer>```python\n{HONEST}\n```</answer>",
        f"<answer>Here it is:\n```py\n{HONEST}\n```\nIt doubles.</answer>",
        f"I think it doubles.\n```python\n{HONEST}\n```",
        f"First\n```python\ndef f(xs): pass\n```\nbut better\n```python\n{HONEST}\n```\nDone.",
        f"```\n{HONEST}\n```\nIt doubles each.",
        f"```python\nwrong\n```\n<answer>{HONEST}</answer>\n```python\nwrong\n```",
        f"```python\nwrong\n```\n<answer>\n```python\r\n{HONEST}\n```\n</answer>",
    ],
)
def test_the_program_is_found_in_a_reply(reply: str) -> None:
    assert find_program(reply)[0] == HONEST


@needs_sandbox
@pytest.mark.skipif(importlib.util.find_spec("pydantic_monty") is None, reason="needs [tools]")
def test_the_fast_level_says_the_same() -> None:
    fast = Sandbox(level="monty")
    assert judge(fast, HONEST, SHOWN, HIDDEN) == ""
    assert "f raises IndexError" in judge(fast, MISBEHAVING["raises"][0], SHOWN, HIDDEN)
    for name in ("a table", "the input", "tuples", "floats", "the caller as a comment"):
        assert judge(fast, CHEATS[name], SHOWN, HIDDEN) != ""
    env = CodeTripletEnv(category="induction", level="monty")
    for seed in range(25):
        env.reset(seed=seed, options={"difficulty": seed % 5})
        assert env.step(env.oracle_action())[1] == 1.0, env.oracle_action()


REJECTED: dict[str, tuple[str, list[str], str]] = {
    "no Python": ("def f(x) return x", ["1"], "not Python"),
    "NUL": ("def f(x): return '\x00'", ["1"], "not Python"),
    "lone surrogate": ("def f(x): return '\ud800'", ["1"], "not Python"),
    "nested": ("def f(x): return " + "(" * 2000 + ")" * 2000, ["1"], "not Python"),
    "signs": ("def f(x): return " + "-" * 4000 + "1", ["1"], "program"),
    "long": ("def f(x): return x" + " " * 5000, ["1"], "longer"),
    "no f": ("def g(x): return x", ["1"], "does not define"),
    "f inside": ("class A:\n    def f(x): return x", ["1"], "does not define"),
    "input": ("def f(x): return x", ["1", "open('x')"], "an input"),
    "raises": ("def f(x): return 1 // x", ["1", "0"], "ZeroDivisionError"),
    "arguments": ("def f(x): return x", ["1, 2"], "TypeError"),
    "endless": ("def f(x):\n    while True: pass", ["1"], "it was ended"),
    "memory": ("def f(x): return bytearray(10**9)", ["1"], "f raises MemoryError"),
    "exit": ("import sys\ndef f(x): sys.exit(0)", ["1"], "ends before"),
    "function": ("def f(x): return len", ["1"], "written down"),
    "float": ("def f(x): return x / 2", ["1"], "written down"),
    "long output": ("def f(x): return 'a' * 5000", ["1"], "written down"),
    "counter": ("n = [0]\ndef f(x):\n    n[0] += 1\n    return n[0]", ["1"], "deterministic"),
    "address": ("def f(x): return id([x])", ["1"], "deterministic"),
    "urandom": ("import os\ndef f(x): return list(os.urandom(8))", ["1"], "deterministic"),
}


@needs_sandbox
@pytest.mark.parametrize("name", REJECTED)
def test_proposals_that_are_rejected(sandbox: Sandbox, name: str) -> None:
    source, inputs, reason = REJECTED[name]
    validation = validate(source, inputs, sandbox)
    assert not validation.ok and reason in validation.reason, validation
    assert validation.outputs == ()


def test_forbidden_modules() -> None:
    for module in FORBIDDEN:
        before, _, name = module.rpartition(".")
        imported = f"from {before} import {name}" if before else f"from {module} import x"
        for form in (f"import math, {module} as m", imported, f"def g():\n    import {module}"):
            validation = validate(f"{form}\ndef f(x): return x", ["1"], Sandbox.__new__(Sandbox))
            assert not validation.ok and "imports" in validation.reason


@needs_sandbox
def test_proposals_that_are_accepted(sandbox: Sandbox) -> None:
    source = "import math, os, sys\ndef f(xs, k=2):\n    return [math.gcd(x, k) for x in xs]"
    validation = validate(source, ["[4, 6], 4", "[3]", "([],)"], sandbox)
    assert validation.ok and validation.reason == ""
    assert validation.outputs == ([4, 2], [1], [])
    assert validate("def f(x):\n    return x", ["'a'"], sandbox, runs=1).outputs == ("a",)
    assert validate("def f(x):\n    return list(set(x))", ["'abcdefghij'"], sandbox, runs=4).ok


def test_validation_tells_a_broken_sandbox_from_a_bad_program() -> None:
    class Broken:
        run: Callable[..., Result] = staticmethod(lambda **_: Result("unavailable", reason="no"))

    with pytest.raises(SandboxUnavailable, match="no"):
        validate("def f(x): return x", ["1"], Broken())  # type: ignore[arg-type]
    with pytest.raises(SandboxUnavailable, match="no"):
        call(Broken(), "def f(x): return x", [[1]])  # type: ignore[arg-type]
    for inputs, runs in (([], 2), (["1"], 0)):
        with pytest.raises(ValueError, match="validation"):
            validate("def f(x): return x", inputs, Broken(), runs)  # type: ignore[arg-type]
