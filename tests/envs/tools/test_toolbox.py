"""The tools by name: how they are made, described and called."""

import pytest

from helpers.tool_episodes import text_of
from zerogym.envs.tools.calculator.calculator import Calculator
from zerogym.envs.tools.calls import FORMATS, Call
from zerogym.envs.tools.calls.announcing import example_of, full_example_of
from zerogym.envs.tools.calls.arguments import problem_with
from zerogym.envs.tools.interpreters.python import PythonTool
from zerogym.envs.tools.submit import Submit
from zerogym.envs.tools.toolbox import TOOLS, make_tool
from zerogym.errors import UnknownName


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


@pytest.mark.parametrize("name", sorted({*TOOLS} - {"mcp"}))  # whose tools are a server's
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


def test_submit_writes_the_answer() -> None:
    assert text_of(Submit(), "5") == "<answer>5</answer>"
