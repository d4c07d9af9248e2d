"""The small language of CodeTriplet against real Python, its bounds, its literals."""

import ast
import json
import time
from typing import Any

import numpy as np
import pytest

from helpers.sandbox.attack_range import needs_sandbox
from zerogym.envs.tools.code_triplet.inputs import (
    draw_arguments,
    read_arguments,
    written_arguments,
)
from zerogym.envs.tools.code_triplet.language.interpreter import MAX_STEPS, OutOfBounds, run
from zerogym.envs.tools.code_triplet.language.primitives import PRIMITIVES
from zerogym.envs.tools.code_triplet.language.programs import IDENTITY, canonical, draw_program
from zerogym.envs.tools.code_triplet.language.rendering import rendered
from zerogym.envs.tools.code_triplet.literals import NoLiteral, read, same
from zerogym.envs.tools.code_triplet.mistakes import near_programs
from zerogym.envs.tools.sandbox import Limits, Sandbox

LEVELS = (0.0, 1.0, 2.0, 4.0, 8.0)
ODD_INPUTS: dict[str, tuple[Any, ...]] = {
    "list": ([], [0], [-7], [5, 5, 5], list(range(40)), [10**6, -(10**6)], [3, -1, 4, -1, 5]),
    "text": ("", "a", "zz", "Hello, World", "a e i", "\u00e9\u00df", "abc" * 20),
    "number": (0, 1, -1, -45, 7, 10**6, 50),
}
REAL_PYTHON = """
import json
for source, inputs in json.load(open("cases.json")):
    space = {}
    exec(source, space)
    print(json.dumps([repr(space["f"](*arguments)) for arguments in inputs]))
"""


def programs(count: int, seed: int = 0) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    return [dict(draw_program(rng, LEVELS[n % len(LEVELS)])) for n in range(count)]


def odd_arguments(program: dict[str, Any], place: int) -> list[Any]:
    kinds = [kind for _, kind in program["parameters"]]
    return [ODD_INPUTS[kind][(place + 3 * n) % 7] for n, kind in enumerate(kinds)]


def output(program: dict[str, Any], arguments: list[Any]) -> Any:
    """The output, or None if a bound is passed."""
    try:
        return run(program, arguments)
    except OutOfBounds:
        return None


@needs_sandbox
def test_real_python_gives_what_the_interpreter_gives() -> None:
    rng = np.random.default_rng(1)
    cases, expected = [], []
    for program in [dict(IDENTITY), *programs(150)]:
        drawn = [draw_arguments(rng, program) for _ in range(4)] if program["body"] else []
        inputs = [*drawn, *(odd_arguments(program, place) for place in range(7))]
        known = [(i, output(program, i)) for i in inputs]
        kept = [(i, repr(o)) for i, o in known if o is not None]
        cases.append([rendered(program), [i for i, _ in kept]])
        expected.append([o for _, o in kept])
    result = Sandbox().run(
        python=REAL_PYTHON, files={"cases.json": json.dumps(cases)}, limits=Limits(cpu_s=20)
    )
    assert result.verdict == "ok", result.stderr
    found = [json.loads(line) for line in result.stdout.splitlines()]
    for (source, inputs), real, ours in zip(cases, found, expected, strict=True):
        assert real == ours, (source, inputs)
    assert sum(map(len, expected)) > 1000


def test_every_program_ends_and_is_deterministic() -> None:
    rng = np.random.default_rng(2)
    for program in programs(150, seed=5):
        for place in range(7):
            arguments = odd_arguments(program, place)
            before = json.dumps(arguments)
            start = time.process_time()
            first = output(program, arguments)
            assert time.process_time() - start < 1.0
            assert repr(output(program, arguments)) == repr(first)
            assert json.dumps(arguments) == before, "it changes its arguments"
        again = json.loads(json.dumps(program))
        arguments = draw_arguments(rng, program)
        assert output(again, arguments) == output(program, arguments), "a program is JSON"


def test_programs_that_grow_without_end_are_stopped() -> None:
    square = ["let", "v1", ["multiply", ["var", "v1"], ["var", "v1"]]]
    double = ["let", "v1", ["add", ["var", "v1"], ["var", "v1"]]]
    rounds = ["range", 10**9]
    for start, statement in ((3, square), (["single", 1], double), (["text", "ab"], double)):
        body = [["let", "v1", start], ["for", ["v2"], rounds, [statement]]]
        with pytest.raises(OutOfBounds):
            run({"parameters": [], "body": body, "result": ["var", "v1"]}, [])
    for nested in ([["for", ["v3"], rounds, []]], [["append", "v1", 1]]):
        body = [["let", "v1", ["empty"]], ["for", ["v2"], rounds, nested]]
        with pytest.raises(OutOfBounds):
            run({"parameters": [], "body": body, "result": ["var", "v1"]}, [])
    counted = ["sum", ["v2"], ["range", MAX_STEPS + 1], 1, None]
    with pytest.raises(OutOfBounds):
        run({"parameters": [], "body": [], "result": counted}, [])


def test_the_identity_is_a_program() -> None:
    assert run(IDENTITY, [[3, 1]]) == [3, 1]
    assert rendered(IDENTITY) == "def f(xs):\n    return xs"


def test_programs_are_varied() -> None:
    drawn = programs(1500)
    used = {word for word in json.dumps(drawn).replace('"', " ").split() if word in PRIMITIVES}
    assert used == set(PRIMITIVES)
    kinds = {type(node).__name__ for p in drawn for node in ast.walk(ast.parse(rendered(p)))}
    forms = ("For", "If", "IfExp", "ListComp", "GeneratorExp", "Slice", "AugAssign", "BoolOp")
    assert set(forms) <= kinds
    assert len({canonical(program) for program in drawn if len(program["body"]) > 1}) > 800


def test_brackets_stand_where_they_are_needed() -> None:
    def written_as(result: Any) -> str:
        program = {"parameters": [["a", "number"]], "body": [], "result": result}
        return rendered({**program, "names": {"a": "n", "x": "x"}}).split("return ")[1]

    n = ["var", "a"]
    assert written_as(["multiply", ["add", n, 1], n]) == "(n + 1) * n"
    assert written_as(["subtract", n, ["subtract", n, 1]]) == "n - (n - 1)"
    assert written_as(["and", ["or", n, n], ["less", n, 3]]) == "(n or n) and n < 3"
    assert written_as(["reversed", ["add", n, n]]) == "(n + n)[::-1]"
    assert written_as(["add", ["either", n, 1, 2], -3]) == "(1 if n else 2) + -3"


def test_mistakes_are_other_programs_that_run() -> None:
    rng = np.random.default_rng(3)
    total = 0
    for program in programs(60, seed=9):
        near = list(near_programs(program))
        total += len(near)
        assert rendered(program) not in {rendered(other) for other in near}
        arguments = draw_arguments(rng, program)
        for other in near:
            ast.parse(rendered(other))
            output(other, arguments)  # raises if a variable is missing or a type is wrong
    assert total > 300


def test_literals_are_read_as_they_are_written() -> None:
    for value in (0, -12, [], [1, [2, "a"]], "", "it's", (1,), ([1], 2), True, None, "\u00e9"):
        assert same(read(f"  {value!r}\n"), value)
    assert not same(True, 1) and not same([1], (1,)) and not same([True], [1])


@pytest.mark.parametrize(
    "text",
    [
        "", "1 + 1", "1 2", "x", "f(1)", "[1", "1]", "[1)", "1.0", "1e3", "0x10", "01", "1_0",
        "9" * 16, "[" * 7 + "]" * 7, "{1}", "{}", "b'a'", "f'a'", "'a' 'b'", "'a\\n'", "'a", "[,]",
        ",", "--1", "+1", "1" + ",1" * 3000, "(" * 2000 + ")" * 2000, "[" * 4000, "-" * 4000 + "1",
        "'\x00'", "'\ud800'", "__import__('os')", "[x for x in []]", "lambda: 0", "...", "not 1",
        "None1", "1if 1else 2", "\u0661", "1;2", "'a'[0]", "[1][0]", "1j", "True and 1",
    ],
)  # fmt: skip
def test_nothing_else_is_a_literal(text: str) -> None:
    with pytest.raises(NoLiteral):
        read(text)


@pytest.mark.parametrize(
    "text",
    ["", "1", "[1], 2, 3", "'ab', 2", "[True], 2", "[1], True", "[1], '2'", "[[1]], 2", "[1.5], 2",
     f"{[0] * 101}, 2", "[1000001], 2", "[1], -1000001", "([1], 2),", "None, 2", "[1] 2"],
)  # fmt: skip
def test_inputs_must_fit_the_parameters(text: str) -> None:
    program = {"parameters": [["v0", "list"], ["v1", "number"]]}
    assert read_arguments("[1, 2], 3", program) == [[1, 2], 3]
    assert read_arguments(written_arguments([[-1], 0]), program) == [[-1], 0]
    with pytest.raises(NoLiteral):
        read_arguments(text, program)
