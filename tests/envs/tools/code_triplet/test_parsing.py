"""Sources that are read into the small language: the same results, no exception, bounded time."""

import time
from typing import Any

import numpy as np
import pytest

from helpers.sandbox.attack_range import needs_sandbox
from zerogym.envs.tools.code_triplet.calls import call
from zerogym.envs.tools.code_triplet.inputs import draw_arguments
from zerogym.envs.tools.code_triplet.language.interpreter import OutOfBounds, run
from zerogym.envs.tools.code_triplet.language.parsing import NoProgram, parse
from zerogym.envs.tools.code_triplet.language.primitives import PRIMITIVES
from zerogym.envs.tools.code_triplet.language.programs import draw_program
from zerogym.envs.tools.code_triplet.language.rendering import rendered
from zerogym.envs.tools.code_triplet.language.signatures import SIGNATURES
from zerogym.envs.tools.sandbox import Sandbox


def output(program: Any, arguments: list[Any]) -> Any:
    """The output as text; None if a bound is passed."""
    try:
        return repr(run(program, arguments))
    except OutOfBounds:
        return None


def test_every_drawn_program_is_read_again() -> None:
    rng = np.random.default_rng(3)
    for n in range(300):
        program = draw_program(rng, (0.0, 1.0, 2.0, 4.0, 8.0)[n % 5])
        again = parse(rendered(program), [kind for _, kind in program["parameters"]])
        for _ in range(3):
            arguments = draw_arguments(rng, program)
            assert output(again, arguments) == output(program, arguments), rendered(program)
    assert SIGNATURES.keys() == PRIMITIVES.keys()


# Aliases, variables that change their type, branches that set the same variable, shadowed names.
SOURCES = {
    "def f(xs):\n    ys = xs\n    xs = xs + [1]\n    return ys + xs": [[3, 4]],
    "def f(xs):\n    out = []\n    both = out\n    out.append(len(xs))\n    return both": [[3]],
    "def f(xs):\n    xs = ''.join('a' for x in xs)\n    return xs.upper()": [[1, 2]],
    "def f(n):\n    if n > 3:\n        t = n\n    elif n < 0:\n        t = -1\n    else:\n"
    "        t = 0\n    return t * 2": [7],
    "def f(xs):\n    x = 5\n    ys = [x for x in xs]\n    return x + len(ys)": [[1, 2]],
    "def f(s):\n    return ''.join(c if c in 'ab' and c != 'a' else 'z' for c in s)": ["abc"],
    "def f(xs, k):\n    t = 0\n    for a, b in zip(xs, xs[1:]):\n        t += (a - b) * k\n"
    "    return t": [[4, 1, 8], 3],
    "def f(s):\n    return s.replace('a', 'bb')[-3:]": ["banana"],
}


@needs_sandbox
def test_real_python_gives_the_same() -> None:
    sandbox = Sandbox()
    for source, arguments in SOURCES.items():
        kinds = [
            "list" if isinstance(a, list) else "text" if isinstance(a, str) else "number"
            for a in arguments
        ]
        found = call(sandbox, source, [arguments])
        assert found.outputs == (output(parse(source, kinds), arguments),), source


REFUSED = {  # with part of the reason
    "def f(xs):\n    return xs[0]": "no xs[0]",
    "def f(xs):\n    return xs + 1": "add does not take",
    "def f(xs):\n    return sum(xs) // len(xs)": "quotient does not take",
    "def f(xs):\n    return sum(xs) % 0": "remainder does not take",
    "def f(xs):\n    return y": "y is not set",
    "def f(xs):\n    for x in xs:\n        y = x\n    return y": "y is not set",
    "def f(xs):\n    if len(xs) > 1:\n        y = 1\n    return y": "y is not set",
    "def f(xs):\n    xs.append(1)\n    return xs": "created empty",
    "def f(xs):\n    out = []\n    for x in xs:\n        out.append(x)\n        out = xs\n"
    "    return out": "a loop replaces",
    "def f(xs):\n    ys = []\n    if sum(xs) > 3:\n        ys = xs\n    ys.append(1)\n"
    "    return ys": "created empty",
    "def f(xs):\n    ys = xs\n    for x in xs:\n        ys = []\n    ys.append(1)\n"
    "    return ys": "created empty",
    "def f(xs):\n    xs += [1]\n    return xs": "unknown way",
    "def f(xs):\n    for x in xs:\n        xs = 'a'\n    return xs": "changes the type",
    "def f(xs):\n    while True:\n        pass\n    return 1": "no While",
    "def f(xs):\n    return f(xs)": "no f(xs)",
    "def f(xs):\n    import os\n    return xs": "no Import",
    "def f(xs):\n    return open('a').read()": "no open",
    "def f(xs):\n    return len(xs) > 1": "returns a condition",
    "def f(xs):\n    len = 3\n    return len": "called len",
    "def f(xs, k=[]):\n    return xs": "plain argument",
    "def f(*xs):\n    return xs": "plain argument",
    "def f(xs):\n    return sorted(xs, key=len)": "no sorted",
    "def f(xs):\n    return xs\nprint(1)": "not one function",
    "@g\ndef f(xs):\n    return xs": "not a plain f",
    "def f(xs):\n    pass": "only return",
    "def f(xs)": "not Python",
    "def f(xs):\n    return 9999999999": "too large",
    "def f(xs):\n    return xs" + " + xs" * 400: "more than",
    "(" * 2000: "not Python",
    "x" * 10_000_000: "longer than",
}


@pytest.mark.parametrize("source", REFUSED, ids=lambda source: source[-30:])
def test_what_the_language_does_not_have_is_named(source: str) -> None:
    started = time.process_time()
    with pytest.raises(NoProgram) as error:
        parse(source, ["list"])
    assert REFUSED[source] in str(error.value)
    assert time.process_time() - started < 1


def test_growth_passes_a_bound_soon() -> None:
    growing = {
        "def f(s):\n    for i in range(40):\n        s = s + s\n    return s": "ab",
        "def f(s):\n    return s" + ".replace('a', 'aaaaaaaaaa')" * 30: "a",
        "def f(s):\n    return ''.join(''.join(s for c in s) for d in s)": "a" * 100,
        "def f(s):\n    t = 2\n    for i in range(99):\n        t = t * t\n    return t": "a",
    }
    for source, given in growing.items():
        started = time.process_time()
        assert output(parse(source, ["text"]), [given]) is None, source
        assert time.process_time() - started < 1
