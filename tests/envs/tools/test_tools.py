"""The tools: what each returns, its bounds, and what it does with anything a model may write."""

import copy
import gc
import os
import random
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from helpers.sandbox.attack_range import needs_sandbox
from zerogym.envs.tools.calculator.calculator import Calculator
from zerogym.envs.tools.calls import FORMATS, Call
from zerogym.envs.tools.calls.announcing import example_of, full_example_of
from zerogym.envs.tools.calls.arguments import problem_with
from zerogym.envs.tools.interpreters import execution
from zerogym.envs.tools.interpreters.notebook import NotebookTool
from zerogym.envs.tools.interpreters.python import PythonTool
from zerogym.envs.tools.interpreters.session import SessionTool
from zerogym.envs.tools.interpreters.shell import ShellTool
from zerogym.envs.tools.sandbox import Result
from zerogym.envs.tools.sandbox.execution import process_tree as tree
from zerogym.envs.tools.submit import Submit
from zerogym.envs.tools.tool import Tool, ToolResult
from zerogym.envs.tools.toolbox import TOOLS, make_tool
from zerogym.errors import UnknownName

HOSTILE = ("\0", "\ud800", "\x1b[2J", "é" * 1000, "(" * 100_000, "x" * 2**20, "\n" * 2**20, "'''")


def text_of(tool: Tool, text: str, state: Any = None) -> str:
    return tool.call({tool.body: text}, state).text


# --- the toolbox


def test_tools_are_made_by_name_and_with_arguments() -> None:
    assert isinstance(make_tool("calculator"), Calculator)
    made = make_tool(["python", {"characters": 10}])
    assert isinstance(made, PythonTool) and make_tool(made) is made
    assert make_tool("python") is not make_tool("python")
    with pytest.raises(UnknownName, match="Did you mean 'python'"):
        make_tool("pyton")
    for wrong in (5, ("python",), ("python", 5), None):
        with pytest.raises(TypeError, match="a tool is"):
            make_tool(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="nonsense"):
        make_tool(("python", {"nonsense": 1}))


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_describes_itself_and_its_example_is_a_call(name: str) -> None:
    tool = make_tool(name)
    assert tool.name == name
    assert tool.description.endswith(".") and len(tool.description) < 250
    assert tool.body in tool.parameters["properties"]
    for arguments in (example_of(tool), full_example_of(tool)):
        assert problem_with(tool, arguments) == ""
        assert "there is no argument 'x'" in problem_with(tool, {**arguments, "x": 1})
        for format in FORMATS.values():
            found = format.find(format.write(tool, arguments), {name: tool})
            assert found == [Call(name, arguments)]


# --- calculator


VALUES = {
    "2 + 3 * 4": "14",
    "(2 + 3) * 4": "20",
    "-2 ** 2": "-4",
    "2 ** 3 ** 2": "512",
    "2 ** -2": "1/4 = 0.25",
    "2^10": "1024",
    "(-8) ** 3": "-512",
    "0 ** 0": "1",
    "0.1 + 0.2": "3/10 = 0.3",
    "1.5e3": "1500",
    "-7 // 2": "-4",
    "-7 % 3": "2",
    "7.5 % 2": "3/2 = 1.5",
    "-1/3": "-1/3 = -0.33333333333333333333...",
    "10 ** 25 + 1/3": "30000000000000000000000001/3 = 10000000000000000000000000.3...",
    "1/3000": "1/3000 = 0.00033333333333333333333...",
    "22/7": "22/7 = 3.1428571428571428571...",
    "2 ** 100 / 3": "1267650600228229401496703205376/3 = 422550200076076467165567735125.3...",
    "5!": "120",
    "-3!": "-6",
    "3!!": "720",
    "factorial(20)": "2432902008176640000",
    "comb(10, 3) + gcd(12, 18) + lcm(4, 6)": "138",
    "abs(-3/4) + max(1, 2, 3) - min(5, 4)": "-1/4 = -0.25",
    "floor(-3.5) + ceil(3.2)": "0",
    "round(2.567, 2)": "257/100 = 2.57",
    "round(-2.5)": "-2",
    "sqrt(16/9)": "4/3 = 1.3333333333333333333...",
    "sqrt(2)": "≈ 1.4142135623730950488",
    "-sqrt(2) ** 2": "≈ -2",
    "sqrt(2 * 10 ** 60)": "≈ 1414213562373095048801688724209.7",
    "sqrt(10 ** 40)": "100000000000000000000",
    "√16 + √(9)": "7",
    "sqrt(1/1000003)": "≈ 0.00099999850000337499156",
    "3 × 4 ÷ 2 − 1": "5",
    "[1 + 2] * 2": "6",
    "2 + 2 =": "4",
    "2 ** 10000 % 1000": "376",
    "(-1) ** 1000001": "-1",
    "1 ** -5": "1",
    "0 ** 1000001": "0",
    "1 + 1\n\n2 * 3\n": "2\n6",
}
REFUSED = {
    "": "there is no expression",
    "2 +": "the expression ends too soon",
    "(2": "a ')' is missing",
    "2 3": "unexpected '3'",
    "1,234": "write 1234 for 1,234",
    "x + 1": "there is no 'x'; functions: abs",
    "x = 1": "unexpected '='",
    "1 = 1": "one expression a line",
    "__import__('os')": "unexpected ",
    "sqrt(-1)": "root of a negative number",
    "sqrt(sqrt(2), 1)": "sqrt takes 1 numbers",
    "gcd(1.5, 2)": "whole numbers are asked",
    "factorial(-1)": "from 0 to 2000",
    "factorial(2001)": "from 0 to 2000",
    "1/0": "division by zero",
    "1 % 0": "division by zero",
    "0 ** -1": "division by zero",
    "2 ** 0.5": "the exponent must be a whole number; for a root write sqrt",
    "9 ** 9 ** 9": "too large",
    "9 ** 9 ** 9 ** 9": "too large",
    "2 ** 32000": "more than 1000 digits",
    "(2 ** 20000) ** 2": "too large",
    "2 ** 20000 * 2 ** 20000": "too large",
    "1e401": "the exponent of 1e401 is too large",
    "round(1, 10 ** 9)": "too large",
    "(" * 33 + "1" + ")" * 33: "too many brackets",
    "-" * 40 + "1": "too many brackets",
    "2" + "**1" * 40: "too many brackets",
    "√" * 100 + "2": "too many brackets",
    "1+" * 200 + "1": "too long",
    "9" * 401: "too long",
    "sin(1)": "there is no 'sin'",
    "2 $ 3": "unexpected '$'",
}  # fmt: skip


@pytest.mark.parametrize("text", VALUES)
def test_the_calculator_is_exact(text: str) -> None:
    result = Calculator().call({"expression": text}, None)
    assert (result.text, result.ok) == (VALUES[text], True)


@pytest.mark.parametrize("text", REFUSED)
def test_the_calculator_says_what_it_cannot(text: str) -> None:
    result = Calculator().call({"expression": text}, None)
    assert REFUSED[text] in result.text and result.text.startswith("Error: ")
    assert not result.ok and len(result.text) < 250


def test_random_expressions_mean_what_they_mean_in_python() -> None:
    rng = random.Random(0)

    def tree(depth: int) -> str:
        if depth == 0 or rng.random() < 0.2:
            return rng.choice(("-", "")) + f"Fraction({rng.randrange(1, 40)})"
        sign = rng.choice(("+", "-", "*", "/", "//", "%", "**"))
        right = f"({rng.randrange(-3, 4)})" if sign == "**" else tree(depth - 1)
        left = tree(depth - 1)
        return f"({left}) {sign} {right}" if rng.random() < 0.5 else f"{left} {sign} {right}"

    compared = 0
    for _ in range(2000):
        source = tree(3)
        shown = text_of(Calculator(), re.sub(r"Fraction\((\d+)\)", r"\1", source))
        try:
            value = eval(source)
        except ZeroDivisionError:
            assert shown == "Error: division by zero."
            continue
        except (OverflowError, TypeError):  # of a float, or a root of a negative number
            continue
        # Python's `//` gives an int, and its powers with a negative exponent are floats
        refused = "whole number" in shown or "too large" in shown
        if isinstance(value, int | Fraction) and not refused:
            assert shown.partition(" = ")[0] == str(value), source
            compared += 1
    assert compared > 1200


def test_the_calculator_is_bounded() -> None:
    worst = (
        "+".join(f"1/{10**199 + n}" for n in range(60)),
        "*".join(["(10**100 + 1/7)"] * 20),
        "lcm(" + ",".join(str(10**380 + n) for n in range(120)) + ")",
        "factorial(2000) / factorial(1999) * comb(2000, 1000)",
        "!".join(["3"] + [""] * 200),
        "\n".join(["factorial(2000)/3**9000"] * 10_000),
        *HOSTILE,
    )
    for text in worst:
        begin = time.process_time()
        assert len(text_of(Calculator(), text)) < 25_000
        assert time.process_time() - begin < 1, text[:50]


# --- results of programs, in words


def test_results_in_words() -> None:
    ok = Result("ok", stdout="out\n", stderr="err\n", cpu_s=0.5)
    assert execution.in_words(ok, 100) == "out\nerr"
    assert execution.in_words(Result("ok"), 100) == "(no output: print what you want to see)"
    assert "[1000 characters are not shown]" in execution.in_words(Result("ok", "x" * 1100), 100)
    for verdict, said in (("time", "too long"), ("memory", "memory"), ("output", "too much")):
        text = execution.in_words(Result(verdict, stdout="a", reason="why"), 100)
        assert text.startswith("a\nStopped: it ") and said in text and text.endswith("(why).")
    error = Result("error", reason="exit status 1")
    assert execution.in_words(error, 100) == "It failed without a message (exit status 1)."
    lost = replace(error, stdout="a", reason="exit status 1; variables are lost")
    assert execution.in_words(lost, 100).endswith("ended (exit status 1; variables are lost).")


def test_a_failure_of_the_sandbox_is_tried_once_more_and_never_counts() -> None:
    def failing(times: int) -> ToolResult:
        results = iter([Result("unavailable")] * times + [Result("ok", "1\n", cpu_s=0.25)])
        return execution.run_for_model(lambda: next(results), 100)

    assert failing(0) == failing(1) == ToolResult("1", True, 0.25)
    assert failing(2).unavailable and not failing(2).ok


def test_submit_writes_the_answer() -> None:
    assert text_of(Submit(), "5") == "<answer>5</answer>"


# --- in the sandbox


@needs_sandbox
def test_python_runs_from_nothing_each_time() -> None:
    tool = PythonTool(characters=60)
    assert tool.new_state(1) is None
    result = tool.call({"code": "import os\nx = 5\nprint(x, os.listdir('.'))"}, None)
    assert result.text == "5 ['main.py']" and result.ok and 0 < result.cost < 2
    failed = tool.call({"code": "print(x)"}, None)
    assert "name 'x' is not defined" in failed.text and not failed.ok
    shown = text_of(tool, "print('a' * 500)\nprint('b' * 500)")
    assert shown == f"{'a' * 30}\n[941 characters are not shown]\n{'b' * 30}"
    limited = PythonTool(cpu_s=0.3)
    assert text_of(limited, "print('so far')\nwhile True: pass").startswith(
        "so far\nStopped: it took"
    )


@needs_sandbox
def test_python_at_another_level() -> None:
    pytest.importorskip("pydantic_monty")
    tool = PythonTool(level="monty")
    assert text_of(tool, "print(6 * 7)") == "42"
    assert "numpy" in tool.description and "numpy" not in PythonTool().description
    with pytest.raises(UnknownName, match="level"):
        PythonTool(level="storng").new_state(0)  # type: ignore[arg-type]


@pytest.fixture
def notebook() -> Iterator[NotebookTool]:
    tool = NotebookTool(cpu_s=1.0)
    yield tool
    tool.close()


@pytest.fixture
def shell() -> Iterator[ShellTool]:
    tool = ShellTool(cpu_s=1.0)
    yield tool
    tool.close()


@needs_sandbox
def test_a_notebook_keeps_variables_and_a_copy_goes_its_own_way(notebook: NotebookTool) -> None:
    state = notebook.new_state(7)
    assert text_of(notebook, "import random\nx = random.random()\nx", state)
    assert text_of(notebook, "y = [1]", state) == "(no output: print what you want to see)"
    snapshot = copy.deepcopy(state)
    assert text_of(notebook, "y.append(2)\ny", state) == "[1, 2]"
    first = text_of(notebook, "x", state)
    assert text_of(notebook, "y", snapshot) == "[1]"
    assert text_of(notebook, "x", snapshot) == first, "the seed is part of the state"
    assert text_of(notebook, "y", state) == "[1, 2]", "the first one goes on"
    assert text_of(notebook, "y", notebook.new_state(7)).splitlines()[-1].startswith("NameError")


@needs_sandbox
def test_a_shell_keeps_files_and_a_copy_goes_its_own_way(shell: ShellTool) -> None:
    state = shell.new_state(7)
    assert text_of(shell, "echo one > a; b=5; wc -l < a", state) == "1"
    snapshot = copy.deepcopy(state)
    assert text_of(shell, 'echo two >> a; cat a; echo "[$b]"', state) == "one\ntwo\n[]"
    assert text_of(shell, "cat a", snapshot) == "one"
    assert text_of(shell, "cat a", state) == "one\ntwo"
    failed = shell.call({"script": "cat nothing"}, state)
    assert "No such file" in failed.text and not failed.ok
    assert "No such file" in text_of(shell, "cat a", shell.new_state(7))


@needs_sandbox
@pytest.mark.parametrize("kind", [NotebookTool, ShellTool])
def test_a_closed_session_tool_can_be_used_again(kind: type[SessionTool]) -> None:
    tool = kind()
    state = tool.new_state(0)
    written = "open('a', 'w').write('5')" if kind is NotebookTool else "echo -n 5 > a"
    read = "print(open('a').read())" if kind is NotebookTool else "cat a"
    text_of(tool, written, state)
    tool.close()
    tool.close()
    assert text_of(tool, read, state) == "5"
    tool.close()


@needs_sandbox
def test_at_most_one_process_of_a_tool_is_open(notebook: NotebookTool) -> None:
    before = _processes()
    states = [notebook.new_state(seed) for seed in range(3)]
    states += [copy.deepcopy(states[0])]
    for state in states * 2:
        assert text_of(notebook, "1 + 1", state) == "2"
    one = _processes() - before
    assert one > 0
    notebook.close()
    gc.collect()
    assert _processes() == before
    text_of(notebook, "1 + 1", states[0])
    assert _processes() == before + one


def _processes() -> int:
    """Descendants of this process."""

    return len(tree.descendants(os.getpid()))


@needs_sandbox
@pytest.mark.parametrize("kind", [PythonTool, NotebookTool, ShellTool])
def test_hostile_sources_get_results(kind: Any) -> None:
    tool = kind(cpu_s=1.0)
    state = tool.new_state(0)
    for text in HOSTILE:
        begin = time.monotonic()
        result = tool.call({tool.body: text}, state)
        assert result.text and len(result.text) < 5000 and not result.unavailable
        assert time.monotonic() - begin < 60
    assert "42" in text_of(tool, "echo 42" if kind is ShellTool else "print(42)", state)
    tool.close()
