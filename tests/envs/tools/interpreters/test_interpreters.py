"""Tools that run programs: results in words, state, copies and hostile sources."""

import copy
import gc
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from helpers.sandbox.attack_range import needs_sandbox
from helpers.tool_episodes import HOSTILE, text_of
from zerogym.envs.tools.interpreters import execution
from zerogym.envs.tools.interpreters.notebook import NotebookTool
from zerogym.envs.tools.interpreters.python import PythonTool
from zerogym.envs.tools.interpreters.session import SessionTool
from zerogym.envs.tools.interpreters.shell import ShellTool
from zerogym.envs.tools.sandbox import Result
from zerogym.envs.tools.sandbox.execution import process_tree as tree
from zerogym.envs.tools.tool import ToolResult
from zerogym.errors import UnknownName


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
    before = _processes()  # some may be of tests before this one, and end meanwhile
    states = [notebook.new_state(seed) for seed in range(3)]
    states += [copy.deepcopy(states[0])]
    for state in states * 2:
        assert text_of(notebook, "1 + 1", state) == "2"
    one = len(_processes() - before)
    assert one > 0
    notebook.close()
    gc.collect()
    assert _processes() <= before
    text_of(notebook, "1 + 1", states[0])
    assert len(_processes() - before) == one


def _processes() -> set[int]:
    """Descendants of this process."""

    return set(tree.descendants(os.getpid()))


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
